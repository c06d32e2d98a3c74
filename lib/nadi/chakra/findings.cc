#include "nadi/chakra/findings.h"

#include <algorithm>
#include <utility>

namespace nadi {

std::string message_of(const CheckFinding& finding) {
  std::string message(info_of(finding.rule).message);
  if (finding.tangled > 0)
    message.insert(
        std::min(message.find(':'), message.size()),
        " (" + std::to_string(finding.tangled) + " nodes involved; the shortest is shown)");
  return message;
}

bool CheckFindings::has_errors() const {
  return !findings.empty() && severity_of(findings.front().rule) == CheckSeverity::kError;
}

const CheckFinding* CheckFindings::find(CheckRule rule) const {
  const auto row = std::find_if(findings.begin(), findings.end(),
                                [&](const CheckFinding& f) { return f.rule == rule; });
  return row == findings.end() ? nullptr : &*row;
}

void CheckFindingList::add(CheckRule rule, std::string place, std::uint64_t tangled) {
  auto row = std::find_if(findings_.begin(), findings_.end(),
                          [&](const CheckFinding& f) { return f.rule == rule; });
  if (row == findings_.end())
    row = findings_.insert(row, {.rule = rule, .first = {}, .tangled = tangled});
  ++row->count;
  if (row->first.size() < CheckFinding::kMaxPlaces) row->first.push_back(std::move(place));
}

std::vector<CheckFinding> CheckFindingList::sorted() && {
  std::stable_sort(findings_.begin(), findings_.end(),
                   [](const CheckFinding& a, const CheckFinding& b) {
                     return severity_of(a.rule) > severity_of(b.rule);
                   });
  return std::move(findings_);
}

}  // namespace nadi
