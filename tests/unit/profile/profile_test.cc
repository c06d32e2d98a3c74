// What a profile says of small graphs, counted by hand.
#include "nadi/converters/profile/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/sim_bridge/replay/measured.h"
#include "tests/unit/replay/graph_builder.h"

namespace nadi {
namespace {

constexpr Ns kMicro = kNsPerMicro;

Graph finished(GraphBuilder& builder) {
  Graph graph = builder.take();
  graph.parent.assign(graph.size(), kNoIndex);
  return graph;
}

Profile profile_of(std::vector<Graph> graphs) {
  Diagnostics diagnostics;
  return profile_graphs(std::move(graphs), diagnostics);
}
Profile profile_of(GraphBuilder& builder) {
  std::vector<Graph> graphs;
  graphs.push_back(finished(builder));
  return profile_of(std::move(graphs));
}

/// Nothing where there is none.
std::string idle_at(const Profile& profile, IdleCause cause) {
  for (const IdleShare& idle : profile.idle)
    if (idle.cause == cause) return idle.what;
  return {};
}

Ns idle_us(const StepTimes& times, IdleCause cause) {
  return times.idle_ns[static_cast<std::size_t>(cause)] / kMicro;
}

TEST(Profile, CountsEachMomentOfADeviceOnceAndTellsWhatIsHidden) {
  GraphBuilder builder;
  builder.row(7, 0, 100 * kMicro, {}, "gemm");
  builder.collective("0", 60 * kMicro, 100 * kMicro);
  builder.row(8, 90 * kMicro, 90 * kMicro, {}, "Memcpy HtoD (Pinned -> Device)");
  builder.row(7, 185 * kMicro, 15 * kMicro, {}, "gemm");
  const Profile profile = profile_of(builder);
  const StepTimes& device = profile.devices.at(0);
  EXPECT_EQ(device.length_ns, 200 * kMicro);
  EXPECT_EQ(device.computation_ns, 115 * kMicro);
  EXPECT_EQ(device.communication_ns, 100 * kMicro);
  EXPECT_EQ(device.exposed_communication_ns, 60 * kMicro);
  EXPECT_EQ(device.copies_ns, 90 * kMicro);
  EXPECT_EQ(device.exposed_copies_ns, 20 * kMicro);
  EXPECT_EQ(device.sum_of_idle_ns(), 5 * kMicro);
}

TEST(Profile, AStepOfADeviceLastsUntilTheFirstRowOfTheNext) {
  GraphBuilder builder;
  for (const Ns start : {0, 40, 100, 170}) builder.row(7, start * kMicro, 30 * kMicro);
  Graph graph = finished(builder);
  graph.step = {3, 3, 4, 4};
  std::vector<Graph> graphs;
  graphs.push_back(std::move(graph));
  const Profile profile = profile_of(std::move(graphs));
  ASSERT_EQ(profile.steps.size(), 2U);
  EXPECT_EQ(profile.steps[0].step, 3);
  EXPECT_EQ(profile.steps[0].length_ns, 100 * kMicro);
  EXPECT_EQ(profile.steps[0].computation_ns, 60 * kMicro);
  EXPECT_EQ(profile.steps[1].step, 4);
  EXPECT_EQ(profile.steps[1].length_ns, 100 * kMicro);
}

TEST(Profile, AStepBeforeOneThatIsNotRecordedEndsWithItsOwnRows) {
  GraphBuilder builder;
  for (const Ns start : {0, 40, 100, 170}) builder.row(7, start * kMicro, 30 * kMicro);
  Graph graph = finished(builder);
  graph.step = {3, 3, 5, 5};
  std::vector<Graph> graphs;
  graphs.push_back(std::move(graph));
  const Profile profile = profile_of(std::move(graphs));
  ASSERT_EQ(profile.steps.size(), 2U);
  EXPECT_EQ(profile.steps[0].length_ns, 70 * kMicro);
  EXPECT_EQ(profile.steps[1].step, 5);
  EXPECT_EQ(profile.steps[1].length_ns, 100 * kMicro);
  EXPECT_EQ(profile.devices.at(0).length_ns, 200 * kMicro);
}

TEST(Profile, OfChosenStepsADeviceIsBusyWithOthersToo) {
  GraphBuilder builder;
  const auto launch = builder.host(1, 0, 5 * kMicro);  // of all: the device runs behind
  builder.row(7, 10 * kMicro, 80 * kMicro, {launch}, "gemm");
  builder.row(8, 20 * kMicro, 10 * kMicro, {launch}, "Memcpy HtoD (Pinned -> Device)");  // ahead
  builder.row(7, 100 * kMicro, 50 * kMicro, {launch}, "gemm");
  builder.row(8, 120 * kMicro, 60 * kMicro, {launch}, "beside");  // of the step behind
  builder.row(7, 200 * kMicro, 50 * kMicro, {launch}, "gemm");
  Graph graph = finished(builder);
  graph.step = {3, 3, 4, 4, 5, 5};
  std::vector<Graph> graphs;
  graphs.push_back(std::move(graph));
  Diagnostics diagnostics;
  const ReplayJob job = make_replay_job(graphs, diagnostics);
  const Profile profile = profile_job(job, measured_times(job), diagnostics, StepRange{4, 4});
  ASSERT_EQ(profile.steps.size(), 1U);
  ASSERT_EQ(profile.devices.size(), 1U);
  EXPECT_EQ(profile.devices[0].begin_ns, 100 * kMicro);
  EXPECT_EQ(profile.devices[0].length_ns, 50 * kMicro);
  EXPECT_EQ(profile.devices[0].computation_ns, 50 * kMicro);
  EXPECT_EQ(profile.steps[0].length_ns, 50 * kMicro);
  EXPECT_EQ(profile.spots.device_ns, 60 * kMicro);
  EXPECT_EQ(profile.ranks.at(0).device_rows, 2U);
  const Profile both = profile_job(job, measured_times(job), diagnostics, StepRange{4, 5});
  EXPECT_EQ(both.devices.at(0).length_ns, 150 * kMicro);
  EXPECT_EQ(both.devices.at(0).computation_ns, 130 * kMicro);
  EXPECT_EQ(both.devices.at(0).sum_of_idle_ns(), 20 * kMicro);
  EXPECT_THROW(profile_job(job, measured_times(job), diagnostics, StepRange{6, 9}), Error);
}

TEST(Profile, OfIdleTimeTheHostIsTheCauseWhereItLaunchesTooLate) {
  GraphBuilder builder;
  builder.row(7, 0, 10 * kMicro);
  const auto slow = builder.host(1, 0, 80 * kMicro, {}, "aten::slow");
  const auto launching = builder.host(1, 80 * kMicro, 10 * kMicro, {slow}, "aten::launches");
  builder.row(7, 100 * kMicro, 10 * kMicro, {launching});
  const Profile profile = profile_of(builder);
  const StepTimes& device = profile.devices.at(0);
  EXPECT_EQ(idle_us(device, IdleCause::kHost), 80);
  EXPECT_EQ(idle_us(device, IdleCause::kLatency), 10);
  EXPECT_EQ(idle_at(profile, IdleCause::kHost), "aten::slow");
}

TEST(Profile, IdleTimeOfTheHostStandsByWhatTheHostWasIn) {
  GraphBuilder builder;
  builder.row(7, 0, 10 * kMicro);
  const auto around = builder.host(1, 0, 5 * kMicro, {}, "## forward ##");
  const auto inside = builder.host(1, 30 * kMicro, 20 * kMicro, {around}, "aten::inside");
  const auto last = builder.host(1, 70 * kMicro, 30 * kMicro, {inside}, "aten::launches");
  builder.row(7, 110 * kMicro, 10 * kMicro, {last});
  Graph graph = finished(builder);
  graph.parent[inside] = around;
  std::vector<Graph> graphs;
  graphs.push_back(std::move(graph));
  std::map<std::string, Ns> by_place;
  for (const IdleShare& idle : profile_of(std::move(graphs)).idle)
    if (idle.cause == IdleCause::kHost) by_place[idle.what] += idle.ns / kMicro;
  const std::map<std::string, Ns> expected{
      {"## forward ##", 20},
      {"aten::inside", 20},
      {"outside of all ops (Python, or a wait of the host)", 20},
      {"aten::launches", 30}};
  EXPECT_EQ(by_place, expected);
}

TEST(Profile, OfIdleTimeASynchronisationIsTheCauseForAsLongAsItBlockedTheHost) {
  GraphBuilder builder;
  const auto before = builder.host(1, 0, 32 * kMicro);
  const auto first = builder.row(7, 0, 50 * kMicro);
  const auto waits =
      builder.host(1, 50 * kMicro, 2 * kMicro, {before, first}, "cudaStreamSynchronize");
  const auto launching = builder.host(1, 52 * kMicro, 30 * kMicro, {waits}, "aten::launches");
  builder.row(7, 90 * kMicro, 10 * kMicro, {launching, first});
  const Profile profile = profile_of(builder);
  EXPECT_EQ(idle_us(profile.devices.at(0), IdleCause::kSynchronisation), 18);  // from 32 to 50 us
  EXPECT_EQ(idle_us(profile.devices.at(0), IdleCause::kHost), 14);
  EXPECT_EQ(idle_at(profile, IdleCause::kHost), "aten::launches");
  EXPECT_EQ(idle_at(profile, IdleCause::kSynchronisation), "cudaStreamSynchronize");
}

TEST(Profile, IdleTimeThatNothingExplainsIsSaidToBeUnexplained) {
  GraphBuilder builder;
  const auto first = builder.row(7, 0, 50 * kMicro);
  builder.row(7, 150 * kMicro, 10 * kMicro, {first}, "late");
  const Profile profile = profile_of(builder);
  EXPECT_EQ(idle_us(profile.devices.at(0), IdleCause::kLatency), 20);
  EXPECT_EQ(idle_us(profile.devices.at(0), IdleCause::kUnexplained), 80);
  EXPECT_EQ(idle_at(profile, IdleCause::kUnexplained), "late");
}

/// Two ranks: an all-reduce for which the second comes 30 us late, and takes 20 us then.
std::vector<Graph> late_ranks() {
  std::vector<Graph> graphs;
  for (const std::int64_t rank : {0, 1}) {
    GraphBuilder builder(rank);
    builder.with_world(2, R"({"0": {"desc": "dp", "ranks": [0, 1], "size": 2}})");
    const Ns late = rank * 30 * kMicro;
    const auto op = builder.host(1, late, 10 * kMicro);
    builder.collective("0", late + 10 * kMicro, 50 * kMicro - late, {op});
    graphs.push_back(finished(builder));
    graphs.back().communications.at(0).bytes = 40'000;
  }
  return graphs;
}

TEST(Profile, ACollectiveTellsWhoCameLastAndHowFastItsBytesWentThen) {
  const Profile profile = profile_of(late_ranks());
  ASSERT_EQ(profile.collectives.size(), 1U);
  const CollectiveTimes& collective = profile.collectives[0];
  EXPECT_EQ(collective.kind, "ALL_REDUCE");
  EXPECT_EQ(collective.size, 2);
  EXPECT_EQ(collective.last_rank, 1);
  EXPECT_EQ(collective.members.at(0).waiting_ns, 30 * kMicro);
  EXPECT_EQ(collective.members.at(1).waiting_ns, 0);
  EXPECT_EQ(collective.transfer_ns(), 20 * kMicro);
  EXPECT_DOUBLE_EQ(collective.algorithm_gb_per_s(), 2);
  EXPECT_DOUBLE_EQ(collective.bus_gb_per_s(), 2);  // 2 (n - 1) / n of two ranks
  EXPECT_EQ(profile.devices.at(0).exposed_waiting_ns, 30 * kMicro);
  ASSERT_EQ(profile.waiting.size(), 2U);
  EXPECT_EQ(profile.waiting[1].was_last, 1U);
  EXPECT_EQ(profile.waiting[1].made_others_wait_ns, 30 * kMicro);
  EXPECT_EQ(profile.waiting[0].waited_ns, 30 * kMicro);
}

TEST(Profile, OfAnAllGatherTheBytesOfAllRanksMove) {
  std::vector<Graph> graphs = late_ranks();
  for (Graph& graph : graphs) graph.communications.at(0).type = ChakraProtoMsg::ALL_GATHER;
  const Profile profile = profile_of(std::move(graphs));
  EXPECT_DOUBLE_EQ(profile.collectives.at(0).algorithm_gb_per_s(), 4);
  EXPECT_DOUBLE_EQ(profile.collectives.at(0).bus_gb_per_s(), 2);
}

TEST(Profile, TheCriticalPathNamesTheRankThatBeganLaterAndTakesAllOfTheTime) {
  const Profile profile = profile_of(late_ranks());
  EXPECT_EQ(profile.path_ns(), 60 * kMicro);
  bool is_named = false;
  for (const PathShare& part : profile.path) {
    is_named |= part.kind == PathKind::kGap && part.name == "rank 1 had not begun" &&
                part.ns == 30 * kMicro;
  }
  EXPECT_TRUE(is_named);
}

TEST(Profile, TheCriticalPathIsSummedByTheStepsOfItsNodes) {
  GraphBuilder builder;
  builder.row(7, 0, 30 * kMicro, {}, "gemm");
  builder.row(7, 30 * kMicro, 20 * kMicro, {0}, "add");
  builder.row(7, 60 * kMicro, 40 * kMicro, {1}, "gemm");
  Graph graph = finished(builder);
  graph.step = {-1, 3, 4};
  std::vector<Graph> graphs;
  graphs.push_back(std::move(graph));
  const Profile profile = profile_of(std::move(graphs));
  ASSERT_EQ(profile.path_steps.size(), 3U);
  EXPECT_FALSE(profile.path_steps[0].step);
  EXPECT_EQ(profile.path_steps[0].length_ns(), 30 * kMicro);
  EXPECT_EQ(profile.path_steps[1].step, 3);
  EXPECT_EQ(profile.path_steps[1].longest.name, "add");
  const StepPath& last = profile.path_steps[2];
  EXPECT_EQ(last.ns[static_cast<std::size_t>(PathKind::kKernel)], 40 * kMicro);
  EXPECT_EQ(last.length_ns(), 50 * kMicro);
  EXPECT_EQ(profile.path_ns(), 100 * kMicro);
}

/// Of a thread that waits from 10 to 90 us in a step, in which the backward pass lasts so long.
std::string place_of_delay(Ns backward_ns) {
  GraphBuilder builder;
  const auto step = builder.host(1, 0, 0, {}, "ProfilerStep#3");
  const auto forward = builder.host(1, 0, 10 * kMicro, {step}, "aten::mm");
  const auto backward = builder.host(1, 10 * kMicro, 0, {forward}, "## backward ##");
  const auto delay = builder.delay(1, 10 * kMicro, 80 * kMicro, {backward});
  builder.host(1, 90 * kMicro, 10 * kMicro, {delay}, "aten::step");
  Graph graph = finished(builder);
  graph.parent = {kNoIndex, step, step, kNoIndex, step};
  graph.inclusive_ns = {100 * kMicro, 10 * kMicro, backward_ns, 0, 10 * kMicro};
  std::vector<Graph> graphs;
  graphs.push_back(std::move(graph));
  for (const PathShare& part : profile_of(std::move(graphs)).path)
    if (part.kind == PathKind::kDelay) return part.name;
  return {};
}

TEST(Profile, ADelayOfAThreadHasTheNameOfWhatLastsForMostOfIt) {
  EXPECT_EQ(place_of_delay(80 * kMicro), "thread 1 in ## backward ##");
  EXPECT_EQ(place_of_delay(79 * kMicro), "thread 1 in ## backward ##");
  EXPECT_EQ(place_of_delay(40 * kMicro), "thread 1 in ProfilerStep");
  EXPECT_EQ(place_of_delay(0), "thread 1 in ProfilerStep");
}

TEST(Profile, AWaitUnderAnotherKernelOfTheDeviceHasItsName) {
  GraphBuilder builder;
  const auto first = builder.host(1, 0, 10 * kMicro);
  builder.row(7, 10 * kMicro, 2000 * kMicro, {first}, "long");
  const auto second = builder.host(1, 10 * kMicro, 10 * kMicro, {first});
  builder.row(8, 1500 * kMicro, 1000 * kMicro, {second}, "late");
  const Profile profile = profile_of(builder);
  ASSERT_FALSE(profile.path.empty());
  EXPECT_EQ(profile.path.front().name, "while long runs");
  EXPECT_EQ(profile.path.front().kind, PathKind::kKernel);
  EXPECT_EQ(profile.path.front().ns, 1480 * kMicro);
}

TEST(Profile, SaysThatADeviceRunsBehindItsHostAndNotThatItsRowsBeginLate) {
  GraphBuilder builder;
  const auto launch = builder.host(1, 0, 10 * kMicro);
  for (Ns i = 0; i < 4; ++i)
    builder.row(7, (500 + 100 * i) * kMicro, 100 * kMicro, {launch}, "gemm");
  Graph graph = finished(builder);
  graph.step = {3, 3, 3, 3, 3};
  Diagnostics diagnostics;
  std::vector<Graph> graphs;
  graphs.push_back(std::move(graph));
  const Profile profile = profile_graphs(std::move(graphs), diagnostics);
  const auto count = [&](const char* text) {
    return std::count_if(profile.findings.begin(), profile.findings.end(),
                         [&](const ProfileFinding& finding) {
                           return finding.what.find(text) != std::string::npos;
                         });
  };
  EXPECT_EQ(count("behind the host"), 1);
  EXPECT_EQ(count("begin late"), 0);
}

/// The finding whose text holds this; none stands without a text.
ProfileFinding finding_of(const Profile& profile, const char* text) {
  for (const ProfileFinding& finding : profile.findings)
    if (finding.what.find(text) != std::string::npos) return finding;
  return {};
}

TEST(Profile, JudgesRowsWithoutLaunchByTheirTimeAndAdvisesWhereProfilersRecordLaunches) {
  for (const std::int64_t correlation : {5, -1}) {
    GraphBuilder builder;
    const auto launch = builder.host(1, 0, 10 * kMicro);
    builder.row(7, 10 * kMicro, 25 * kMicro, {launch}, "gemm", correlation);
    builder.row(8, 10 * kMicro, 75 * kMicro, {}, "stray", correlation);
    const ProfileFinding finding = finding_of(profile_of(builder), "launch");
    EXPECT_DOUBLE_EQ(finding.share, 0.75);
    EXPECT_NE(finding.place.find("node 3, stray"), std::string::npos) << finding.place;
    EXPECT_EQ(finding.remedy.find("no setting is known") != std::string::npos, correlation < 0)
        << finding.remedy;
  }
}

TEST(Profile, KernelsThatOpsOfOtherShapesLaunchAreNoSiblings) {
  for (const bool is_sibling : {true, false}) {
    GraphBuilder builder;
    std::vector<std::uint32_t> ops, rows;
    for (Ns i = 0; i < 10; ++i) {
      ops.push_back(builder.host(1, i * 10 * kMicro, 10 * kMicro));
      rows.push_back(
          builder.row(7, (i + 1) * 100 * kMicro, (i == 6 ? 90 : 5) * kMicro, {ops.back()}, "gemm"));
    }
    Graph graph = finished(builder);
    for (std::vector<StringId>* texts :
         {&graph.input_shapes, &graph.input_types, &graph.output_shapes, &graph.output_types,
          &graph.input_values})
      texts->assign(graph.size(), graph.strings.intern("[[8, 8]]"));
    for (std::size_t i = 0; i < rows.size(); ++i) graph.parent[rows[i]] = ops[i];
    if (!is_sibling) graph.input_shapes[ops[6]] = graph.strings.intern("[[8000, 8]]");
    std::vector<Graph> graphs;
    graphs.push_back(std::move(graph));
    const ProfileFinding finding = finding_of(profile_of(std::move(graphs)), "siblings");
    EXPECT_EQ(!finding.what.empty(), is_sibling) << finding.what;
  }
}

TEST(Profile, FindsAKernelTenTimesAsLongAsItsSiblings) {
  GraphBuilder builder;
  for (Ns i = 0; i < 10; ++i)
    builder.row(7, i * 100 * kMicro, (i == 6 ? 90 : 5) * kMicro, {}, "gemm");
  const Profile profile = profile_of(builder);
  const auto names_it = [](const ProfileFinding& finding) {
    return finding.what.find("siblings") != std::string::npos &&
           finding.place.find("node 7") != std::string::npos;
  };
  EXPECT_EQ(std::count_if(profile.findings.begin(), profile.findings.end(), names_it), 1);
}

TEST(Profile, OfGraphsWithoutStartsIsRefused) {
  GraphBuilder builder;
  builder.row(7, 0, 10);
  builder.without_starts();
  EXPECT_THROW(profile_of(builder), Error);
}

}  // namespace
}  // namespace nadi
