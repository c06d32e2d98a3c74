// What MLCommons' linked JSON says of waits: the host op that launched the work is named, never the
// device row.
#include "nadi/linked_json/joins.h"

#include <gtest/gtest.h>

#include <set>

#include "nadi/linked_json/reader.h"
#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;

std::string linked_op(int id, const std::string& name, int caller, double ts, double dur,
                      const std::string& more = "", int tid = 1) {
  return fmt::format(R"({{"id": {}, "name": "{}", "ctrl_deps": {}, "attrs": [{{"name": "tid", )"
                     R"("value": {}}}], "inclusive_dur": {}, "ts": {}{}}})",
                     id, name, caller, tid, dur, ts, more.empty() ? "" : ", " + more);
}
std::string linked_row(int id, const std::string& name, int caller, double ts, double dur,
                       int stream) {
  return linked_op(id, name, caller, ts, dur,
                   fmt::format(R"("cat": "kernel", "stream": {})", stream));
}

struct FromLinkedJson {
  Diagnostics diagnostics;
  LinkedTrace linked;
  BuiltGraph graph;

  explicit FromLinkedJson(const Lines& nodes) : linked(link(nodes)) {
    GraphOptions options;
    options.delays = Delays::kNone;
    graph = build_graph(linked, options, diagnostics);
  }

  LinkedTrace link(const Lines& nodes) {
    const std::string text = fmt::format(
        R"({{"schema": "1.0.2-chakra.0.0.4", "pid": 7, "nodes": [{}]}})", fmt::join(nodes, ",\n"));
    ByteSource source = source_of_bytes(text, "trace");
    return link_traces(read_linked_json(source, diagnostics), {}, diagnostics);
  }

  /// "item <- gemm": all edges of one evidence.
  std::set<std::string> edges_of(Evidence evidence) const {
    std::set<std::string> result;
    const auto name = [&](auto vertex) { return std::string(graph.name_of(vertex)); };
    for (auto [edge, end] = edges(graph.structure); edge != end; ++edge)
      if (graph.structure[*edge].evidence == evidence)
        result.insert(name(target(*edge, graph.structure)) + " <- " +
                      name(source(*edge, graph.structure)));
    return result;
  }
};

using Edges = std::set<std::string>;

// mm [10, 20) launches gemm, which runs until 45.
Lines launched(const Lines& more) {
  Lines nodes = {linked_op(3, "mm", 1, 10, 10), linked_row(4, "gemm", 3, 15, 30, 7)};
  nodes.insert(nodes.end(), more.begin(), more.end());
  return nodes;
}

TEST(SyncRowWaits, ForAnOpAreForTheRowsItLaunched) {
  const FromLinkedJson linked(launched({linked_op(5, "item", 1, 50, 10, R"("sync_dep": [3])")}));
  EXPECT_EQ(linked.edges_of(Evidence::kSynchronisation), Edges{"item <- gemm"});
}

TEST(SyncRowWaits, OfAnOpThatStartedBeforeAreItsNextNodes) {
  // item [30, 60) is blocked until 45; what it and its thread do later comes after gemm.
  const FromLinkedJson inside(launched(
      {linked_op(5, "item", 1, 30, 30, R"("sync_dep": [3])"), linked_op(6, "inner", 5, 50, 2)}));
  EXPECT_EQ(inside.edges_of(Evidence::kSynchronisation), Edges{"inner <- gemm"});
  const FromLinkedJson behind(launched(
      {linked_op(5, "item", 1, 30, 30, R"("sync_dep": [3])"), linked_op(6, "next", 1, 70, 2)}));
  EXPECT_EQ(behind.edges_of(Evidence::kSynchronisation), Edges{"next <- gemm"});
  EXPECT_EQ(behind.diagnostics.count(Finding::kBackwardEdge), 0U);
}

TEST(SyncRowWaits, ThatAnOpDidNotStayForAreThoseOfItsRows) {
  // add [21, 24) returns long before gemm ends: its stream waits.
  const FromLinkedJson linked(launched(
      {linked_op(5, "add", 1, 21, 3, R"("sync_dep": [3])"), linked_row(6, "sum", 5, 23, 5, 9)}));
  EXPECT_EQ(linked.edges_of(Evidence::kEventWait), Edges{"sum <- gemm"});
  EXPECT_TRUE(linked.edges_of(Evidence::kSynchronisation).empty());
  EXPECT_EQ(linked.diagnostics.count(Finding::kBackwardEdge), 0U);
}

TEST(SyncRowWaits, ForAnOpWithoutRowsOfItsOwnAreForThoseLaunchedInsideIt) {
  const FromLinkedJson linked({linked_op(3, "linear", 1, 10, 10), linked_op(4, "mm", 3, 12, 5),
                               linked_row(5, "gemm", 4, 15, 30, 7),
                               linked_op(6, "item", 1, 50, 10, R"("sync_dep": [3])")});
  EXPECT_EQ(linked.edges_of(Evidence::kSynchronisation), Edges{"item <- gemm"});
}

TEST(SyncRowWaits, ForSeveralStreamsAreForTheLastRowOfEach) {
  const FromLinkedJson linked(
      launched({linked_row(5, "copy", 3, 16, 5, 9), linked_row(6, "set", 3, 17, 5, 9),
                linked_op(7, "item", 1, 50, 10, R"("sync_dep": [3])")}));
  EXPECT_EQ(linked.edges_of(Evidence::kSynchronisation), (Edges{"item <- gemm", "item <- set"}));
}

TEST(SyncRowWaits, ForAnOpThatLaunchedNothingAreForTheOp) {
  const FromLinkedJson linked({linked_op(3, "prepare", 1, 10, 10),
                               linked_op(4, "use", 1, 50, 10, R"("sync_dep": [3])", 2)});
  EXPECT_EQ(linked.edges_of(Evidence::kSynchronisation), Edges{"use <- prepare"});
}

TEST(SyncRowWaits, ThatTimesContradictAreDroppedAndCounted) {
  const FromLinkedJson linked(launched({linked_op(5, "early", 1, 21, 3, R"("sync_dep": [3])")}));
  EXPECT_TRUE(linked.edges_of(Evidence::kSynchronisation).empty());
  EXPECT_EQ(linked.diagnostics.count(Finding::kBackwardEdge), 1U);
}

}  // namespace
}  // namespace nadi
