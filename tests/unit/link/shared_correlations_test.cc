// Rows of several launches that carry one correlation (K11).
#include <gtest/gtest.h>

#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;

std::string of_op(int external_id) { return fmt::format(R"("External id": {})", external_id); }

std::string hip_launch(double ts, int correlation, int external_id, const std::string& kernel = "",
                       const std::string& name = "hipLaunchKernel") {
  std::string args = fmt::format(R"("correlation": {}, {})", correlation, of_op(external_id));
  if (!kernel.empty()) args += fmt::format(R"(, "kernel": "{}")", kernel);
  return event("cuda_runtime", name, ts, 5, thread(100), args);
}

/// By row: when its launch began, in us; -1 = none.
std::vector<int> launch_times(const Lines& events, Diagnostics* diagnostics = nullptr) {
  const LinkedTrace linked = link(events, {}, "", diagnostics);
  std::vector<int> times;
  for (const CallIndex call : linked.rows.launch)
    times.push_back(call ? static_cast<int>(linked.device.calls.start_ns[call] / 1000) : -1);
  return times;
}

TEST(SharedCorrelations, OfRowsTellTheOpAndTheKernelWhichLaunchIsWhose) {
  Diagnostics diagnostics;
  EXPECT_EQ(launch_times({hip_launch(10, 500, 1, "k"), hip_launch(20, 501, 2, "k"),
                          hip_launch(30, 502, 3, "k"), row("k", 50, 5, 500, 7, of_op(1)),
                          row("k", 60, 5, 500, 7, of_op(2)), row("k", 70, 5, 500, 7, of_op(3))},
                         &diagnostics),
            (std::vector{10, 20, 30}));
  EXPECT_EQ(diagnostics.count(Finding::kCorrelationRepaired), 2U);
  EXPECT_EQ(launch_times({hip_launch(10, 500, 1, "a"), hip_launch(20, 501, 1, "b"),
                          row("b", 50, 5, 500, 7, of_op(1)), row("a", 60, 5, 500, 7, of_op(1))}),
            (std::vector{20, 10}));
}

TEST(SharedCorrelations, OfOneKernelThatAnOpLaunchesAgainAndAgainComeInOrder) {
  EXPECT_EQ(launch_times({hip_launch(10, 500, 1, "k"), hip_launch(20, 501, 1, "k"),
                          hip_launch(30, 502, 1, "k"), row("k", 70, 5, 500, 7, of_op(1)),
                          row("k", 50, 5, 500, 7, of_op(1)), row("k", 60, 5, 502, 7, of_op(1))}),
            (std::vector{10, 20, 30}));
}

TEST(SharedCorrelations, WhereCallsNameNoKernelTheOpAndTheKindOfTheRowTell) {
  EXPECT_EQ(launch_times({hip_launch(10, 500, 1), hip_launch(15, 501, 2, "", "hipMemcpyAsync"),
                          hip_launch(20, 502, 2), row("a", 50, 5, 500, 7, of_op(1)),
                          row("b", 60, 5, 500, 7, of_op(2))}),
            (std::vector{10, 20}));
}

TEST(SharedCorrelations, OfAnotherKindOfWorkAreOfAnotherCall) {
  EXPECT_EQ(launch_times({hip_launch(10, 500, 1, "k"), hip_launch(20, 501, 1, "", "hipMemcpyAsync"),
                          row("k", 50, 5, 500, 7, of_op(1)),
                          row("Memcpy", 60, 5, 500, 7, of_op(1), "gpu_memcpy")}),
            (std::vector{10, 20}));
}

TEST(SharedCorrelations, ThatNothingContradictsStay) {
  const Lines calls = {hip_launch(10, 500, 1, "k"), hip_launch(20, 501, 2, "other")};
  const auto with_rows = [&](const std::string& a, const std::string& b) {
    Lines events = calls;
    events.insert(events.end(), {a, b});
    return launch_times(events);
  };
  EXPECT_EQ(with_rows(row("k", 50, 5, 500, 7, of_op(1)), row("k", 60, 5, 500, 7, of_op(2))),
            (std::vector{10, 10}));  // op 2 launches another kernel
  EXPECT_EQ(with_rows(row("k", 50, 5, 500), row("other", 60, 5, 500)), (std::vector{10, 10}));
}

TEST(SharedCorrelations, OfAGraphLaunchStay) {
  const auto rows_of = [&](const std::string& name, const std::string& graph) {
    return launch_times({hip_launch(10, 500, 1, "", name), hip_launch(20, 501, 2, "b"),
                         row("a", 50, 5, 500, 7, of_op(1) + graph),
                         row("b", 60, 5, 500, 7, of_op(2) + graph)});
  };
  EXPECT_EQ(rows_of("hipGraphLaunch", ""), (std::vector{10, 10}));
  EXPECT_EQ(rows_of("unknownLaunch", R"(, "graph id": 3)"), (std::vector{10, 10}));
}

TEST(SharedCorrelations, OfALostCallAreRightUnlessTheOpAndTheKernelTellAnotherLaunch) {
  const auto launch_of_b = [&](const std::string& kernel) {
    return launch_times({op("op", 0, 90, 0, 100, of_op(2)), hip_launch(20, 501, 2, kernel),
                         row("a", 50, 5, 500, 7, of_op(2)), row("b", 60, 5, 500, 7, of_op(2))});
  };
  EXPECT_EQ(launch_of_b("b"), (std::vector{-1, 20}));
  EXPECT_EQ(launch_of_b(""), (std::vector{-1, -1}));
}

}  // namespace
}  // namespace nadi
