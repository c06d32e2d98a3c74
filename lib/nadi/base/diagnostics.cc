#include "nadi/base/diagnostics.h"

#include <algorithm>

namespace nadi {
namespace {

auto find_kind(auto& table, std::string_view kind) {
  return std::find_if(table.begin(), table.end(),
                      [&](const Diagnostic& d) { return d.kind == kind; });
}

}  // namespace

Diagnostic& Diagnostics::row_of(std::string_view kind, Severity severity) {
  auto row = find_kind(table_, kind);
  if (row == table_.end()) row = table_.insert(row, Diagnostic{kind, severity, 0, {}});
  return *row;
}

void Diagnostics::report(DiagnosticKind kind, std::string_view place, std::uint64_t count) {
  if (count == 0) return;
  Diagnostic& row = row_of(kind.name(), kind.severity());
  row.count += count;
  if (!place.empty() && row.first.size() < kMaxPlaces) row.first.emplace_back(place);
}

bool Diagnostics::wants_place(DiagnosticKind kind) const {
  auto row = find_kind(table_, kind.name());
  return row == table_.end() || row->first.size() < kMaxPlaces;
}

void Diagnostics::merge(const Diagnostics& other) {
  for (const Diagnostic& d : other.table_) {
    Diagnostic& row = row_of(d.kind, d.severity);
    row.count += d.count;
    for (const std::string& place : d.first)
      if (row.first.size() < kMaxPlaces) row.first.push_back(place);
  }
}

void Diagnostics::name_places(DiagnosticKind kind, std::string_view where) {
  for (Diagnostic& row : table_)
    if (row.kind == kind.name())
      for (std::string& place : row.first) place.insert(0, where);
}

void Diagnostics::forget(DiagnosticKind kind) {
  std::erase_if(table_, [&](const Diagnostic& row) { return row.kind == kind.name(); });
}

void Diagnostics::edit_places(std::string (*edit)(std::string_view place)) {
  for (Diagnostic& row : table_)
    for (std::string& place : row.first) place = edit(place);
}

std::uint64_t Diagnostics::count(DiagnosticKind kind) const {
  auto row = find_kind(table_, kind.name());
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
