// The findings of a check of Chakra graphs, one row per rule that is broken.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nadi/chakra/check_rules.h"

namespace nadi {

/// All that breaks one rule.
struct CheckFinding {
  static constexpr std::size_t kMaxPlaces = 3;

  CheckRule rule;
  std::uint64_t count = 0;
  std::vector<std::string> first;  ///< the first places, for people: "node 7 (aten::mm)"
  std::uint64_t tangled = 0;       ///< nodes on cycles or between two; 0 = not counted
};

/// The rule's message, and how many nodes are tangled where that is known.
std::string message_of(const CheckFinding& finding);

/// What a check found.
struct CheckFindings {
  std::vector<CheckFinding> findings;  ///< errors first, then in order of discovery

  bool has_errors() const;
  /// The finding of the rule; nullptr = nothing breaks it.
  const CheckFinding* find(CheckRule rule) const;
};

class CheckFindingList {
 public:
  /// Counts one more break of a rule. `tangled` counts where the rule breaks for the first time.
  void add(CheckRule rule, std::string place, std::uint64_t tangled = 0);
  /// Errors first, then in order of discovery.
  std::vector<CheckFinding> sorted() &&;

 private:
  std::vector<CheckFinding> findings_;
};

}  // namespace nadi
