#include "nadi/base/diagnostics.h"

#include <algorithm>

namespace nadi {
namespace {

auto find_row(auto& table, Finding kind) {
  return std::find_if(table.begin(), table.end(), [name = to_string(kind)](const Diagnostic& row) {
    return to_string(row.kind) == name;
  });
}

}  // namespace

Diagnostic& Diagnostics::row_of(Finding kind) {
  auto row = find_row(table_, kind);
  if (row == table_.end()) row = table_.insert(row, Diagnostic{kind, 0, {}});
  if (severity_of(kind) > severity_of(row->kind)) row->kind = kind;
  return *row;
}

void Diagnostics::report(Finding kind, std::string_view place, std::uint64_t count) {
  if (count == 0) return;
  Diagnostic& row = row_of(kind);
  row.count += count;
  if (!place.empty() && row.first.size() < kMaxPlaces) row.first.emplace_back(place);
}

bool Diagnostics::wants_place(Finding kind) const {
  auto row = find_row(table_, kind);
  return row == table_.end() || row->first.size() < kMaxPlaces;
}

void Diagnostics::add(const Diagnostic& found) {
  Diagnostic& row = row_of(found.kind);
  row.count += found.count;
  for (const std::string& place : found.first)
    if (row.first.size() < kMaxPlaces) row.first.push_back(place);
}

void Diagnostics::merge(const Diagnostics& other) {
  for (const Diagnostic& found : other.table_) add(found);
}

void Diagnostics::merge_of(std::string_view place, const Diagnostics& other) {
  for (Diagnostic found : other.table()) {
    for (std::string& first : found.first) first.insert(0, std::string(place) + ": ");
    add(found);
  }
}

std::uint64_t Diagnostics::count(Finding kind) const {
  auto row = find_row(table_, kind);
  return row == table_.end() ? 0 : row->count;
}

bool Diagnostics::has_loss() const {
  return std::any_of(table_.begin(), table_.end(), [](const Diagnostic& row) {
    return severity_of(row.kind) == Severity::kLoss;
  });
}

}  // namespace nadi
