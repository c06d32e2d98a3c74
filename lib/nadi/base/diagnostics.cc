#include "nadi/base/diagnostics.h"

#include <algorithm>

namespace nadi {
namespace {

auto find_kind(auto& table, std::string_view kind) {
  return std::find_if(table.begin(), table.end(),
                      [&](const Diagnostic& d) { return d.kind == kind; });
}

}  // namespace

void Diagnostics::report(std::string_view kind, Severity severity, std::string_view place,
                         std::uint64_t count) {
  if (count == 0) return;
  auto row = find_kind(table_, kind);
  if (row == table_.end()) row = table_.insert(row, Diagnostic{std::string(kind), severity, 0, {}});
  row->count += count;
  if (!place.empty() && row->first.size() < kMaxPlaces) row->first.emplace_back(place);
}

bool Diagnostics::wants_place(std::string_view kind) const {
  auto row = find_kind(table_, kind);
  return row == table_.end() || row->first.size() < kMaxPlaces;
}

void Diagnostics::merge(const Diagnostics& other) {
  for (const Diagnostic& d : other.table_) {
    report(d.kind, d.severity, {}, d.count);
    auto row = find_kind(table_, d.kind);
    for (const std::string& place : d.first)
      if (row->first.size() < kMaxPlaces) row->first.push_back(place);
  }
}

void Diagnostics::name_places(std::string_view kind, std::string_view where) {
  for (Diagnostic& row : table_)
    if (row.kind == kind)
      for (std::string& place : row.first) place.insert(0, where);
}

std::uint64_t Diagnostics::count(std::string_view kind) const {
  auto row = find_kind(table_, kind);
  return row == table_.end() ? 0 : row->count;
}

bool Diagnostics::has_loss() const {
  return std::any_of(table_.begin(), table_.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::kLoss; });
}

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kWarning:
      return "warning";
    case Severity::kLoss:
      return "loss";
  }
  return "unknown";
}

}  // namespace nadi
