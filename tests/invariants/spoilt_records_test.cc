// Spoilt records still give graphs that hold the truth: a tenth of what tests/vm/truth_table looks
// at.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/invariants/spoilt_score.h"

namespace nadi {
namespace {

std::vector<std::string> a_tenth_of_the_programs() {
  return {"host_syncs", "random:302", "pipeline", "two_streams_event"};
}

class SpoiltRecords : public testing::TestWithParam<Fault> {};

TEST_P(SpoiltRecords, GiveGraphsWithNearlyEveryDependencyAndNoFalseOne) {
  SpoiltScore score;
  for (const std::string& program : a_tenth_of_the_programs()) {
    add_program(program, GetParam(), score);
    if (GetParam().limits->most_what_if == 0) continue;
    EXPECT_LE(score.worst_what_if, GetParam().limits->most_what_if)
        << score.worst_program << " " << score.worst_change;
  }
  EXPECT_GE(score.least_recall(), GetParam().limits->least_recall)
      << fmt::format("{}", fmt::join(score.missing, "\n"));
  EXPECT_EQ(score.edges.good, score.edges.total)
      << fmt::format("{}", fmt::join(score.false_edges, "\n"));
}

std::vector<Fault> faults_with_limits() {
  std::vector<Fault> faults = all_faults();
  std::erase_if(faults, [](const Fault& fault) { return !fault.limits; });
  return faults;
}

std::string fault_name(const testing::TestParamInfo<Fault>& fault) {
  std::string name = fault.param.name;
  for (char& c : name) {
    if (c == '+') c = 'p';
    if (c == '-') c = 'm';
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Faults, SpoiltRecords, testing::ValuesIn(faults_with_limits()),
                         fault_name);

}  // namespace
}  // namespace nadi
