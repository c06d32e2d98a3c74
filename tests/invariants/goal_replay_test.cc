// A schedule on a network that costs nothing takes the time that the graphs' replay takes without
// communication, with one lane also where a simulator ignores what other processors do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "nadi/converters/read_traces.h"
#include "nadi/sim_bridge/goal/write_goal.h"
#include "nadi/sim_bridge/job/make_job.h"
#include "nadi/sim_bridge/replay/replay.h"
#include "tests/invariants/replay_job_files.h"
#include "tests/readme_text.h"
#include "tests/unit/goal/goal_run.h"
#include "tests/vm/programs.h"

namespace nadi {
namespace {

constexpr double kMostError = 0.001;
const std::filesystem::path kTraces = NADI_SHARED_TRACES;
const std::filesystem::path kSamples = NADI_TEST_DATA;

struct JobTraces {
  const char* name;
  std::vector<const char*> devices;  ///< below the folder, by rank
};

std::vector<Graph> graphs_of(const std::filesystem::path& folder, const JobTraces& traces) {
  std::vector<Graph> graphs;
  GraphOptions options;
  options.delays = Delays::kAll;
  for (const std::string device : traces.devices) {
    TraceFiles files;
    files.device = folder / device;
    const std::size_t place = device.find("device.");
    if (place != std::string::npos)
      files.host = folder / std::string(device).replace(place, 6, "host");
    if (!std::filesystem::exists(files.host)) files.host.clear();
    Diagnostics diagnostics;
    const LinkedTrace linked = read_and_link(files, {}, false, diagnostics);
    graphs.push_back(reload(linked, build_graph(linked, options, diagnostics), files.device));
  }
  return graphs;
}

Ns replayed_without_communication(const std::vector<Graph>& graphs) {
  Diagnostics diagnostics;
  const ReplayTimes times =
      replay(make_replay_job(graphs, diagnostics), {.scales = {parse_scale("comm=0")}});
  return *std::max_element(times.end_ns.begin(), times.end_ns.end());
}

Ns scheduled_without_network(const std::vector<Graph>& graphs,
                             const goal::GoalOptions& options = {},
                             const goal::GoalRunOptions& run_options = {}) {
  Diagnostics diagnostics;
  RecordedGraphs recorded(graphs.size(),
                          [&](std::size_t graph, const auto& take) { take(graphs[graph]); });
  Job job = make_job(std::move(recorded), MissingRanks::kDrop, diagnostics);
  std::string text;
  goal::write_goal(
      job, options, [&](std::string_view piece) { text += piece; }, diagnostics);
  const goal::GoalSchedule schedule = goal::read_goal(text);
  for (const std::string& problem : schedule.problems) ADD_FAILURE() << problem;
  const goal::GoalRun run = goal::run_goal(schedule, run_options);
  EXPECT_EQ(run.stuck, 0U);
  return run.makespan_ns;
}

/// The largest difference among some jobs, in %, and of which it is.
struct Worst {
  double percent = 0;
  std::string job;
  void add(double other, const std::string& of) {
    if (std::abs(other) > std::abs(percent)) percent = other, job = of;
  }
  /// "+1.8 % (dlrm_4_ranks)"
  std::string text(int digits) const {
    const std::string number = test::decimal_text(percent, digits, true) + " %";
    return number.starts_with("0.") ? number : number + " (" + job + ")";
  }
};

/// How far schedules are from the replays of their graphs, as the table of
/// sim_bridge/goal/README.md has it.
class GoalReplay : public testing::Test {
 protected:
  void expect_equal_times(const std::vector<Graph>& graphs, const std::string& name);
  void expect_readme_row(const std::string& jobs) const {
    test::expect_readme_row("sim_bridge/goal/README.md",
                            fmt::format("| {} | {} | {} | {} |", jobs, schedule_.text(3),
                                        one_lane_.text(1), lanes_ignored_.text(1)));
  }

