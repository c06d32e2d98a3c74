#include "nadi/link/match.h"

#include <gtest/gtest.h>

#include "nadi/base/error.h"
#include "nadi/link/match_choice.h"
#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;

const char* const kThread = "[pytorch|profiler|execution_trace|thread]";

TEST(MatchByRfId, NeedsEqualIdsAndEqualNames) {
  const OpMatch match =
      match_by_rf_id(host_trace({node(2, "a", 1, 10), node(3, "b", 1, 11), node(4, "c", 1, 12)}),
                     device_trace({op("c", 5, 1, 12), op("a", 1, 1, 10), op("other", 3, 1, 11)}));
  EXPECT_EQ(match.profiler_of_host,
            (std::vector{ProfilerOpIndex(1), ProfilerOpIndex(), ProfilerOpIndex(0)}));
  EXPECT_EQ(match.host_ops, 3U);
  EXPECT_EQ(match.matched, 2U);
  EXPECT_EQ(match.same_id_other_name, 1U);
}

TEST(MatchByRfId, NeverUsesAProfilerOpTwice) {
  const OpMatch match = match_by_rf_id(host_trace({node(2, "a", 1, 10), node(3, "a", 1, 10)}),
                                       device_trace({op("a", 1, 1, 10)}));
  EXPECT_EQ(match.profiler_of_host, (std::vector{ProfilerOpIndex(0), ProfilerOpIndex()}));
}

TEST(MatchByRfId, OfTwoOpsWithOneIdTheOneOfTheNameIsTaken) {
  const OpMatch match = match_by_rf_id(host_trace({node(2, "b", 1, 10)}),
                                       device_trace({op("a", 1, 1, 10), op("b", 2, 1, 10)}));
  EXPECT_EQ(match.profiler_of_host, (std::vector{ProfilerOpIndex(1)}));
}

TEST(MatchByRfId, K30_TheNumberOfAStepIsNoPartOfItsName) {
  const OpMatch match = match_by_rf_id(
      host_trace({node(2, "ProfilerStep#6", 1, 10), node(3, "ProfilerStep#x", 1, 11)}),
      device_trace({op("ProfilerStep#4", 1, 1, 10), op("ProfilerStep#y", 3, 1, 11)}));
  EXPECT_EQ(match.profiler_of_host, (std::vector{ProfilerOpIndex(0), ProfilerOpIndex()}));
}

TEST(MatchByRfId, AThreadThatTheProfilerDidNotRecordIsLeftOut) {
  const Lines host = {node(2, "a", 1, 10), node(3, kThread, 1, 0, 2), node(4, "x", 3, 11, 2),
                      node(5, "y", 3, 12, 2), node(6, "b", 1, 13)};
  Diagnostics diagnostics;
  const LinkedTrace linked = link({op("a", 1, 1, 10), op("b", 5, 1, 13)}, host, "", &diagnostics);
  EXPECT_EQ(linked.host_op_count, 2U);
  EXPECT_EQ(linked.ops.size(), 2U);
  ASSERT_EQ(diagnostics.count(Finding::kHostThreadNotProfiled), 1U);
  EXPECT_EQ(diagnostics.table()[0].first, std::vector<std::string>{"thread 2, 2 ops"});
}

TEST(MatchByRfId, AThreadThatWorkedBesideNoMatchedOpIsAnother) {
  const OpMatch match =
      match_by_rf_id(host_trace({node(2, "a", 1, 10), node(3, "b", 1, 11), node(4, "x", 1, 12, 2)}),
                     device_trace({op("a", 1, 1, 10), op("b", 5, 1, 11)}));
  EXPECT_EQ(match.unprofiled_threads, std::vector<std::uint64_t>());
  EXPECT_EQ(match.host_ops, 3U);
}

TEST(MatchByRfId, ThreadsWithMostOpsAreLeftOutIfThoseOfTheOthersAreTheProfilers) {
  const Lines device = {op("a", 1, 1, 10), op("b", 5, 1, 11)};
  Lines host = {node(2, "a", 1, 10),    node(3, "b", 1, 11),    node(4, kThread, 1, 0, 2),
                node(5, "x", 4, 12, 2), node(6, "x", 4, 13, 2), node(7, "x", 4, 14, 2)};
  Diagnostics diagnostics;
  EXPECT_EQ(link(device, host, "", &diagnostics).host_op_count, 2U);
  EXPECT_EQ(finding(diagnostics, Finding::kHostThreadNotProfiled), "thread 2, 3 ops");
  host.push_back(node(8, "c", 1, 15));
  EXPECT_THROW(link(device, host), Error);
}

/// What matching by record-function ids alone says of the pair.
std::string id_refusal(const Lines& nodes, const Lines& events) {
  HostTrace host = host_trace(nodes);
  DeviceTrace device = device_trace(events);
  Diagnostics diagnostics;
  try {
    match_ops(host, device, {.method = MatchMethod::kRfId}, diagnostics);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInput);
    EXPECT_NE(error.remedy().find("`match=force`"), std::string::npos);
    return error.problem();
  }
  return "accepted";
}

Lines ops(int count, int first_rf_id = 1) {
  Lines lines;
  for (int i = 0; i < count; ++i) lines.push_back(op("a", 10 * i, 5, first_rf_id + i));
  return lines;
}
Lines nodes(int count, int first_rf_id = 1, const char* name = "a") {
  Lines lines;
  for (int i = 0; i < count; ++i) lines.push_back(node(2 + i, name, 1, first_rf_id + i));
  return lines;
}

TEST(MatchByRfId, NinetyPercentIsEnoughAndLessIsNot) {
  EXPECT_EQ(id_refusal(nodes(10), ops(9)), "accepted");
  EXPECT_NE(id_refusal(nodes(10), ops(8)), "accepted");
}

TEST(MatchByRfId, ARefusalTellsTheLikelyCause) {
  const auto holds = [](const std::string& text, const char* cause) {
    EXPECT_NE(text.find(cause), std::string::npos) << text;
  };
  holds(id_refusal(nodes(4), {launch(1, 1, 11)}), "no cpu_op rows");
  holds(id_refusal(nodes(4), {op("a", 1, 1, 0)}), "no record-function ids");
  holds(id_refusal(nodes(4, 1, "b"), ops(4)), "traces of different runs");
  holds(id_refusal(nodes(2), ops(8, 50)), "device trace is much longer");
  holds(id_refusal(nodes(8), ops(2)), "host trace is much longer");
  holds(id_refusal(nodes(4), ops(4, 3)), "different spans");
}

}  // namespace
}  // namespace nadi
