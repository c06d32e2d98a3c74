// Which call launched which device row, and which op was running then.
#include <gtest/gtest.h>

#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;

std::string flow(char phase, double ts, int tid, int id, const char* name = "ac2g") {
  return fmt::format(R"({{"ph": "{}", "id": {}, "pid": {}, "tid": {}, "ts": {}, "cat": "{}", )"
                     R"("name": "{}"}})",
                     phase, id, phase == 's' ? 1 : 0, tid, ts, name, name);
}

TEST(Launches, ARowBelongsToTheInnermostOpOpenWhenItsCallBegan) {
  const LinkedTrace linked =
      link({op("outer", 0, 20), op("inner", 2, 6), launch(3, 1, 11), launch(8, 1, 12),
            launch(20, 1, 13), row("k1", 30, 1, 11), row("k2", 31, 1, 12), row("k3", 32, 1, 13)});
  EXPECT_EQ(op_name(linked, linked.rows.parent[0]), "inner");
  EXPECT_EQ(op_name(linked, linked.rows.parent[1]), "outer");  // inner ended when k2 was launched
  EXPECT_EQ(op_name(linked, linked.rows.parent[2]), "");       // outer had ended
}

TEST(Launches, AnOpOfAnotherThreadIsNoCaller) {
  const LinkedTrace linked =
      link({op("elsewhere", 0, 20, 1, 200), launch(3, 1, 11), row("k", 5, 1, 11)});
  EXPECT_EQ(op_name(linked, linked.rows.parent[0]), "");
}

TEST(Launches, K11_OneCallMayLaunchManyRows) {
  const LinkedTrace linked = link({call("cudaGraphLaunch", 3, 1, 11), row("a", 5, 1, 11),
                                   row("b", 6, 1, 11), row("c", 7, 1, 11, 9)});
  for (CallIndex launch : linked.rows.launch) EXPECT_EQ(launch, CallIndex(0));
  EXPECT_EQ(linked.calls.role[0], CallRole::kLaunches);
}

TEST(Launches, K11_OfCallsWithOneCorrelationTheLastThatBeganBeforeTheRowLaunchedIt) {
  const LinkedTrace linked =
      link({launch(1, 1, 11), launch(10, 1, 11), launch(20, 1, 11), row("k", 15, 1, 11)});
  EXPECT_EQ(linked.rows.launch[0], CallIndex(1));
  EXPECT_EQ(linked.calls.role[0], CallRole::kNone);
}

TEST(Launches, K12_AnExternalIdCountsOnlyIfItIsNoCopyAndItsOpIsRunning) {
  const std::string ext = R"("External id": 5)";
  const auto evidence = [&](const std::string& the_row) {
    return link({op("a", 0, 20, 0, 100, ext), the_row}).rows.evidence[0];
  };
  EXPECT_EQ(evidence(row("k", 10, 1, 70, 7, ext)), LinkEvidence::kExternalId);
  EXPECT_EQ(evidence(row("k", 10, 1, 5, 7, ext)), LinkEvidence::kUnlaunched);
  EXPECT_EQ(evidence(row("k", 25, 1, 70, 7, ext)), LinkEvidence::kUnlaunched);
  EXPECT_EQ(evidence(row("k", 10, 1, 70)), LinkEvidence::kUnlaunched);
}

/// A launch at 1005 us, when `inner` begins in `outer`.
LinkedTrace linked_tie(const std::string& launch_args, bool are_named) {
  Lines events = ops_with_calls(are_named);
  events.push_back(op("outer", 1000, 50, 51, 100, R"("External id": 51)"));
  events.push_back(op("inner", 1005, 10, 52, 100, R"("External id": 52)"));
  events.push_back(event("cuda_runtime", "cudaLaunchKernel", 1005, 0, thread(100),
                         R"("correlation": 11)" + launch_args));
  events.push_back(row("k", 1010, 1, 11));
  return link(events);
}

