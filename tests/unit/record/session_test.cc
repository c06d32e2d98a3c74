// Recordings start and stop at run time, whatever threads and open ops there are.
#include <sys/wait.h>

#include <set>
#include <thread>
#include <vector>

#include "nadi/base/error.h"
#include "tests/error_of.h"
#include "tests/unit/record/recorded.h"

namespace nadi::record {
namespace {

using namespace test;
using nlohmann::json;

TEST(Session, OpsOpenAtTheStopAreClosedThen) {
  const Files files;
  start(files.settings(step_clock));
  Summary summary;
  {
    const Op outer("outer");
    const Op inner("inner");
    const Launch call;
    summary = stop();
  }
  const Recorded recorded = read_recorded(files, summary);
  EXPECT_EQ(summary.ops, 2U);
  EXPECT_EQ(summary.calls, 1U);
  EXPECT_EQ(summary.open_ops, 2U);
  EXPECT_EQ(recorded.node("inner")["ctrl_deps"], recorded.node("outer")["id"]);
}

TEST(Session, OneRecordingFollowsAnotherAndOpsOfTheFirstAreNotInTheSecond) {
  const Files first, second;
  start(first.settings(step_clock));
  const std::uint64_t old = begin_op(OpKind::kOp, "old", {});
  stop();
  start(second.settings(step_clock));
  { const Op op("new"); }
  add_outputs(old, {});
  end_op(old);
  const Summary summary = stop();
  EXPECT_EQ(summary.lost_ends, 1U);
  EXPECT_EQ(summary.left_out, 1U);
  const Recorded recorded = read_recorded(second);
  EXPECT_TRUE(recorded.node("old").is_null());
  EXPECT_FALSE(recorded.node("new").is_null());
}

TEST(Session, ASecondStartIsRefusedAndTheFirstGoesOn) {
  const Files files, others;
  start(files.settings(step_clock));
  const Error error = error_of([&] { start(others.settings()); });
  EXPECT_EQ(error.code(), ErrorCode::kUsage);
  EXPECT_STREQ(error.what(), "record: a recording runs already. Stop it first");
  { const Op op("op"); }
  EXPECT_EQ(stop().ops, 1U);
  EXPECT_EQ(stop().ops, 0U);
}

TEST(Session, AFileThatCannotBeWrittenIsNamedAndNothingRuns) {
  const Files files;
  Settings settings = files.settings();
  settings.device_file = "/no/such/folder/device.json";
  const Error error = error_of([&] { start(settings); });
  EXPECT_EQ(error.code(), ErrorCode::kInput);
  EXPECT_EQ(error.where(), "/no/such/folder/device.json");
  EXPECT_FALSE(is_recording());
}

TEST(Session, SettingsThatCannotBeAreRefused) {
  const Files files;
  for (const auto& change : std::vector<void (*)(Settings&)>{
           [](Settings& s) { s.host_file.clear(); },
           [](Settings& s) { s.device_file = s.host_file; },
           [](Settings& s) { s.flush_ns = 0; },
           [](Settings& s) { s.rank = 4, s.world_size = 4; },
           [](Settings& s) { s.rank = -7; },
           [](Settings& s) { s.world_size = 0; },
           [](Settings& s) { s.world_size = -3; },
           [](Settings& s) { s.most_buffered_bytes = 0; },
       }) {
    Settings settings = files.settings();
    change(settings);
    EXPECT_THROW(start(settings), Error);
  }
  EXPECT_FALSE(is_recording());
}

TEST(Session, AFullDiskIsToldAtTheStop) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const Files files;
  Settings settings = files.settings();
  settings.host_file = "/dev/full";
  start(settings);
  { const Op op("op"); }
  EXPECT_EQ(error_of([] { stop(); }).where(), "/dev/full");
  EXPECT_FALSE(is_recording());
}

TEST(Session, EveryThreadHasItsRootItsNumberAndItsName) {
  const Recorded recorded = record_program([] {
    { const Op op("main"); }
    for (int i = 0; i < 3; ++i)
      std::thread([i] {
        name_thread("worker " + std::to_string(i));
        const Op op("op " + std::to_string(i));
      }).join();
  });
  std::set<json> roots, tids, os_tids, names;
  for (const char* name : {"main", "op 0", "op 1", "op 2"}) {
    roots.insert(recorded.node(name)["ctrl_deps"]);
    tids.insert(recorded.attribute(name, "tid"));
    os_tids.insert(recorded.event("cpu_op", name)["tid"]);
  }
  EXPECT_EQ(roots.size(), 4U);
  EXPECT_EQ(tids, (std::set<json>{1, 2, 3, 4}));
  EXPECT_EQ(os_tids.size(), 4U);  // also where the system gives a number again
  for (const auto& event : recorded.device["traceEvents"])
    if (event["name"] == "thread_name") names.insert(event["args"]["name"]);
  for (const char* name : {"worker 0", "worker 1", "worker 2"})
    EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_EQ(recorded.summary.threads, 4U);
}

TEST(Session, ManyThreadsRecordAtOnceAndAllIsLinked) {
  constexpr int kThreads = 8, kOps = 2000;
  const Files files;
  Settings settings = files.settings();
  settings.flush_ns = 1'000'000;
  start(settings);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([] {
      for (int n = 0; n < kOps / 2; ++n) {
        Op outer("outer", n);
        const Op inner("inner", 0.5, "text");
        outer.outputs(n);
      }
    });
  for (std::thread& thread : threads) thread.join();
  const Summary summary = stop();
  EXPECT_EQ(summary.ops, std::uint64_t{kThreads} * kOps);
  EXPECT_EQ(summary.lost_ends, 0U);
  const LinkedTrace linked = link_whole(files);
  EXPECT_EQ(linked.host_op_count, std::uint64_t{kThreads} * kOps);
  EXPECT_EQ(linked.matched_host_op_count, linked.host_op_count);
}

TEST(Session, ThreadsThatRecordWhileItStartsAndStopsHarmNothing) {
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      while (!is_over) {
        for (int n = 0; n < 20; ++n) {
          Op op("op", 1);
          const Op inner("inner");
          op.outputs(2);
        }
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
    });
  for (int round = 0; round < 10; ++round) {
    const Files files;
    Settings settings = files.settings();
    settings.flush_ns = 200'000;
    start(settings);
    { const Op op("of the thread that starts and stops"); }
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    const Summary summary = stop();
    const LinkedTrace linked = link_whole(files);
    EXPECT_EQ(linked.host_op_count, summary.ops);
    EXPECT_EQ(linked.matched_host_op_count, summary.ops);
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(Session, AThreadFasterThanTheWriterWaitsAndLosesNothing) {
  const Files files;
  Settings settings = files.settings();
  settings.most_buffered_bytes = 1 << 16;
  start(settings);
  const std::string name(100, 'x');
  for (int i = 0; i < 20'000; ++i) const Op op(name);
  const Summary summary = stop();
  EXPECT_EQ(summary.ops, 20'000U);
  EXPECT_GT(summary.stalls, 0U);
}

TEST(Session, AForkedProcessRecordsNothingAndMayExit) {
  const Files files;
  start(files.settings());
  { const Op op("before"); }
  const pid_t child = ::fork();
  if (child == 0) {
    const bool was_recording = is_recording();
    { const Op op("in the child"); }
    stop();
    ::_exit(was_recording ? 1 : 0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  { const Op op("after"); }
  const Summary summary = stop();
  EXPECT_EQ(status, 0);
  EXPECT_EQ(summary.ops, 2U);
  EXPECT_TRUE(read_recorded(files).node("in the child").is_null());
}

TEST(Session, TimesAreThoseOfTheMonotonicClock) {
  const Files files;
  Ns first = 0, second = 0;
  start(files.settings());
  for (Ns* time : {&first, &second}) {
    DeviceRow row;
    row.name = "row";
    row.start_ns = *time = now();
    add_device_row(row);
    const Op op("op");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  stop();
  const Recorded recorded = read_recorded(files);
  std::vector<double> rows, ops;
  for (const auto& event : recorded.device["traceEvents"]) {
    if (event.value("cat", "") == "kernel") rows.push_back(event["ts"]);
    if (event.value("cat", "") == "cpu_op") ops.push_back(event["ts"]);
  }
  ASSERT_EQ(rows.size(), 2U);
  ASSERT_EQ(ops.size(), 2U);
  EXPECT_NEAR(rows[1] - rows[0], static_cast<double>(second - first) / 1000, 0.01);
  for (int i : {0, 1}) {  // the op began right after its row was told
    EXPECT_GT(ops[i] - rows[i], -1.0);
    EXPECT_LT(ops[i] - rows[i], 15'000.0);
  }
}

TEST(Session, AProgramsOwnClockMayBeginAtZero) {
  static std::atomic<Ns> time{0};
  const Files files;
  start(files.settings([] { return time.load(); }));
  { const Op op("op"); }
  stop();
  const LinkedTrace linked = link_whole(files);
  EXPECT_EQ(linked.matched_host_op_count, 1U);  // K8: ts 0 with dur 0 would be garbage
}

}  // namespace
}  // namespace nadi::record
