#include "nadi/chakra/findings.h"

#include <algorithm>

namespace nadi {

std::string_view to_string(CheckSeverity severity) {
  switch (severity) {
    case CheckSeverity::kNote:
      return "note";
    case CheckSeverity::kWarning:
      return "warning";
    case CheckSeverity::kError:
      return "error";
  }
  return "unknown";
}

const CheckFinding* find_finding(const std::vector<CheckFinding>& findings, std::string_view rule) {
  const auto row = std::find_if(findings.begin(), findings.end(),
                                [&](const CheckFinding& f) { return f.rule == rule; });
  return row == findings.end() ? nullptr : &*row;
}

void CheckFindingList::add(std::string_view rule, CheckSeverity severity, std::string place,
                           std::string_view message, std::string_view assumed) {
  auto row = std::find_if(findings_.begin(), findings_.end(),
                          [&](const CheckFinding& f) { return f.rule == rule; });
  if (row == findings_.end())
    row = findings_.insert(
        row, CheckFinding{
                 std::string(rule), severity, 0, {}, std::string(message), std::string(assumed)});
  ++row->count;
  if (row->first.size() < CheckFinding::kMaxPlaces) row->first.push_back(std::move(place));
}

std::vector<CheckFinding> CheckFindingList::sorted() && {
  std::stable_sort(
      findings_.begin(), findings_.end(),
      [](const CheckFinding& a, const CheckFinding& b) { return a.severity > b.severity; });
  return std::move(findings_);
}

}  // namespace nadi
