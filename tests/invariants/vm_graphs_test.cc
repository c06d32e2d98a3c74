// Graphs of the virtual machine's programs keep the rules, whatever the delays and the parts.
#include <gtest/gtest.h>

#include "nadi/chakra/chakra_check.h"
#include "nadi/emit/chakra_writer.h"
#include "tests/invariants/graph_rules.h"
#include "tests/invariants/vm_conversion.h"
#include "tests/vm/programs.h"

namespace nadi {
namespace {

std::vector<std::string> all_programs() {
  std::vector<std::string> names = vm::program_names();
  for (int seed = 100; seed < 140; ++seed) names.push_back("random:" + std::to_string(seed));
  return names;
}

/// Calls visit for the conversion of every rank of every program.
template <class Visit>
void convert_all(const GraphOptions& options, Visit visit) {
  for (const std::string& name : all_programs()) {
    const vm::Program program = vm::make_program(name);
    const vm::Execution run = vm::execute(program);
    for (int rank = 0; rank < static_cast<int>(program.ranks.size()); ++rank) {
      SCOPED_TRACE(name + " rank " + std::to_string(rank));
      visit(convert_program(program, run, rank, {}, options));
    }
  }
}

GraphOptions with(Delays delays, Ns min_part = 0, bool joins_all = false) {
  GraphOptions options;
  options.delays = delays;
  options.min_part_ns = min_part;
  options.join_all_parts = joins_all;
  return options;
}

TEST(VmGraphs, KeepTheRules) {
  for (Delays delays : {Delays::kNone, Delays::kHost, Delays::kAll})
    convert_all(with(delays),
                [](const Conversion& c) { EXPECT_EQ(first_broken_rule(c.linked, c.graph), ""); });
  convert_all(with(Delays::kHost, 2000), [](const Conversion& c) {
    EXPECT_EQ(first_broken_rule(c.linked, c.graph, false), "");
  });
  convert_all(with(Delays::kHost, 0, true), [](const Conversion& c) {
    EXPECT_EQ(first_broken_rule(c.linked, c.graph, false), "");
  });
}

TEST(VmGraphs, ReplayWithAllDelaysAtTheirMeasuredTimes) {
  convert_all(with(Delays::kAll), [](const Conversion& c) {
    const ReplayError error = replay_error(c.graph);
    EXPECT_EQ(error.most_early_ns, 0);
    EXPECT_EQ(error.most_early_delay_ns, 0);
    EXPECT_EQ(error.most_late_ns, 0) << error.worst;
  });
}

TEST(VmGraphs, ReplayIsLateByAtMostMinPart) {
  for (Ns min_part : {1000, 2000, 5000})
    convert_all(with(Delays::kAll, min_part), [&](const Conversion& c) {
      const ReplayError error = replay_error(c.graph);
      EXPECT_EQ(error.most_early_ns, 0);
      EXPECT_EQ(error.most_early_delay_ns, 0);
      EXPECT_LE(error.most_late_ns, min_part) << error.worst;
      EXPECT_LE(error.most_late_ns, c.graph.lateness_ns) << error.worst;
    });
}

TEST(VmGraphs, TellHowLateJoiningAllPartsMakesThem) {
  convert_all(with(Delays::kAll, 0, true), [](const Conversion& c) {
    // Some start early, too: work after a wait inside the op stands before the wait.
    const ReplayError error = replay_error(c.graph);
    EXPECT_LE(error.most_late_ns, c.graph.lateness_ns) << error.worst;
  });
}

TEST(VmGraphs, BecomeFilesInWhichTheCheckFindsNothing) {
  convert_all(with(Delays::kHost), [](const Conversion& c) {
    std::string bytes;
    Diagnostics diagnostics;
    write_chakra(
        c.linked, c.graph, {}, [&](std::string_view piece) { bytes += piece; }, diagnostics);
    for (const CheckFinding& finding : check_chakra(messages_of_bytes(bytes, "graph")).findings)
      ADD_FAILURE() << to_string(severity_of(finding.rule)) << " " << to_string(finding.rule);
    EXPECT_LT(worst_lane_sum(c.graph, bytes), 1000);
  });
}

}  // namespace
}  // namespace nadi
