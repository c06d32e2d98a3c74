// Records spoilt by clocks and rounding still give graphs that hold the truth: a tenth of what
// tests/vm/truth_table looks at.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/invariants/spoilt_score.h"

namespace nadi {
namespace {

constexpr double kMostSpoiltError = 2.5, kMostSpoiltErrorOfMicros = 4;  // %

std::vector<std::string> a_tenth_of_the_programs() {
  return {"host_syncs", "pipeline", "random:302"};
}

class SpoiltRecords : public testing::TestWithParam<Fault> {};

TEST_P(SpoiltRecords, GiveGraphsWithEveryDependencyAndNoFalseOne) {
  SpoiltScore score;
  for (const std::string& program : a_tenth_of_the_programs())
    add_program(program, GetParam(), score);
  EXPECT_EQ(score.least_recall(), 1) << fmt::format("{}", fmt::join(score.missing, "\n"));
  EXPECT_EQ(score.edges.good, score.edges.total)
      << fmt::format("{}", fmt::join(score.false_edges, "\n"));
  if (GetParam().spoil.loss.share > 0) return;  // what is lost takes no time in a replay
  EXPECT_LE(score.worst_what_if,
            GetParam().write.has_whole_micros ? kMostSpoiltErrorOfMicros : kMostSpoiltError)
      << score.worst_program << " " << score.worst_change;
}

std::vector<Fault> faults_with_limits() {
  std::vector<Fault> faults = all_faults();
  std::erase_if(faults, [](const Fault& fault) { return fault.spoil.damaged_rows > 0; });
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
