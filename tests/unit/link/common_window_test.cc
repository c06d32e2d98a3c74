// Host and device trace of different windows of one run: what both recorded is linked (H10).
#include "nadi/link/common_window.h"

#include <gtest/gtest.h>

#include "tests/unit/link/match_text.h"

namespace nadi {
namespace {

using namespace test;

std::string name_of(int number) { return "op" + std::to_string(number); }

/// Ops [first, end) of a run, 10 us apart, each with a kernel.
Lines device_window(int first, int end, bool has_ids = true) {
  Lines lines;
  for (int i = first; i < end; ++i) {
    lines.push_back(op(name_of(i), 10.0 * i, 5, has_ids ? i + 1 : 0));
    lines.push_back(launch(10.0 * i + 1, 1, i + 1));
    lines.push_back(row("kernel", 10.0 * i + 4, 5, i + 1));
  }
  return lines;
}
Lines host_window(int first, int end) {
  Lines lines;
  for (int i = first; i < end; ++i) lines.push_back(node(i + 2, name_of(i), 1, i + 1));
  return lines;
}

/// What became of two windows.
struct LinkedWindow {
  LinkedTrace trace;
  Diagnostics diagnostics;
  std::uint64_t host_left_out() const {
    return diagnostics.count(Finding::kHostOpsOutsideTheDeviceTrace);
  }
  std::uint64_t device_left_out() const {
    return diagnostics.count(Finding::kDeviceOpsOutsideTheHostTrace);
  }
};
LinkedWindow link_windows(const Lines& device, const Lines& host,
                          const MatchOptions& options = {}) {
  LinkedWindow linked;
  linked.trace = link_by(options, device, host, &linked.diagnostics);
  return linked;
}

TEST(Windows, HostOpsBeforeAndAfterTheDeviceTraceAreLeftOutAndCounted) {
  const LinkedWindow linked = link_windows(device_window(50, 200), host_window(0, 220));
  EXPECT_EQ(linked.host_left_out(), 70U);
  EXPECT_EQ(linked.device_left_out(), 0U);
  EXPECT_EQ(linked.trace.host_op_count, 150U);
  EXPECT_EQ(linked.trace.matched_host_op_count, 150U);
  EXPECT_EQ(linked.trace.ops.size(), 150U);
  EXPECT_EQ(linked.trace.rows.evidence.size(), 150U);
  EXPECT_EQ(op_name(linked.trace, 0), "op50");
  EXPECT_EQ(finding(linked.diagnostics, Finding::kHostOpsOutsideTheDeviceTrace), "op0 (host id 2)");
}

TEST(Windows, DeviceOpsBeforeAndAfterTheHostTraceAreLeftOutWithTheirRowsAndCounted) {
  const LinkedWindow linked = link_windows(device_window(0, 220), host_window(50, 200));
  EXPECT_EQ(linked.device_left_out(), 70U);
  EXPECT_EQ(linked.host_left_out(), 0U);
  EXPECT_EQ(linked.trace.matched_host_op_count, 150U);
  EXPECT_EQ(linked.trace.ops.size(), 150U);
  EXPECT_EQ(linked.trace.rows.evidence.size(), 150U);
}

TEST(Windows, EitherTraceMayBeginFirst) {
  const LinkedWindow linked = link_windows(device_window(0, 160), host_window(40, 200));
  EXPECT_EQ(linked.host_left_out(), 40U);
  EXPECT_EQ(linked.device_left_out(), 40U);
  EXPECT_EQ(linked.trace.ops.size(), 120U);
}

TEST(Windows, BetweenMatchedOpsUntimedOnesStay) {
  Lines host = host_window(0, 200);
  host[120] = node(122, "only the host trace knows it", 1, 5000);
  const LinkedWindow linked = link_windows(device_window(60, 200), host);
  EXPECT_EQ(linked.diagnostics.count(Finding::kUntimedOps), 1U);
  EXPECT_EQ(linked.diagnostics.count(Finding::kProfilerOnlyOps), 1U);
  EXPECT_EQ(linked.host_left_out(), 60U);
}

TEST(Windows, OpsThatAreLeftOutTakeTheCallsBeforeThemAlong) {
  Lines device = device_window(0, 200);
  device.push_back(call("cudaMalloc", 3, 1, 9001));              // in op0, which is left out
  device.push_back(call("cudaMalloc", 10.0 * 60 + 8, 1, 9002));  // between two ops that stay
  const LinkedWindow linked = link_windows(device, host_window(50, 200));
  EXPECT_EQ(linked.trace.device.calls.size(), 151U);
}

TEST(Windows, WhatStandsBeforeTheFirstOpStaysWhereNoOpIsLeftOutThere) {
  Lines device = device_window(1, 200);
  device.push_back(call("cudaMalloc", 3, 1, 9001));
  const LinkedWindow linked = link_windows(device, host_window(1, 150));
  EXPECT_EQ(linked.device_left_out(), 50U);
  EXPECT_EQ(linked.trace.device.calls.size(), 150U);
}

TEST(Windows, OfLessThanAHundredCommonOpsAreRefused) {
  EXPECT_EQ(refusal({.method = MatchMethod::kRfId}, device_window(20, 120), host_window(0, 130)),
            "accepted");
  EXPECT_NE(refusal({.method = MatchMethod::kRfId}, device_window(20, 119), host_window(0, 130)),
            "accepted");
}

TEST(Windows, OfLessThanHalfOfTheShorterTraceAreRefused) {
  const MatchOptions by_id{.method = MatchMethod::kRfId};
  EXPECT_EQ(refusal(by_id, device_window(0, 300), host_window(150, 450)), "accepted");
  EXPECT_NE(refusal(by_id, device_window(0, 300), host_window(151, 451)), "accepted");
}

TEST(Windows, OfTwoRunsWhoseIdsMeetTheSameNamesByChanceAreRefused) {
  Lines host = host_window(0, 300);
  for (int i = 0; i < 300; i += 5) host[std::size_t(i)] = node(i + 2, "another", 1, i + 1);
  EXPECT_NE(refusal({.method = MatchMethod::kRfId}, device_window(0, 300), host), "accepted");
}

TEST(Windows, WhoseCommonOpsAreInAnotherOrderAreRefused) {
  Lines device;
  for (int i = 0; i < 200; ++i) device.push_back(op(name_of(i), 10.0 * (i ^ 1), 5, i + 1));
  const MatchOptions by_id{.method = MatchMethod::kRfId};
  EXPECT_EQ(refusal(by_id, device, host_window(0, 200)), "accepted") << "one window of both";
  EXPECT_NE(refusal(by_id, device, host_window(0, 300)), "accepted");
}

TEST(Windows, AThreadThatTheProfilerDidNotRecordIsLeftOut) {
  Lines host;
  for (int i = 0; i < 200; ++i) {  // ids count up over all threads
    host.push_back(node(1000 + 2 * i, name_of(i), 1, i + 1));
    if (i % 50 == 0) host.push_back(node(1001 + 2 * i, "helper", 1, 5000 + i, 2));
  }
  const LinkedWindow linked = link_windows(device_window(60, 200), host);
  EXPECT_EQ(linked.diagnostics.count(Finding::kHostThreadNotProfiled), 1U);
  EXPECT_EQ(linked.diagnostics.count(Finding::kUntimedOps), 0U);
  EXPECT_EQ(linked.host_left_out(), 60U);
}

TEST(Windows, AreFoundByOrderWhereIdsAreMissing) {
  for (const MatchMethod method : {MatchMethod::kAuto, MatchMethod::kOrder}) {
    const LinkedWindow linked =
        link_windows(device_window(60, 200, false), host_window(0, 200), {.method = method});
    EXPECT_EQ(linked.host_left_out(), 60U);
    EXPECT_EQ(linked.trace.matched_host_op_count, 140U);
    EXPECT_EQ(op_name(linked.trace, 0), "op60");
  }
}

/// Iterations of one program, alike but for sequence numbers: 60 ops of the main thread, 100 of a
/// backward thread, 40 of the main thread. Ops [first, end) of all, as either trace has them.
struct Iterations {
  static constexpr int kOps = 200;
  static bool is_backward(int op) { return op % kOps >= 60 && op % kOps < 160; }
  static Lines device(int first, int end) {
    Lines lines;
    for (int i = first; i < end; ++i)
      lines.push_back(op(name_of(i % kOps / 2), 10.0 * i, 5, 0, is_backward(i) ? 200 : 100,
                         fmt::format(R"("Sequence number": {})", i)));
    return lines;
  }
  static Lines host(int first, int end, int number_shift = 0) {
    Lines lines;
    for (int i = first; i < end; ++i)
      lines.push_back(node(i + 2, name_of(i % kOps / 2), 1, 0, is_backward(i) ? 2 : 1,
                           fmt::format(R"("seq_id": {})", i + number_shift)));
    return lines;
  }
  /// The first and the last op that were linked, "-" if any is linked to another.
  static std::string linked(const LinkedTrace& trace) {
    std::uint64_t first = ~0ULL, last = 0, wrong = 0;
    for (std::size_t row = 0; row < trace.ops.size(); ++row) {
      if (!trace.ops.host[row] || !trace.ops.profiler[row]) continue;
      const std::uint64_t op = trace.host.ops.id[trace.ops.host[row]] - 2;
      first = std::min(first, op);
      last = std::max(last, op);
      wrong += trace.ops.start_ns[row] == Ns(op) * 10000 ? 0 : 1;
    }
    return wrong == 0 ? fmt::format("{} to {}", first, last) : "-";
  }
};

TEST(Windows, OfIterationsAlikeAreFoundByOrderWhereSequenceNumbersAreEqual) {
  constexpr int kOps = Iterations::kOps;
  for (const auto& [first, end] : {std::pair{0, 3 * kOps / 2},
                                   {kOps / 2, 2 * kOps},
                                   {kOps + 100, 3 * kOps - 50},
                                   {2 * kOps, 3 * kOps}}) {
    const std::string expected = fmt::format("{} to {}", first, end - 1);
    const LinkedWindow device_cut =
        link_windows(Iterations::device(first, end), Iterations::host(0, 3 * kOps));
    EXPECT_EQ(Iterations::linked(device_cut.trace), expected) << "device";
    EXPECT_EQ(device_cut.host_left_out(), 3U * kOps - unsigned(end - first));
    const LinkedWindow host_cut =
        link_windows(Iterations::device(0, 3 * kOps), Iterations::host(first, end));
    EXPECT_EQ(Iterations::linked(host_cut.trace), expected) << "host";
  }
}

TEST(Windows, ThatBeginWithinTheBackwardPassCutAllThreadsThere) {
  const int begin = 110, end = 2 * Iterations::kOps;
  const Lines host = Iterations::host(0, end, 5000);  // of a run that counted otherwise
  const LinkedWindow linked = link_windows(Iterations::device(begin, end), host);
  EXPECT_EQ(Iterations::linked(linked.trace), fmt::format("{} to {}", begin, end - 1));
  EXPECT_EQ(linked.trace.matched_host_op_count, unsigned(end - begin));
}

TEST(Windows, AreNotLookedForWhereAnIterationIsWished) {
  EXPECT_NE(refusal({.iteration_pick = {IterationPickKind::kFirst}}, device_window(60, 200, false),
                    host_window(0, 200)),
            "accepted");
}

TEST(Windows, WithMatchForceNothingIsLeftOut) {
  const LinkedWindow linked =
      link_windows(device_window(60, 220), host_window(0, 200), {.method = MatchMethod::kForce});
  EXPECT_EQ(linked.trace.ops.size(), 220U);
}

}  // namespace
}  // namespace nadi
