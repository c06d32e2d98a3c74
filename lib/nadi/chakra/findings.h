// The findings of a check of Chakra graphs, one row per rule that is broken.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nadi {

enum class CheckSeverity : std::uint8_t {
  kNote,     ///< worth knowing; runs everywhere, if not as one might think
  kWarning,  ///< some tool misreads it or cannot run it, or not with every setting
  kError,    ///< wrong: simulators abort, hang, or silently lose something
};
std::string_view to_string(CheckSeverity severity);

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
  /// Counts one more break of the rule; its texts are those of its first report.
  void add(std::string_view rule, CheckSeverity severity, std::string place,
           std::string_view message, std::string_view assumed = {});
  /// Errors first, then in order of discovery.
  std::vector<CheckFinding> sorted() &&;

 private:
  std::vector<CheckFinding> findings_;
};

}  // namespace nadi
