// Dependencies that the profiler recorded inside launches of CUDA graphs become those of the graph:
// all of them, and no other.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "tests/invariants/graph_rules.h"
#include "tests/invariants/graph_score.h"
#include "tests/invariants/vm_conversion.h"
#include "tests/vm/programs.h"
#include "tests/vm/spoil.h"

namespace nadi {
namespace {

constexpr double kMostWhatIfError = 2.5;  // %

vm::WriteOptions in_form(vm::DeviceForm form) {
  vm::WriteOptions write;
  write.form = form;
  return write;
}
vm::WriteOptions cuspy() { return in_form(vm::DeviceForm::kCuspy); }

/// All but the one whose arrows cannot be told apart.
std::vector<std::string> named_programs() {
  std::vector<std::string> names = vm::graph_program_names();
  std::erase(names, "graph_ambiguous_arrows");
  return names;
}

std::vector<std::string> all_programs() {
  std::vector<std::string> names = named_programs();
  for (int seed = 1; seed <= 100; ++seed) names.push_back("graphs:" + std::to_string(seed));
  return names;
}

/// A graph from before the profiler, or one with a child graph, of which some order is inferred.
bool has_unknown_order(const vm::Program& program) {
  const std::vector<vm::Call>& calls = program.ranks[0].calls;
  return std::any_of(calls.begin(), calls.end(),
                     [](const vm::Call& call) { return !call.has_known_edges; });
}

std::size_t false_count(const vm::Comparison& result, const std::string& evidence) {
  const auto found = result.edges.find(evidence);
  return found == result.edges.end() ? 0 : found->second.total - found->second.good;
}

using Case = std::tuple<std::string, vm::DeviceForm>;  // program

std::string test_name(const testing::TestParamInfo<Case>& info) {
  const auto& [program, form] = info.param;
  std::string name = program + (form == vm::DeviceForm::kCuspy ? "_json" : "_pftrace");
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}

auto in_both_forms(const std::vector<std::string>& programs) {
  return testing::Combine(testing::ValuesIn(programs),
                          testing::Values(vm::DeviceForm::kCuspy, vm::DeviceForm::kPftrace));
}

class RecordedGraphs : public testing::TestWithParam<Case> {};

TEST_P(RecordedGraphs, EveryTrueDependencyIsImpliedAndNoOther) {
  const auto& [name, form] = GetParam();
  const vm::Program program = vm::make_program(name);
  const vm::Comparison result = compare_graphs(program, in_form(form));
  EXPECT_TRUE(result.missing.empty()) << result.text();
  EXPECT_TRUE(result.unmatched_truth.empty() && result.unmatched_converted.empty())
      << result.text();
  // A Perfetto trace has rows that were cut (P15).
  if (form == vm::DeviceForm::kCuspy) {
    EXPECT_TRUE(result.time_mismatches.empty()) << result.text();
  }
  EXPECT_EQ(false_count(result, "graph dependency"), 0U) << result.text();
  if (has_unknown_order(program)) {
    // Rows that were cut seem to have followed each other.
    const std::size_t seeming =
        form == vm::DeviceForm::kPftrace ? false_count(result, "graph order") : 0;
    EXPECT_EQ(result.false_edges.size(), false_count(result, "graph order (inferred)") + seeming)
        << result.text();
  } else {
    EXPECT_TRUE(result.false_edges.empty() && result.false_pairs == 0) << result.text();
    EXPECT_FALSE(result.edges.contains("graph order"));
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, RecordedGraphs, in_both_forms(all_programs()), test_name);

TEST_P(RecordedGraphs, KeepTheRulesAndReplayWithAllDelaysAtTheirMeasuredTimes) {
  const auto& [name, form] = GetParam();
  const vm::Program program = vm::make_program(name);
  GraphOptions options;
  options.delays = Delays::kAll;
  const Conversion c = convert_program(program, vm::execute(program), 0, in_form(form), options);
  EXPECT_EQ(first_broken_rule(c.linked, c.graph), "");
  const ReplayError error = replay_error(c.graph);
  EXPECT_EQ(error.most_early_ns, 0);
  EXPECT_EQ(error.most_early_delay_ns, 0);
  EXPECT_EQ(error.most_late_ns, 0) << error.worst;
}

/// Times and directions of the JSON, dependencies of the Perfetto trace: no arrow is ambiguous.
TEST(BothForms, TogetherAreExactWhereverAllOrderIsRecorded) {
  std::vector<std::string> names = all_programs();
  names.emplace_back("graph_ambiguous_arrows");
  for (const std::string& name : names) {
    const vm::Program program = vm::make_program(name);
    if (has_unknown_order(program)) continue;
    const vm::Comparison result = compare_both_forms(program);
    EXPECT_TRUE(result.is_exact()) << name << "\n" << result.text();
  }
}

class RecordedGraphsWhatIf : public testing::TestWithParam<Case> {};

TEST_P(RecordedGraphsWhatIf, AgreesWithTheTrueReExecution) {
  const auto& [name, form] = GetParam();
  const bool has_rows_side_by_side = name == "graph_side_by_side" || name == "graph_programmatic";
  if (form == vm::DeviceForm::kPftrace && has_rows_side_by_side)
    GTEST_SKIP() << "a Perfetto trace has lost the durations of rows side by side";
  const WorstWhatIf worst = worst_what_if(vm::make_program(name), in_form(form));
  std::cout << name << ": " << worst.error << " % (" << worst.change << ")\n";
  EXPECT_LE(worst.error, kMostWhatIfError) << worst.change;
}

INSTANTIATE_TEST_SUITE_P(Programs, RecordedGraphsWhatIf, in_both_forms(named_programs()),
                         test_name);

/// Random programs have latencies that never counted, and streams that no trace tells.
TEST(RecordedGraphsOfRandomPrograms, AgreeNearlyWithTheTrueReExecution) {
  constexpr double kMostErrorRandom = 10;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const vm::Program program = vm::graphs(seed);
    if (has_unknown_order(program)) continue;
    const WorstWhatIf worst = worst_what_if(program, cuspy());
    EXPECT_LE(worst.error, kMostErrorRandom) << seed << ", " << worst.change;
  }
}

TEST(RecordedGraphLosses, N23_ArrowsThatFitTwoPairsInEveryReplayAreCountedAndNoneIsGuessed) {
  const vm::Program program = vm::graph_ambiguous_arrows();
  const Conversion conversion = convert_program(program, vm::execute(program), 0, cuspy());
  EXPECT_EQ(conversion.diagnostics.count(Finding::kGraphDependencyAmbiguous), 13U);
  const vm::Comparison result = compare_graphs(program, cuspy());
  EXPECT_EQ(result.required.at("graph order").total, 91U);
  EXPECT_EQ(false_count(result, "graph dependency"), 0U) << result.text();
  EXPECT_EQ(result.false_edges.size(), false_count(result, "graph order (inferred)"))
      << result.text();
}

TEST(RecordedGraphLosses, N43_HostNodesWithoutCorrelationAreJoinedToNothing) {
  vm::WriteOptions write = cuspy();
  write.has_host_correlations = false;
  const vm::Comparison result = compare_graphs(vm::graph_host_node(), write);
  EXPECT_GT(result.unmatched_converted.size(), 0U);
  EXPECT_EQ(false_count(result, "graph dependency"), 0U) << result.text();
}

TEST(RecordedGraphLosses, N62_ALostRowCostsNoDependencyOfOtherRows) {
  for (const std::string& name : all_programs()) {
    const vm::Program program = vm::make_program(name);
    if (has_unknown_order(program)) continue;
    const vm::Execution run = vm::execute(program);
    vm::Spoil how;
    how.loss = {0.05, "cudaGraphLaunch"};
    const vm::Execution recorded = vm::spoil(program, run, how),
                        shown = vm::lose_records(program, run, how);
    for (const vm::DeviceForm form : {vm::DeviceForm::kCuspy, vm::DeviceForm::kPftrace}) {
      const vm::Comparison result = compare_graphs(program, recorded, shown, in_form(form));
      EXPECT_GT(result.unmatched_truth.size(), 0U) << name;
      const vm::Tally graph_order = result.required.at("graph order");
      EXPECT_EQ(graph_order.good, graph_order.total) << name << "\n" << result.text();
      EXPECT_EQ(false_count(result, "graph dependency"), 0U) << name << "\n" << result.text();
    }
  }
}

TEST(RecordedGraphLosses, N4_WithoutRecordedEdgesNoOrderIsCalledRecorded) {
  vm::WriteOptions write = cuspy();
  write.has_graph_edges = false;
  for (const std::string& name : all_programs())
    EXPECT_FALSE(compare_graphs(vm::make_program(name), write).edges.contains("graph dependency"))
        << name;
}

/// All that is not said to be inferred.
std::size_t false_certain_count(const vm::Comparison& result) {
  std::size_t count = 0;
  for (const auto& [evidence, tally] : result.edges)
    if (evidence.find("(inferred)") == evidence.npos) count += tally.total - tally.good;
  return count;
}

class NewProfilerForms : public testing::TestWithParam<Case> {};

TEST_P(NewProfilerForms, HoldEveryDependencyThatKinetosFormHolds) {
  const auto& [name, form] = GetParam();
  const vm::Program program = vm::make_program(name);
  for (int rank = 0; rank < static_cast<int>(program.ranks.size()); ++rank) {
    const vm::Comparison result = compare_graphs(program, in_form(form), rank);
    // Its event is recorded on a stream that runs nothing: no row tells which.
    if (name != "transitive_wait") {
      EXPECT_TRUE(result.missing.empty()) << result.text();
    }
    EXPECT_EQ(false_certain_count(result), 0U) << result.text();
    if (form == vm::DeviceForm::kPftrace) continue;  // does not tell which copies block (P17)
    EXPECT_TRUE(result.unmatched_truth.empty() && result.unmatched_converted.empty())
        << result.text();
    EXPECT_TRUE(result.time_mismatches.empty()) << result.text();
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, NewProfilerForms, in_both_forms(vm::program_names()), test_name);

TEST(NewProfilerLosses, N19_CallsOnWrongThreadsAreMovedWhereTheOpsTellTheirThread) {
  vm::WriteOptions write = cuspy();
  write.has_wrong_threads = true;
  const vm::Comparison result = compare_graphs(vm::forward_backward(), write);
  // A call that lies inside an op of the wrong thread as well stays there.
  EXPECT_LE(result.missing.size(), 1U) << result.text();
  EXPECT_EQ(false_certain_count(result), 0U) << result.text();
}

}  // namespace
}  // namespace nadi