TEST(Launches, K12_ACallThatBeginsWithAnOpIsInsideItWhereItNamesIt) {
  const auto around = [](const std::string& launch_args, bool are_named = true) {
    const LinkedTrace linked = linked_tie(launch_args, are_named);
    return op_name(linked, linked.rows.parent[0]);
  };
  EXPECT_EQ(around(R"(, "External id": 52)"), "inner");
  EXPECT_EQ(around(R"(, "External id": 51)"), "outer");
  EXPECT_EQ(around(""), "outer");
  EXPECT_EQ(around("", false), "inner");  // nobody names ops
}

TEST(Launches, K14_AFlowTellsTheLaunchWhereThereIsNoCall) {
  const LinkedTrace linked =
      link({op("a", 0, 20), flow('s', 4, 100, 11), row("k", 10, 1, 11), flow('f', 10, 7, 11)});
  EXPECT_EQ(linked.rows.evidence[0], LinkEvidence::kFlow);
  EXPECT_EQ(linked.rows.launch_ns[0], 4000);
  EXPECT_EQ(op_name(linked, linked.rows.parent[0]), "a");
}

TEST(Launches, K14_FlowsOfAnotherNameOrTimeAreNoLaunch) {
  const auto evidence = [](const std::string& the_flow) {
    return link({op("a", 0, 40), the_flow, row("k", 10, 1, 11)}).rows.evidence[0];
  };
  EXPECT_EQ(evidence(flow('s', 4, 100, 11, "fwdbwd")), LinkEvidence::kUnlaunched);
  EXPECT_EQ(evidence(flow('s', 14, 100, 11)), LinkEvidence::kUnlaunched);  // after the row began
  EXPECT_EQ(evidence(flow('s', 4, 100, 12)), LinkEvidence::kUnlaunched);
  EXPECT_EQ(evidence(flow('f', 4, 100, 11)), LinkEvidence::kUnlaunched);
}

TEST(Launches, K24_ARowWhoseCallIsLostIsLaunchedAfterTheCallBeforeItByCorrelation) {
  const auto launched_after = [](int first, int second) {
    return link({op("a", 0, 5), launch(10, 1, first), launch(20, 1, second), row("k", 50, 5, 12)})
        .rows.launched_after_ns;
  };
  EXPECT_EQ(launched_after(11, 13), std::vector<Ns>{10'000});
  EXPECT_EQ(launched_after(13, 14), std::vector<Ns>{0});  // before all calls: the trace's begin
  EXPECT_EQ(launched_after(13, 11), std::vector<Ns>{kNoTime});  // ids do not grow with time
}

TEST(Launches, K24_ACorrelationThatPlacesALaunchBehindItsRowTellsNothing) {
  const LinkedTrace linked =
      link({op("a", 0, 5), launch(10, 1, 11), launch(60, 1, 12), row("k", 50, 5, 13)});
  EXPECT_EQ(linked.rows.launched_after_ns, std::vector<Ns>{kNoTime});
  EXPECT_EQ(linked.rows.enqueue_ns, std::vector<Ns>{50'000});
}

TEST(Launches, UnlaunchedRowsAreCountedWithTheirFirstPlaces) {
  Diagnostics diagnostics;
  const LinkedTrace linked = link({row("k", 10, 1, 11), row("l", 12, 1, -1)}, {}, "", &diagnostics);
  EXPECT_EQ(linked.rows.evidence.size(), 2U);
  EXPECT_EQ(diagnostics.count(Finding::kUnlaunchedRows), 2U);
  EXPECT_EQ(
      diagnostics.table()[0].first,
      (std::vector<std::string>{"k at 0.000 ms, correlation 11", "l at 0.002 ms, correlation -1"}));
}

TEST(Launches, UnlaunchedRowsWithoutATimeAreReportedWithoutOne) {
  for (const Lines& others : {Lines{}, Lines{op("a", 5, 1)}}) {
    Lines events = {row("k", 0, 0, 11)};  // K8
    events.insert(events.end(), others.begin(), others.end());
    Diagnostics diagnostics;
    link(events, {}, "", &diagnostics);
    ASSERT_EQ(diagnostics.count(Finding::kUnlaunchedRows), 1U);
    EXPECT_EQ(diagnostics.table()[0].first,
              std::vector<std::string>{"k at no time, correlation 11"});
  }
}

}  // namespace
}  // namespace nadi
