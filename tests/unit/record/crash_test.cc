// A process that dies while it records leaves traces that convert.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "tests/unit/record/recorded.h"

namespace nadi::record {
namespace {

using namespace test;

void run_steps(int count) {
  for (int number = 0; number < count; ++number) {
    const Step step(number);
    const Op op("op", number);
    const Launch call;
    DeviceRow row;
    row.name = "kernel";
    row.correlation = call.correlation();
    row.start_ns = now() + 1000;
    row.duration_ns = 500;
    add_device_row(row);
  }
}

// Runs in a process of its own until it has died of this signal.
template <class Program>
void die(const Files& files, int expected_signal, const Program& program) {
  const pid_t child = ::fork();
  if (child == 0) {
    Settings settings = files.settings();
    settings.flush_ns = 5'000'000;
    start(settings);
    program();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(WTERMSIG(status), expected_signal);
}

void expect_steps(const Files& files, std::uint64_t least) {
  Diagnostics diagnostics;
  const LinkedTrace linked = link_recorded(files, diagnostics);
  EXPECT_GE(linked.host_op_count, 2 * least);
  EXPECT_EQ(linked.matched_host_op_count, linked.host_op_count);
  EXPECT_GE(linked.rows.evidence.size(), least);
  // The end may fall between a row and the end of its launch.
  EXPECT_LE(std::count(linked.rows.evidence.begin(), linked.rows.evidence.end(),
                       LinkEvidence::kUnlaunched),
            1);
  EXPECT_GT(
      diagnostics.count(Finding::kObserverNotStopped) + diagnostics.count(Finding::kTruncatedInput),
      0U);
}

TEST(Crash, WhatWasFlushedBeforeAKillIsConverted) {
  const Files files;
  die(files, SIGKILL, [] {
    run_steps(50);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    const Op open("open at the kill");
    ::kill(::getpid(), SIGKILL);
  });
  expect_steps(files, 50);
}

TEST(Crash, AnAbortInTheMiddleOfWritingLeavesWhatWasWritten) {
  const Files files;
  const std::string host = files.host();
  die(files, SIGABRT, [&] {
    for (int i = 0; i < 1000 && std::filesystem::file_size(host) < 2'000'000; ++i) run_steps(500);
    std::abort();  // the writer is at work
  });
  expect_steps(files, 500);
}

// Kinds of what was lost, with host or device trace cut to `bytes`.
void expect_cut(const Files& files, const std::string& path, const std::string& whole,
                std::size_t bytes) {
  std::ofstream(path, std::ios::binary) << whole.substr(0, bytes);
  Diagnostics diagnostics;
  const LinkedTrace linked = link_recorded(files, diagnostics);
  EXPECT_GE(linked.matched_host_op_count, 360U) << path << " cut at " << bytes;
  EXPECT_GT(diagnostics.table().size(), 0U) << path << " cut at " << bytes;
  std::ofstream(path, std::ios::binary) << whole;
}

TEST(Crash, ATraceCutAnywhereKeepsWhatIsBeforeTheCut) {
  const Files files;
  start(files.settings());
  run_steps(200);  // 400 ops
  stop();
  for (const std::string& path : {files.host(), files.device()}) {
    const std::string whole = Files::text(path);
    for (std::size_t lost = 8; lost < whole.size() / 20; lost += 211)
      expect_cut(files, path, whole, whole.size() - lost);
  }
}

}  // namespace
}  // namespace nadi::record
