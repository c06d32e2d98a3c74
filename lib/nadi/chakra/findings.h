// The findings of a check of Chakra graphs, one row per rule that is broken.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/chakra/check_rules.h"

namespace nadi {

/// All that breaks one rule.
struct CheckFinding {
  static constexpr std::size_t kMaxPlaces = 3;

  std::string rule;  ///< stable, kebab-case: "dangling-data-dep"
  CheckSeverity severity = CheckSeverity::kError;
  std::uint64_t count = 0;
  std::vector<std::string> first;  ///< the first places, for people: "node 7 (aten::mm)"
  std::string message;             ///< what is wrong and what it does
  std::string assumed;  ///< what a run under a simulator's issue rules did; empty = the same
};

/// Returns the finding of the rule; nullptr = nothing breaks it.
const CheckFinding* find_finding(const std::vector<CheckFinding>& findings, std::string_view rule);

class CheckFindingList {
 public:
  explicit CheckFindingList(CheckProfile profile) : profile_(profile) {}

  /// Counts one more break of a rule of the profile. `message` stands instead of the rule's where
  /// it says more; that of the first break is kept.
  void add(std::string_view rule, std::string place, std::string message = {});
  /// Errors first, then in order of discovery.
  std::vector<CheckFinding> sorted() &&;

 private:
  CheckProfile profile_;
  std::vector<CheckFinding> findings_;
};

}  // namespace nadi