  Worst schedule_, one_lane_, lanes_ignored_;
};

void GoalReplay::expect_equal_times(const std::vector<Graph>& graphs, const std::string& name) {
  const auto replayed = static_cast<double>(replayed_without_communication(graphs));
  const auto with_lanes = static_cast<double>(scheduled_without_network(graphs));
  // Of a single lane, and of lanes, in a simulator that ignores ends between cpus.
  const goal::GoalRunOptions ignored{.between = goal::Between::kIgnored};
  const auto one =
      static_cast<double>(scheduled_without_network(graphs, {.lanes = goal::Lanes::kOne}, ignored));
  const auto lanes_ignored = static_cast<double>(scheduled_without_network(graphs, {}, ignored));
  const auto percent = [&](double time) { return 100 * (time / replayed - 1); };
  fmt::print("{:22} {:14.3f} us, schedule {:+.3f} %; spcl's: one lane {:+.2f} %, lanes {:+.2f} %\n",
             name, replayed / 1000, percent(with_lanes), percent(one), percent(lanes_ignored));
  schedule_.add(percent(with_lanes), name);
  one_lane_.add(percent(one), name);
  lanes_ignored_.add(percent(lanes_ignored), name);
  EXPECT_NEAR(with_lanes, replayed, kMostError * replayed);
  if (graphs.size() == 1)
    EXPECT_NEAR(one, replayed, kMostError * replayed);
  else
    EXPECT_GE(one, replayed * (1 - kMostError));
  EXPECT_LT(lanes_ignored, replayed);
}

TEST_F(GoalReplay, OfRealTracesIsThatOfTheirGraphsWithoutCommunication) {
  if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no real traces beside this repository";
  for (const JobTraces& traces :
       std::vector<JobTraces>{{"resnet", {"resnet-2gpu/device.json.gz"}},
                              {"cuda_graph", {"cuda-graph/device.json.gz"}},
                              {"rocm", {"rocm/device.json.gz"}},
                              {"linear", {"linear/device.json.gz"}},
                              {"event_sync", {"event-sync/device.json.gz"}},
                              {"events", {"events/device.json.gz"}},
                              {"trace_diff_control", {"trace-diff/control.json.gz"}},
                              {"trace_diff_test", {"trace-diff/test.json.gz"}},
                              {"dependent_launch", {"dependent-launch/device.json.gz"}},
                              {"wait_without_record", {"wait-without-record/device.json.gz"}},
                              {"late_return", {"late-return/device.json.gz"}},
                              {"mtia", {"mtia/device.json.gz"}},
                              {"dlrm_0", {"dlrm-8gpu/device.0.json.gz"}},
                              {"dlrm_4_ranks",
                               {"dlrm-8gpu/device.0.json.gz", "dlrm-8gpu/device.1.json.gz",
                                "dlrm-8gpu/device.2.json.gz", "dlrm-8gpu/device.3.json.gz"}}}) {
    SCOPED_TRACE(traces.name);
    expect_equal_times(graphs_of(kTraces, traces), traces.name);
  }
  expect_readme_row("14 jobs of real traces");
}

TEST_F(GoalReplay, OfSamplesIsThatOfTheirGraphsWithoutCommunication) {
  for (const JobTraces& traces : std::vector<JobTraces>{
           {"ddp_2rank", {"ddp-2rank/device.0.json.gz", "ddp-2rank/device.1.json.gz"}},
           {"multi_step", {"multi-step/device.0.json.gz"}}}) {
    SCOPED_TRACE(traces.name);
    expect_equal_times(graphs_of(kSamples, traces), traces.name);
  }
  expect_readme_row("`tests/data`");
}

TEST_F(GoalReplay, OfProgramsIsThatOfTheirGraphsWithoutCommunication) {
  for (const std::string& name : replayed_programs()) {
    SCOPED_TRACE(name);
    const vm::Program program = vm::make_program(name);
    expect_equal_times(job_of_program(program, vm::execute(program), Delays::kAll), name);
  }
  expect_readme_row("18 programs of the virtual machine, 40 random ones");
}

TEST_F(GoalReplay, OfTrainingStepsOnOneLaneIsAtMostATenthLonger) {
  for (const char* name : {"ddp_step_2", "ddp_step_4", "pipeline", "tensor_parallel"}) {
    const vm::Program program = vm::make_program(name);
    expect_equal_times(job_of_program(program, vm::execute(program), Delays::kAll), name);
  }
  EXPECT_LE(one_lane_.percent, 10);
  expect_readme_row("of these ddp_step_2, ddp_step_4, pipeline, tensor_parallel");
}

}  // namespace
}  // namespace nadi
