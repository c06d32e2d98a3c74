// Collects the findings of a check, one row per rule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nadi/chakra/chakra_check.h"

namespace nadi {

class FindingList {
 public:
  /// Counts one more break of the rule; severity and message are those of its first report.
  void add(std::string_view rule, FindingSeverity severity, std::string place,
           std::string_view message);
  /// Errors first.
  std::vector<Finding> sorted() &&;

 private:
  std::vector<Finding> findings_;
};

}  // namespace nadi
