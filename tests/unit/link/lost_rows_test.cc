// Which launches have lost their device row (K24), and which never had one.
#include <gtest/gtest.h>

#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;

/// Begins of the launches whose row is lost, in us.
std::vector<int> lost(const Lines& events) {
  const LinkedTrace linked = link(events);
  std::vector<int> begins;
  for (std::uint32_t call = 0; call < linked.calls.size(); ++call)
    if (linked.calls.is_row_lost[call] != 0)
      begins.push_back(static_cast<int>(linked.device.calls.start_ns[call] / 1000));
  return begins;
}
using Begins = std::vector<int>;

std::string begin_capture(double ts, int tid = 100) {
  return call("cudaStreamBeginCapture", ts, 2, 900 + static_cast<int>(ts), tid);
}
std::string end_capture(double ts, int tid = 100) {
  return call("hipStreamEndCapture", ts, 2, 900 + static_cast<int>(ts), tid);
}

/// A launch with its row before and after the events.
Lines between_launches(Lines events, int tid = 100) {
  events.insert(events.begin(), {launch(1, 3, 11, tid), row("k", 5, 5, 11)});
  events.insert(events.end(), {launch(200, 3, 12, tid), row("k", 205, 5, 12)});
  return events;
}

TEST(LostRows, AreThoseOfLaunchesWhoseLikeHaveOne) {
  EXPECT_EQ(lost({call("myLaunch", 1, 3, 11), call("myLaunch", 5, 3, 12), row("k", 5, 5, 12),
                  call("other", 9, 3, 13)}),
            Begins{1});
}

TEST(LostRows, AreThoseOfAllLaunchesOfAKindThatHasNoRow) {
  const std::string kernel = launch(1, 3, 11), copy = call("hipMemcpyAsync", 5, 3, 12),
                    set = call("cuMemsetD8Async", 9, 3, 13),
                    graph = call("cudaGraphLaunch", 13, 3, 14);
  EXPECT_EQ(lost({kernel, copy, set, graph}), (Begins{1, 5, 9, 13}));
  EXPECT_EQ(lost({kernel, copy, row("Memcpy HtoD", 20, 5, 12, 7, "", "gpu_memcpy")}), Begins{1});
  // Of two layers that record one launch one has the row.
  EXPECT_EQ(lost({call("urEnqueueKernelLaunch", 1, 5, 11), row("k", 8, 5, 11),
                  call("zeCommandListAppendLaunchKernel", 2, 3, 12)}),
            Begins{});
}

TEST(LostRows, AreNotThoseOfLaunchesThatWereCaptured) {
  EXPECT_EQ(lost(between_launches(
                {begin_capture(20), launch(30, 3, 20), end_capture(40), launch(50, 3, 21)})),
            Begins{50});
  EXPECT_EQ(lost(between_launches({begin_capture(20), begin_capture(25), launch(30, 3, 20),
                                   end_capture(40), launch(50, 3, 21), end_capture(60),
                                   launch(70, 3, 22)})),
            Begins{70});
}

TEST(LostRows, OfAnotherThreadMeanwhileAreLostIfItsOtherLaunchesRan) {
  const Lines captured = {begin_capture(20), launch(30, 3, 20, 101), end_capture(60)};
  EXPECT_EQ(lost(between_launches(captured)), Begins{});
  Lines with_one_that_ran = captured;
  with_one_that_ran.insert(with_one_that_ran.end(), {launch(40, 3, 21, 101), row("k", 45, 5, 21)});
  EXPECT_EQ(lost(between_launches(with_one_that_ran)), Begins{30});
}

TEST(LostRows, OfACaptureWithOneEndBeyondTheTraceAreNotLost) {
  EXPECT_EQ(lost({launch(1, 3, 11), launch(10, 3, 12), end_capture(20), launch(30, 3, 13),
                  launch(40, 3, 14), row("k", 45, 5, 14)}),
            Begins{30});
  EXPECT_EQ(lost({launch(1, 3, 11), row("k", 5, 5, 11), launch(10, 3, 12), begin_capture(20),
                  launch(30, 3, 13)}),
            Begins{10});
  // What ran bounds a capture whose other end is lost.
  EXPECT_EQ(lost({launch(1, 3, 11), launch(5, 3, 12), row("k", 9, 5, 12), launch(20, 3, 13),
                  end_capture(30)}),
            Begins{1});
  EXPECT_EQ(lost({begin_capture(1), launch(5, 3, 12), launch(20, 3, 13), row("k", 25, 5, 13),
                  launch(30, 3, 14)}),
            Begins{30});
}

TEST(LostRows, OfACaptureThatAnotherThreadEndsAreNotLost) {
  EXPECT_EQ(lost(between_launches(
                {begin_capture(20), launch(30, 3, 20), end_capture(40, 101), launch(50, 3, 21)})),
            Begins{50});
}

/// Sets of 4 us with a row, and one that took `us` and has none.
Lines sets(double us, const std::string& args = "") {
  return {
      call("cudaMemsetAsync", 1, 4, 11), row("Memset", 6, 1, 11, 7, "", "gpu_memset"),
      event("cuda_runtime", "cudaMemsetAsync", 20, us, thread(100), R"("correlation": 12)" + args),
      launch(40, 4, 13), row("k", 46, 5, 13)};
}

TEST(LostRows, AreNotThoseOfCopiesAndSetsOfNoBytes) {
  EXPECT_EQ(lost(sets(0.6)), Begins{});
  EXPECT_EQ(lost(sets(2)), Begins{20});
  EXPECT_EQ(lost(sets(5, R"(, "bytes": "0")")), Begins{});
  EXPECT_EQ(lost(sets(0.6, R"(, "bytes": "128")")), Begins{20});
}

TEST(LostRows, OfAQuickLaunchAreLostWhereLaunchesAreQuickOrItLaunchesAKernel) {
  EXPECT_EQ(lost({call("cudaMemsetAsync", 1, 1, 11), row("Memset", 6, 1, 11, 7, "", "gpu_memset"),
                  call("cudaMemsetAsync", 20, 0.6, 12)}),
            Begins{20});
  EXPECT_EQ(lost({launch(1, 4, 11), row("k", 6, 1, 11), launch(20, 0.6, 12)}), Begins{20});
}

}  // namespace
}  // namespace nadi
