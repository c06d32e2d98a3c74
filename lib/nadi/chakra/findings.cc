#include "nadi/chakra/findings.h"

#include <algorithm>

namespace nadi {

std::string_view to_string(FindingSeverity severity) {
  switch (severity) {
    case FindingSeverity::kNote:
      return "note";
    case FindingSeverity::kWarning:
      return "warning";
    case FindingSeverity::kError:
      return "error";
  }
  return "unknown";
}

const Finding* find_finding(const std::vector<Finding>& findings, std::string_view rule) {
  const auto row = std::find_if(findings.begin(), findings.end(),
                                [&](const Finding& f) { return f.rule == rule; });
  return row == findings.end() ? nullptr : &*row;
}

void FindingList::add(std::string_view rule, FindingSeverity severity, std::string place,
                      std::string_view message, std::string_view assumed) {
  auto row = std::find_if(findings_.begin(), findings_.end(),
                          [&](const Finding& f) { return f.rule == rule; });
  if (row == findings_.end())
    row = findings_.insert(
        row,
        Finding{std::string(rule), severity, 0, {}, std::string(message), std::string(assumed)});
  ++row->count;
  if (row->first.size() < Finding::kMaxPlaces) row->first.push_back(std::move(place));
}

std::vector<Finding> FindingList::sorted() && {
  std::stable_sort(findings_.begin(), findings_.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return std::move(findings_);
}

}  // namespace nadi
