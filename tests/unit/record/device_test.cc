// Calls, device rows and waits: as Kineto writes them, and as the linker understands them.
#include <algorithm>
#include <limits>

#include "tests/unit/record/recorded.h"

namespace nadi::record {
namespace {

using namespace test;
using nlohmann::json;

void add_row(std::uint64_t correlation, std::int64_t stream, Ns start, Ns duration,
             DeviceRowKind kind = DeviceRowKind::kKernel) {
  DeviceRow row;
  row.kind = kind;
  row.name = "row";
  row.stream = stream;
  row.correlation = correlation;
  row.start_ns = start;
  row.duration_ns = duration;
  row.bytes = kind == DeviceRowKind::kKernel ? -1 : 4096;
  add_device_row(row);
}

std::uint64_t launch(std::int64_t stream, Ns duration) {
  const Launch call;
  add_row(call.correlation(), stream, now() + 1000, duration);
  return call.correlation();
}

TEST(Device, ALaunchAndItsRowShareTheCorrelationAndAFlow) {
  const Recorded recorded = record_program([] {
    const Op op("op");
    launch(7, 2500);
  });
  const json call = recorded.event("cuda_runtime", "cudaLaunchKernel"),
             row = recorded.event("kernel");
  EXPECT_EQ(call["args"]["correlation"], row["args"]["correlation"]);
  EXPECT_EQ(call["args"]["External id"], recorded.node("op")["id"]);
  EXPECT_EQ(row["args"]["stream"], 7);
  EXPECT_DOUBLE_EQ(row["dur"], 2.5);
  EXPECT_EQ(recorded.count("ac2g"), 2U);
}

TEST(Device, TimesOfRowsKeepTheirNanoseconds) {
  const Recorded recorded = record_program([] {
    const Ns time = now();
    add_row(0, 7, time + 1234567, 1);
    add_row(0, 7, time, 0);
  });
  json rows = json::array();
  for (const auto& event : recorded.device["traceEvents"])
    if (event.value("cat", "") == "kernel") rows.push_back(event);
  EXPECT_NEAR(rows[0]["ts"].get<double>() - rows[1]["ts"].get<double>(), 1234.567, 1e-6);
  EXPECT_DOUBLE_EQ(rows[0]["dur"], 0.001);
}

TEST(Device, ATimeBeforeAllOthersIsNotAfterThem) {
  const Recorded recorded = record_program([] {
    add_row(0, 7, std::numeric_limits<Ns>::min(), 1);
    add_row(0, 8, std::numeric_limits<Ns>::max(), 1);
  });
  EXPECT_LT(recorded.event("kernel")["ts"], 0);
}

TEST(Device, CopiesAndSetsTellTheirBytes) {
  const Recorded recorded = record_program([] {
    add_row(0, 7, now(), 10, DeviceRowKind::kCopy);
    add_row(0, 7, now(), 10, DeviceRowKind::kSet);
  });
  EXPECT_EQ(recorded.event("gpu_memcpy")["args"]["bytes"], 4096);
  EXPECT_EQ(recorded.event("gpu_memset")["args"]["bytes"], 4096);
}

const StreamAction* find_action(const LinkedTrace& linked, StreamActionKind kind) {
  const auto found = std::find_if(linked.actions.begin(), linked.actions.end(),
                                  [&](const StreamAction& action) { return action.kind == kind; });
  return found == linked.actions.end() ? nullptr : &*found;
}

TEST(Device, EveryWaitIsToldAndNoneIsGuessed) {
  const Files files;
  start(files.settings(step_clock));
  {
    const Op op("op");
    launch(7, 2000);
    { const EventRecord record(0, 7, 5); }
    { const StreamWait wait(0, 9, 5); }
    launch(9, 2000);
    { const EventSync sync(0, 5); }
    { const StreamSync sync(0, 9); }
    { const DeviceSync sync(0); }
  }
  stop();
  const LinkedTrace linked = link_whole(files);
  const StreamAction* wait = find_action(linked, StreamActionKind::kStreamWaitEvent);
  ASSERT_NE(wait, nullptr);
  EXPECT_EQ(linked.lanes[wait->lane.value].stream, 9);
  EXPECT_EQ(linked.lanes[linked.actions[wait->record].lane.value].stream, 7);
  const StreamAction* stream = find_action(linked, StreamActionKind::kHostWaitStream);
  ASSERT_NE(stream, nullptr);
  EXPECT_EQ(linked.lanes[stream->lane.value].stream, 9);
  EXPECT_NE(find_action(linked, StreamActionKind::kHostWaitEvent), nullptr);
  EXPECT_NE(find_action(linked, StreamActionKind::kHostWaitDevice), nullptr);
  for (const StreamAction& action : linked.actions) EXPECT_FALSE(is_guess(action.inferred));
}

TEST(Device, AWaitMeansTheEventsLastRecordBeforeIt) {
  const Files files;
  start(files.settings(step_clock));
  {
    const Op op("op");
    launch(7, 2000);
    { const EventRecord record(0, 7, 5); }
    launch(8, 2000);
    { const EventRecord record(0, 8, 5); }
    { const StreamWait wait(0, 9, 5); }
    { const EventRecord record(0, 7, 5); }
  }
  stop();
  const LinkedTrace linked = link_whole(files);
  const StreamAction* wait = find_action(linked, StreamActionKind::kStreamWaitEvent);
  ASSERT_NE(wait, nullptr);
  EXPECT_EQ(linked.lanes[linked.actions[wait->record].lane.value].stream, 8);
}

TEST(Device, EveryOpIsMatchedAndEveryRowHasItsLaunch) {
  const Files files;
  start(files.settings());
  for (int number = 0; number < 20; ++number) {
    const Step step(number);
    const Op outer("outer", number);
    for (int i = 0; i < 5; ++i) {
      const Op inner("inner");
      launch(7 + i % 2, 3000);
    }
    const Op empty("empty");
  }
  const Summary summary = stop();
  const LinkedTrace linked = link_whole(files);
  EXPECT_EQ(summary.ops, 20U * 8);
  EXPECT_EQ(linked.host_op_count, 20U * 8);
  EXPECT_EQ(linked.matched_host_op_count, linked.host_op_count);
  ASSERT_EQ(linked.rows.evidence.size(), 100U);
  for (std::size_t row = 0; row < linked.rows.evidence.size(); ++row) {
    EXPECT_EQ(linked.rows.evidence[row], LinkEvidence::kCorrelation);
    ASSERT_TRUE(linked.rows.parent[row]);
    EXPECT_EQ(linked.strings[linked.ops.name[linked.rows.parent[row]]], "inner");
  }
}

}  // namespace
}  // namespace nadi::record
