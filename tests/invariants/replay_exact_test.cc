// An unchanged graph with all delays replays in the time that was measured.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "nadi/converters/read_traces.h"
#include "nadi/sim_bridge/replay/report.h"
#include "tests/invariants/replay_job_files.h"
#include "tests/readme_text.h"
#include "tests/vm/programs.h"

namespace nadi {
namespace {

constexpr double kMostError = 0.5;  // %
const std::filesystem::path kTraces = NADI_SHARED_TRACES;

struct Files {
  const char* name;
  std::vector<TraceFiles> ranks;
  const char* in_readme = nullptr;  ///< the name in the table of sim_bridge/replay/README.md
  friend void PrintTo(const Files& files, std::ostream* out) { *out << files.name; }
};

TraceFiles files(const std::string& device, const std::string& host = "") {
  TraceFiles result;
  result.device = kTraces / device;
  if (!host.empty()) result.host = kTraces / host;
  return result;
}

const std::vector<Files>& real_traces() {
  static const std::vector<Files> all = {
      {"resnet", {files("resnet-2gpu/device.json.gz", "resnet-2gpu/host.json.gz")}, "resnet-2gpu"},
      {"resnet_device_alone", {files("resnet-2gpu/device.json.gz")}},
      {"cuda_graph", {files("cuda-graph/device.json.gz")}, "cuda-graph"},
      {"rocm", {files("rocm/device.json.gz")}, "rocm"},
      {"linear", {files("linear/device.json.gz")}, "linear (39 iterations)"},
      {"event_sync", {files("event-sync/device.json.gz")}, "event-sync"},
      {"events", {files("events/device.json.gz")}, "events"},
      {"trace_diff_control", {files("trace-diff/control.json.gz")}, "trace-diff control"},
      {"trace_diff_test", {files("trace-diff/test.json.gz")}, "trace-diff test"},
      {"dependent_launch", {files("dependent-launch/device.json.gz")}, "dependent-launch"},
      {"wait_without_record", {files("wait-without-record/device.json.gz")}, "wait-without-record"},
      {"late_return", {files("late-return/device.json.gz")}, "late-return"},
      {"mtia", {files("mtia/device.json.gz")}, "mtia"},
      {"recommender", {files("recommender/device.json.gz")}, "recommender"},
      {"dlrm_0", {files("dlrm-8gpu/device.0.json.gz")}},
      {"dlrm_1", {files("dlrm-8gpu/device.1.json.gz")}},
      {"dlrm_2", {files("dlrm-8gpu/device.2.json.gz")}},
      {"dlrm_3", {files("dlrm-8gpu/device.3.json.gz")}},
      {"dlrm_4_ranks",
       {files("dlrm-8gpu/device.0.json.gz", "dlrm-8gpu/host.0.json.gz"),
        files("dlrm-8gpu/device.1.json.gz", "dlrm-8gpu/host.1.json.gz"),
        files("dlrm-8gpu/device.2.json.gz", "dlrm-8gpu/host.2.json.gz"),
        files("dlrm-8gpu/device.3.json.gz", "dlrm-8gpu/host.3.json.gz")},
       "dlrm-8gpu, ranks 0-3 together"},
  };
  return all;
}

std::vector<Graph> convert(const Files& what, Delays delays) {
  std::vector<Graph> graphs;
  GraphOptions options;
  options.delays = delays;
  for (const TraceFiles& rank : what.ranks) {
    Diagnostics diagnostics;
    const LinkedTrace linked = read_and_link(rank, {}, false, diagnostics);
    graphs.push_back(reload(linked, build_graph(linked, options, diagnostics), what.name));
  }
  return graphs;
}

ReplayReport report_of(const std::vector<Graph>& graphs) {
  Diagnostics diagnostics;
  const ReplayJob job = make_replay_job(graphs, diagnostics);
  return make_replay_report(job, measured_times(job), replay(job), nullptr, {});
}

/// "| rocm | 86.605 | 0.00 % | -0.36 % | -7.02 % | 76.2 % |": `reports` by --delays all, host,
/// none.
std::string table_row(const std::string& name, const std::vector<ReplayReport>& reports) {
  const ReplayReport& all = reports.front();
  std::string row = fmt::format("| {} | {} |", name, test::millis_text(all.measured_ns.value()));
  for (const ReplayReport& report : reports)
    row += fmt::format(" {} % |", test::decimal_text(report.error_percent().value(), 2));
  return row + fmt::format(" {:.1f} % |", 100 * static_cast<double>(all.explained_ns.value()) /
                                              static_cast<double>(all.idle_ns.value()));
}

class RealReplay : public testing::TestWithParam<Files> {};

TEST_P(RealReplay, OfAnUnchangedGraphWithAllDelaysTakesTheMeasuredTime) {
  for (const TraceFiles& rank : GetParam().ranks)
    if (!std::filesystem::exists(rank.device))
      GTEST_SKIP() << "no real traces beside this repository: " << rank.device;
  std::vector<ReplayReport> reports;
  for (const Delays delays : {Delays::kAll, Delays::kHost, Delays::kNone})
    reports.push_back(report_of(convert(GetParam(), delays)));
  const ReplayReport& all = reports.front();
  EXPECT_GT(all.measured_ns.value(), 0);
  EXPECT_LE(std::abs(all.error_percent().value()), kMostError);
  for (const ReplayReport& report : reports) {
    EXPECT_EQ(report.measured_ns, all.measured_ns);
    EXPECT_LE(report.replayed_ns, all.replayed_ns);
    EXPECT_EQ(report.explained_ns, all.explained_ns);
  }
  const char* in_readme = GetParam().in_readme;
  const std::string row = table_row(in_readme == nullptr ? GetParam().name : in_readme, reports);
  fmt::print("{}\n", row);
  if (in_readme != nullptr) test::expect_readme_row("sim_bridge/replay/README.md", row);
}

TEST(RealReplayByDefault, IsWithinTwoPercentOfTheMeasuredTime) {
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  for (const Files& trace : real_traces()) {
    const std::string name = trace.name;
    if (name != "resnet" && name != "late_return" && name != "dependent_launch" &&
        name != "dlrm_4_ranks")
      continue;
    EXPECT_LE(std::abs(report_of(convert(trace, Delays::kHost)).error_percent().value()), 2)
        << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Traces, RealReplay, testing::ValuesIn(real_traces()),
                         [](const auto& trace) { return std::string(trace.param.name); });

TEST(VmReplay, OfAnUnchangedGraphWithAllDelaysStartsAndEndsEveryNodeWhenMeasured) {
  for (const std::string& name : replayed_programs()) {
    SCOPED_TRACE(name);
    const vm::Program program = vm::make_program(name);
    const vm::Execution run = vm::execute(program);
    const std::vector<Graph> graphs = job_of_program(program, run, Delays::kAll);
    Diagnostics diagnostics;
    const ReplayJob job = make_replay_job(graphs, diagnostics);
    EXPECT_TRUE(diagnostics.table().empty()) << diagnostics.table().front().first.front();
    const ReplayTimes measured = measured_times(job), replayed = replay(job);
    EXPECT_EQ(span_of(job, measured).length(), true_span(program, run));
    for (std::uint32_t node = 0; node < job.size(); ++node) {
      if (job.graph(node).kind[job.row(node)] == NodeKind::kDelay) continue;
      ASSERT_EQ(replayed.start_ns[node], measured.start_ns[node]) << job.text(node);
      ASSERT_EQ(replayed.end_ns[node], measured.end_ns[node]) << job.text(node);
    }
  }
}

}  // namespace
}  // namespace nadi
