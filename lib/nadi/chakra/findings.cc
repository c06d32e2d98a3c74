#include "nadi/chakra/findings.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

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

void CheckFindingList::add(std::string_view rule, std::string place, std::string message) {
  auto row = std::find_if(findings_.begin(), findings_.end(),
                          [&](const CheckFinding& f) { return f.rule == rule; });
  if (row == findings_.end()) {
    const auto* known =
        std::find_if(std::begin(check_rules::kAll), std::end(check_rules::kAll),
                     [&](const CheckRule& r) { return r.profile == profile_ && r.name == rule; });
    assert(known != std::end(check_rules::kAll));
    if (message.empty()) message = known->message;
    row = findings_.insert(row, CheckFinding{std::string(rule),
                                             known->severity,
                                             0,
                                             {},
                                             std::move(message),
                                             std::string(known->assumed)});
  }
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
