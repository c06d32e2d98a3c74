// The truth the virtual machine tells: checked by hand on small programs, and by disturbing all.
#include "tests/vm/truth.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "tests/vm/builder.h"
#include "tests/vm/compare.h"
#include "tests/vm/programs.h"

namespace nadi::vm {
namespace {

int node_named(const Truth& truth, const std::string& name) {
  for (std::size_t i = 0; i < truth.nodes.size(); ++i)
    if (truth.nodes[i].name == name) return static_cast<int>(i);
  ADD_FAILURE() << "no node " << name;
  return 0;
}

bool is_before(const Truth& truth, const std::string& a, const std::string& b) {
  return truth.before[static_cast<std::size_t>(node_named(truth, b))].test(
      static_cast<std::size_t>(node_named(truth, a)));
}

TEST(Truth, AnOpIsCutAtChildrenLaunchesAndBlockingCalls) {
  ProgramBuilder builder("test");
  ThreadBuilder main = builder.thread(0, "main");
  main.op("outer", [&] {
    main.work(6_us);
    main.op("child", 3_us);
    main.op("next child", 2_us);  // nothing of outer lies between the two
    main.work(5_us);
    main.launch(7, "kernel", 20_us, {5_us, 8_us});  // 16: own time goes on with the call
    main.call("cudaStreamIsCapturing", 1_us);       // no cut
    main.work(2_us);
    main.stream_synchronize(7, 4_us);  // 24, blocked until 44
    main.work(7_us);
  });
  std::vector<std::string> lane;
  for (const TruthNode& node : truth_of(builder.program()).nodes) lane.push_back(describe(node));
  EXPECT_EQ(lane,
            (std::vector<std::string>{
                "op outer (rf 1) on thread 1 [0, 6000]", "op child (rf 2) on thread 1 [6000, 9000]",
                "op next child (rf 3) on thread 1 [9000, 11000]",
                "part 1 of outer (rf 1) on thread 1 [11000, 16000]",
                "part 2 of outer (rf 1) on thread 1 [16000, 24000]",
                "call cudaStreamSynchronize (correlation 103) on thread 1 [44000, 48000]",
                "part 3 of outer (rf 1) on thread 1 [48000, 55000]",
                "row 0 of correlation 101 (kernel) on stream 7 [24000, 44000]"}));
}

TEST(Truth, OutsideEveryCpuOpOnlyCallsAreWork) {
  ProgramBuilder builder("test");
  ThreadBuilder main = builder.thread(0, "main");
  main.annotation("step", [&] {
    main.work(10_us);
    main.record(7, 2_us);
    main.launch(7, "kernel", 20_us, {5_us, 8_us});
    main.work(30_us);
    main.blocking_copy(7, 4, 3_us, {1_us, 2_us});
  });
  const Truth truth = truth_of(builder.program());
  ASSERT_EQ(truth.nodes.size(), 6u);
  EXPECT_EQ(describe(truth.nodes[0]), "op step (rf 1) on thread 1 [0, 0]");
  EXPECT_EQ(describe(truth.nodes[1]),
            "call cudaEventRecord (correlation 101) on thread 1 [10000, 12000]");
  EXPECT_EQ(describe(truth.nodes[2]),
            "call cudaLaunchKernel (correlation 102) on thread 1 [12000, 17000]");
  EXPECT_EQ(describe(truth.nodes[3]),
            "call cudaMemcpyAsync (correlation 103) on thread 1 [52000, 53000]");
  EXPECT_FALSE(is_before(truth, "cudaLaunchKernel", "kernel"));  // the row may start before it ends
  EXPECT_TRUE(is_before(truth, "step", "kernel"));
}

/// An op that launches twice, waits for its stream, and goes on; then another op.
Program launches_and_waits() {
  ProgramBuilder builder("test");
  ThreadBuilder main = builder.thread(0, "main");
  main.op("before", 5_us);
  main.op("outer", [&] {
    main.work(6_us);
    main.launch(7, "first", 20_us, {5_us, 8_us});
    main.work(1_us);
    main.launch(7, "second", 20_us, {5_us, 8_us});
    main.work(2_us);
    main.stream_synchronize(7, 4_us);
    main.work(7_us);
  });
  main.op("after", 5_us);
  return builder.program();
}

std::vector<std::string> lane_of(const Truth& truth) {
  std::vector<std::string> lane;
  for (const TruthNode& node : truth.nodes)
    if (node.kind != TruthKind::kDeviceRow) lane.push_back(describe(node));
  return lane;
}

TEST(Truth, ALaunchThatIsNotRecordedCutsNothingAndFollowsWhatCameBeforeItsStretch) {
  const Program program = launches_and_waits();
  Execution run = execute(program);
  run.ranks[0].calls[0].is_recorded = false;
  const Truth truth = make_truth(program, run, 0);
  const std::vector<std::string> lane = lane_of(truth);
  ASSERT_EQ(lane.size(), 6U);
  EXPECT_EQ(lane[1], "op outer (rf 2) on thread 1 [5000, 17000]");
  EXPECT_TRUE(is_before(truth, "before", "first"));
  EXPECT_FALSE(is_before(truth, "outer", "first"));
  EXPECT_TRUE(is_before(truth, "outer", "second"));
}

TEST(Truth, AWaitThatNothingTellsHoldsUpWhatComesAfterItsStretchAndNotTheStretch) {
  const Program program = launches_and_waits();
  Execution run = execute(program);
  run.ranks[0].calls[2].is_recorded = run.ranks[0].calls[2].is_sync_recorded = false;
  const Truth truth = make_truth(program, run, 0);
  const std::vector<std::string> lane = lane_of(truth);
  ASSERT_EQ(lane.size(), 6U);
  EXPECT_EQ(lane[3], "part 2 of outer (rf 2) on thread 1 [17000, 70000]");
  EXPECT_FALSE(truth.before[3].test(static_cast<std::size_t>(node_named(truth, "second"))));
  EXPECT_TRUE(is_before(truth, "second", "after"));
}

TEST(Truth, AWaitOfWhichOnlyTheSyncRowIsRecordedIsANodeOfTheOpAroundIt) {
  const Program program = launches_and_waits();
  Execution run = execute(program);
  const std::vector<std::string> clean = lane_of(make_truth(program, run, 0));
  run.ranks[0].calls[2].is_recorded = false;
  EXPECT_EQ(lane_of(make_truth(program, run, 0)), clean);
}

TEST(Truth, AnOpThatIsNotRecordedIsNoNodeAndItsTimeIsIdle) {
  const Program program = launches_and_waits();
  Execution run = execute(program);
  run.ranks[0].ops[1].is_recorded = false;
  std::vector<std::string> names;
  for (const TruthNode& node : make_truth(program, run, 0).nodes) names.push_back(node.name);
  EXPECT_EQ(names, (std::vector<std::string>{"before", "cudaLaunchKernel", "cudaLaunchKernel",
                                             "cudaStreamSynchronize", "after", "first", "second"}));
}

TEST(Truth, AWaitPassedOnByAnIdleStreamOrdersSourceAndSink) {
  const Truth truth = truth_of(transitive_wait());
  EXPECT_TRUE(is_before(truth, "source", "sink"));
  EXPECT_TRUE(is_before(truth, "older_work_of_the_relay", "sink"));
  EXPECT_FALSE(truth.ordered(node_named(truth, "later_than_the_event"), node_named(truth, "sink")));
  EXPECT_FALSE(truth.ordered(node_named(truth, "source"), node_named(truth, "free")));
}

TEST(Truth, AJoinWaitsForEveryBranchAndBranchesAreUnordered) {
  const Truth truth = truth_of(join());
  for (const char* branch : {"branch_0", "branch_1", "branch_2"})
    EXPECT_TRUE(is_before(truth, branch, "joined"));
  EXPECT_FALSE(truth.ordered(node_named(truth, "branch_0"), node_named(truth, "branch_1")));
  EXPECT_FALSE(
      truth.ordered(node_named(truth, "branch_2"), node_named(truth, "after_second_record")));
}

TEST(Truth, InsideAGraphLaunchOnlyEdgesOfOneLaneAreShownAndIntervalsAreTolerated) {
  const Truth truth = truth_of(graph_launch());
  EXPECT_TRUE(is_before(truth, "lane_32_next", "both"));
  EXPECT_TRUE(is_before(truth, "before_the_graph", "lane_32"));
  for (const TruthEdge& edge : truth.edges) {
    const TruthNode &from = truth.nodes[static_cast<std::size_t>(edge.from)],
                    &to = truth.nodes[static_cast<std::size_t>(edge.to)];
    if (edge.kind == EdgeKind::kGraphOrder) {
      EXPECT_EQ(edge.shown, from.stream == to.stream);
    }
  }
  const int left = node_named(truth, "fork_left"), right = node_named(truth, "fork_right");
  EXPECT_FALSE(truth.ordered(left, right));
  EXPECT_FALSE(
      truth.tolerated[static_cast<std::size_t>(left)].test(static_cast<std::size_t>(right)));
}

TEST(Truth, ALaterRowOfALaneOfOneGraphLaunchIsToleratedBehindAnEarlierItDoesNotNeed) {
  ProgramBuilder builder("test");
  Row a, b, c;
  a.name = "a", b.name = "b", c.name = "c";
  a.duration = 5_us, b.duration = 20_us, c.duration = 5_us;
  c.after = {1};  // c starts after b; a had ended long before
  builder.thread(0, "main").graph(7, {a, b, c});
  const Truth truth = truth_of(builder.program());
  const auto node_a = static_cast<std::size_t>(node_named(truth, "a"));
  const auto node_c = static_cast<std::size_t>(node_named(truth, "c"));
  EXPECT_FALSE(truth.before[node_c].test(node_a));
  EXPECT_TRUE(truth.tolerated[node_c].test(node_a));
}

TEST(Truth, HandOffsOrderTheThreadsAndNothingOrdersALoader) {
  const Truth backward = truth_of(forward_backward());
  EXPECT_TRUE(is_before(backward, "aten::mul", "MulBackward0"));
  EXPECT_TRUE(is_before(backward, "MulBackward0", "aten::_foreach_add_"));
  const Truth loader = truth_of(data_loader());
  EXPECT_FALSE(
      loader.ordered(node_named(loader, "aten::conv2d"), node_named(loader, "aten::stack")));
  EXPECT_FALSE(loader.ordered(node_named(loader, "aten::loss"), node_named(loader, "aten::stack")));
}

TEST(Truth, AnOpOnlyTheHostTraceKnowsStandsAtTheNextOpWithoutTime) {
  const Truth truth = truth_of(ddp_step(2), 1);
  EXPECT_EQ(describe(truth.nodes[0]), "op ## process_group:init ## (rf 1) on thread 1 [0, 0]");
  EXPECT_EQ(truth.nodes[1].name, "ProfilerStep#3");
}

/// A thread that waits for a copy in a way of its own gives it to another.
Truth truth_of_queue(const std::function<void(ThreadBuilder&, int)>& wait) {
  ProgramBuilder builder("test");
  ThreadBuilder main = builder.thread(0, "main"), other = builder.thread(0, "other");
  main.op("before", 5_us);
  main.copy(7, "DtoH (Device -> Pinned)", 4, 60_us);
  const int copied = main.record(7);
  other.get(main.put());
  main.op("beside", 500_us);
  wait(other, copied);
  other.op("behind", 5_us);
  return truth_of(builder.program());
}

std::set<std::string> edges_of(const Truth& truth, EdgeKind kind) {
  std::set<std::string> edges;
  for (const TruthEdge& edge : truth.edges)
    if (edge.kind == kind)
      edges.insert(truth.nodes[u(edge.from)].name + " -> " + truth.nodes[u(edge.to)].name +
                   (edge.shown ? "" : ", not shown"));
  return edges;
}

TEST(Truth, AnItemOfAQueueOrdersThreadsAndNothingShowsIt) {
  const Truth truth = truth_of_queue([](ThreadBuilder&, int) {});
  EXPECT_EQ(edges_of(truth, EdgeKind::kQueue),
            (std::set<std::string>{"cudaMemcpyAsync -> behind, not shown"}));
  EXPECT_TRUE(is_before(truth, "before", "behind"));
  EXPECT_FALSE(truth.ordered(node_named(truth, "beside"), node_named(truth, "behind")));
  EXPECT_TRUE(compare(truth, perfect_graph(truth)).is_exact());
}

TEST(Truth, ALoopOfQueriesOrdersWhatFollowsItAndIsShownByThreeQueries) {
  const auto loop = [](Ns pause) {
    return edges_of(truth_of_queue([pause](ThreadBuilder& thread, int event) {
                      thread.query_until_done(event, pause);
                    }),
                    EdgeKind::kQueryLoop);
  };
  const std::string edge = "Memcpy DtoH (Device -> Pinned) -> behind";
  EXPECT_EQ(loop(8_us), (std::set<std::string>{edge}));
  EXPECT_EQ(loop(100_us), (std::set<std::string>{edge + ", not shown"}));
  const Truth truth = truth_of_queue([](ThreadBuilder& thread, int event) { thread.query(event); });
  EXPECT_TRUE(edges_of(truth, EdgeKind::kQueryLoop).empty());
}

Truth truth_of_graph(std::vector<Row> rows, bool has_graph_edges, bool is_early = false) {
  ProgramBuilder builder("test");
  ThreadBuilder main = builder.thread(0, "main");
  const int graph = main.graph(7, std::move(rows));
  if (is_early) main.code().calls[static_cast<std::size_t>(graph)].has_known_edges = false;
  const Program program = builder.take();
  return make_truth(program, execute(program), 0, 0, has_graph_edges);
}

/// "a -> b", of those that a trace shows.
std::set<std::string> shown_graph_order(const Truth& truth) {
  std::set<std::string> shown;
  for (const TruthEdge& edge : truth.edges)
    if (edge.shown && edge.kind == EdgeKind::kGraphOrder)
      shown.insert(truth.nodes[static_cast<std::size_t>(edge.from)].name + " -> " +
                   truth.nodes[static_cast<std::size_t>(edge.to)].name);
  return shown;
}

TEST(Truth, RecordedEdgesOfAGraphShowAllOfItsOrder) {
  const std::vector<Row> rows{graph_kernel("a", 7, 5_us, {}), graph_kernel("b", 32, 3_us, {0}),
                              graph_kernel("c", 7, 9_us, {0}), graph_kernel("d", 32, 4_us, {0}),
                              graph_kernel("e", 7, 4_us, {1, 3})};
  using Names = std::set<std::string>;
  const Truth with = truth_of_graph(rows, true), without = truth_of_graph(rows, false),
              early = truth_of_graph(rows, true, true);
  EXPECT_EQ(shown_graph_order(with), (Names{"a -> b", "a -> c", "a -> d", "b -> e", "d -> e"}));
  EXPECT_EQ(shown_graph_order(without), (Names{"a -> c"}));
  EXPECT_EQ(shown_graph_order(early), (Names{"a -> c"}));
}

TEST(Truth, OnlyWithoutRecordedEdgesMayRowsOfALaneSeemToFollowEachOther) {
  const std::vector<Row> rows{graph_kernel("root", 32, 9_us, {}),
                              graph_kernel("short", 7, 2_us, {}),
                              graph_kernel("later", 7, 4_us, {0})};
  const auto seems_ordered = [&](bool has_graph_edges, bool is_early) {
    const Truth truth = truth_of_graph(rows, has_graph_edges, is_early);
    return truth.tolerated[static_cast<std::size_t>(node_named(truth, "later"))].test(
        static_cast<std::size_t>(node_named(truth, "short")));
  };
  EXPECT_TRUE(seems_ordered(false, false));
  EXPECT_FALSE(seems_ordered(true, false));
  EXPECT_TRUE(seems_ordered(true, true));
}

TEST(Truth, RecordedEdgesDoNotTellTheOrderOfAChildGraph) {
  Row body = graph_kernel("body", 32, 9_us, {0});
  body.is_in_child = true;
  const Truth truth = truth_of_graph(
      {graph_kernel("first", 7, 5_us, {}), body, graph_kernel("behind", 7, 4_us, {1})}, true);
  EXPECT_TRUE(is_before(truth, "body", "behind"));
  EXPECT_TRUE(shown_graph_order(truth).empty());
}

TEST(Truth, WhatFollowsAnEventNodeFollowsWhatThatNodeFollows) {
  Row event = graph_kernel("event", 7, 0, {0}), second = graph_kernel("second event", 36, 0, {1});
  event.kind = second.kind = EventCategory::kEventRecord;
  const Truth truth = truth_of_graph(
      {graph_kernel("first", 7, 5_us, {}), event, second, graph_kernel("behind", 32, 4_us, {2})},
      true);
  EXPECT_TRUE(shown_graph_order(truth).contains("first -> behind"));
}

TEST(Truth, EveryDependencyEndsBeforeItsDependentStarts) {
  std::vector<std::string> names = program_names();
  for (int seed = 0; seed < 60; ++seed) names.push_back("random:" + std::to_string(seed));
  for (const char* name : {"server:1", "scheduler:2", "offload:1", "fsdp2:1", "moe:1", "two_gpus:1",
                           "two_gpus:2", "compiled:2"})
    names.emplace_back(name);
  for (const std::string& name : names) {
    const Program program = make_program(name);
    const Execution run = execute(program);
    for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
      const Truth truth = make_truth(program, run, static_cast<int>(rank));
      for (const TruthEdge& edge : truth.edges) {
        const TruthNode &from = truth.nodes[static_cast<std::size_t>(edge.from)],
                        &to = truth.nodes[static_cast<std::size_t>(edge.to)];
        ASSERT_LE(from.start_ns + from.duration_ns, to.start_ns)
            << name << ": " << describe(from) << " -> " << describe(to);
      }
    }
  }
}

// Row key -> place among the nodes.
std::map<std::pair<int, int>, std::size_t> places_of_rows(const Truth& truth,
                                                          const Execution& run) {
  std::map<std::pair<int, int>, std::size_t> places;
  const std::size_t first = truth.nodes.size() - run.ranks[0].rows.size();
  for (std::size_t i = 0; i < run.ranks[0].rows.size(); ++i)
    places[{run.ranks[0].rows[i].call, run.ranks[0].rows[i].ordinal}] = first + i;
  return places;
}

// Which rows each call waits for: threads race with a device-wide wait, so a delay may change it.
std::map<int, std::set<std::pair<int, int>>> waits_of(const Execution& run) {
  std::map<int, std::set<std::pair<int, int>>> waits;
  const RankRun& rank = run.ranks[0];
  for (std::size_t i = 0; i < rank.calls.size(); ++i)
    for (const RowDependency& item : rank.calls[i].waited) {
      const RowRun& row = rank.rows[static_cast<std::size_t>(item.row)];
      waits[static_cast<int>(i)].emplace(row.call, row.ordinal);
    }
  return waits;
}

// late_program delays node `disturbed` by a second: all that is truly after it must be a second
// late, all else exactly on time.
void expect_moves_only_dependents(const Truth& truth, const Execution& run, std::size_t disturbed,
                                  const Program& late_program, const std::string& what) {
  constexpr Ns kSecond = 1'000'000'000;
  const Execution late_run = execute(late_program);
  if (waits_of(run) != waits_of(late_run)) return;
  const Truth late = make_truth(late_program, late_run, 0);
  ASSERT_EQ(late.nodes.size(), truth.nodes.size()) << what;
  const auto places = places_of_rows(truth, run), late_places = places_of_rows(late, late_run);
  std::map<std::size_t, std::size_t> late_row_of;
  for (const auto& [key, place] : places) late_row_of[place] = late_places.at(key);
  for (std::size_t i = 0; i < truth.nodes.size(); ++i) {
    const bool is_row = truth.nodes[i].kind == TruthKind::kDeviceRow;
    const TruthNode& then = late.nodes[is_row ? late_row_of.at(i) : i];
    if (truth.before[i].test(disturbed)) {
      ASSERT_GE(then.start_ns, kSecond) << what << ": " << describe(truth.nodes[i]);
    } else {
      ASSERT_EQ(then.start_ns, truth.nodes[i].start_ns) << what << ": " << describe(truth.nodes[i]);
    }
  }
}

std::vector<std::string> one_rank_programs() {
  std::vector<std::string> names;
  for (const std::string& name : program_names())
    if (make_program(name).ranks.size() == 1) names.push_back(name);
  for (const std::string& name : graph_program_names()) names.push_back(name);
  for (const char* name : {"graphs:1", "graphs:2"}) names.emplace_back(name);
  for (int seed = 0; seed < 25; ++seed)
    if (random_program(static_cast<std::uint64_t>(seed)).ranks.size() == 1)
      names.push_back("random:" + std::to_string(seed));
  return names;
}

TEST(Truth, DelayingARowDelaysExactlyWhatTrulyDependsOnIt) {
  for (const std::string& name : one_rank_programs()) {
    const Program program = make_program(name);
    const Execution run = execute(program);
    const Truth truth = make_truth(program, run, 0);
    for (const auto& [key, place] : places_of_rows(truth, run)) {
      Program late = program;
      late.ranks[0]
          .calls[static_cast<std::size_t>(key.first)]
          .rows[static_cast<std::size_t>(key.second)]
          .duration += 1'000'000'000;
      expect_moves_only_dependents(truth, run, place, late,
                                   name + ", " + describe(truth.nodes[place]));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Truth, DelayingOwnTimeOfAnOpDelaysExactlyWhatTrulyDependsOnIt) {
  for (const std::string& name : one_rank_programs()) {
    const Program program = make_program(name);
    const Execution run = execute(program);
    const Truth truth = make_truth(program, run, 0);
    for (std::size_t i = 0; i < truth.nodes.size(); ++i) {
      const TruthNode& node = truth.nodes[i];
      if (node.kind != TruthKind::kOp && node.kind != TruthKind::kPart) continue;
      const auto thread = static_cast<std::size_t>(node.tid) - 1;
      const auto& spans = run.ranks[0].threads[thread];
      for (std::size_t at = 0; at < spans.size(); ++at) {
        if (program.ranks[0].threads[thread].code[at].action != Action::kWork ||
            spans[at].start < node.start_ns || spans[at].end > node.start_ns + node.duration_ns)
          continue;
        Program late = program;
        late.ranks[0].threads[thread].code[at].ns += 1'000'000'000;
        expect_moves_only_dependents(truth, run, i, late, name + ", " + describe(node));
        if (HasFatalFailure()) return;
        break;
      }
    }
  }
}

}  // namespace
}  // namespace nadi::vm
