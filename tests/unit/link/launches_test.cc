// Which call launched which device row, and which op was running then.
#include <gtest/gtest.h>

#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;

TEST(Launches, ARowBelongsToTheInnermostOpOpenWhenItsCallBegan) {
  const LinkedTrace linked =
      link({op("outer", 0, 20), op("inner", 2, 6), launch(3, 1, 11), launch(8, 1, 12),
            launch(20, 1, 13), row("k1", 30, 1, 11), row("k2", 31, 1, 12), row("k3", 32, 1, 13)});
  EXPECT_EQ(op_name(linked, linked.rows.parent[0]), "inner");
  EXPECT_EQ(op_name(linked, linked.rows.parent[1]), "outer");  // inner ended when k2 was launched
  EXPECT_EQ(op_name(linked, linked.rows.parent[2]), "");       // outer had ended
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

TEST(Launches, K14_AFlowThatStartsBehindItsRowIsNoLaunch) {
  const auto evidence = [](double ts) {
    const std::string flow = fmt::format(
        R"({{"ph": "s", "id": 11, "pid": 1, "tid": 100, "ts": {}, "cat": "ac2g", "name": "ac2g"}})",
        ts);
    return link({op("a", 0, 40), flow, row("k", 10, 1, 11)}).rows.evidence[0];
  };
  EXPECT_EQ(evidence(4), LinkEvidence::kFlow);
  EXPECT_EQ(evidence(14), LinkEvidence::kUnlaunched);
}

TEST(Launches, K24_ALostCallBeforeAllOthersIsBehindTheTracesBeginIfIdsGrowWithTime) {
  const auto launched_after = [](int first, int second) {
    return link({op("a", 0, 5), launch(10, 1, first), launch(20, 1, second), row("k", 50, 5, 12)})
        .rows.launched_after_ns;
  };
  EXPECT_EQ(launched_after(13, 14), std::vector<Ns>{0});  // before all calls: the trace's begin
  EXPECT_EQ(launched_after(13, 11), std::vector<Ns>{kNoTime});  // ids do not grow with time
}

TEST(Launches, K24_ACorrelationThatPlacesALaunchBehindItsRowTellsNothing) {
  const LinkedTrace linked =
      link({op("a", 0, 5), launch(10, 1, 11), launch(60, 1, 12), row("k", 50, 5, 13)});
  EXPECT_EQ(linked.rows.launched_after_ns, std::vector<Ns>{kNoTime});
  EXPECT_EQ(linked.rows.enqueue_ns, std::vector<Ns>{50'000});
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

TEST(Launches, TheNameOfAnUnlaunchedRowIsCutBetweenCharacters) {
  const std::string begin(59, 'k');  // 60 bytes are shown
  Diagnostics diagnostics;
  link({row(begin + "ä", 5, 1, 11)}, {}, "", &diagnostics);
  ASSERT_EQ(diagnostics.count(Finding::kUnlaunchedRows), 1U);
  EXPECT_EQ(diagnostics.table()[0].first,
            std::vector<std::string>{begin + "... at 0.000 ms, correlation 11"});
}

}  // namespace
}  // namespace nadi
