// Jobs that become larger than they were recorded.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/chakra/load_chakra_graph.h"
#include "nadi/converters/archive/convert_ranks.h"
#include "nadi/converters/cli/network_files.h"
#include "nadi/converters/generate/generate.h"
#include "tests/file_bytes.h"
#include "tests/invariants/replay_job_files.h"
#include "tests/readme_text.h"
#include "tests/temporary_folder.h"
#include "tests/unit/goal/goal_reader.h"
#include "tests/unit/goal/goal_run.h"
#include "tests/vm/execute.h"
#include "tests/vm/programs.h"

namespace nadi {
namespace {

/// A transformer of few layers, trained in one of nadi generate's ways.
struct TrainingKind {
  const char* kind;
  std::int64_t tensor = 0, pipeline = 0, expert = 0;
};

constexpr TrainingKind kKinds[] = {{.kind = "data-parallel"},
                                   {.kind = "data-parallel", .tensor = 2},
                                   {.kind = "pipeline", .pipeline = 2},
                                   {.kind = "pipeline", .tensor = 2, .pipeline = 2},
                                   {.kind = "expert-parallel", .expert = 4},
                                   {.kind = "expert-parallel", .tensor = 2, .expert = 2}};

std::string text_of(const TrainingKind& kind) {
  return std::string(kind.kind) + ", tensor " + std::to_string(kind.tensor) + ", expert " +
         std::to_string(kind.expert);
}

/// Writes the job of so many ranks that nadi generate makes of it.
GenerateReport generate_job(const TrainingKind& kind, std::int64_t ranks,
                            const TemporaryFolder& folder) {
  GenerateOptions options;
  options.kind = kind.kind;
  options.output = folder / "g";
  options.npus = ranks;
  options.tensor = kind.tensor;
  options.pipeline = kind.pipeline;
  options.expert = kind.expert;
  options.shape.layers = 4;
  options.shape.hidden = 512;
  options.shape.sequence = 256;
  options.steps = 2;
  options.micro_batches = kind.pipeline > 1 ? 4 : 1;
  return generate(options);
}

/// The graphs of that job.
std::vector<Graph> generated(const TrainingKind& kind, std::int64_t ranks) {
  const TemporaryFolder folder;
  generate_job(kind, ranks, folder);
  std::vector<Graph> graphs;
  graphs.reserve(static_cast<std::size_t>(ranks));
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    graphs.push_back(
        load_chakra_graph(folder / ("g." + std::to_string(rank) + ".et"), {.shapes = true}));
  return graphs;
}

ConvertRanksReport written(const TemporaryFolder& out, RecordedGraphs graphs,
                           std::vector<std::int64_t> worlds, const GrowthOptions& growth = {},
                           const astra_sim::NetworkDimension& link = {}) {
  ConvertRanksOptions options;
  options.convert.output = out / "job";
  options.target = Target::kAstraSim;
  options.network.is_fitted = false;  // to no recorded time
  options.network.link = link;
  options.worlds = std::move(worlds);
  options.growth = growth;
  return write_job(std::move(graphs), options, {});
}

/// NPUs that stand beside the ranks of the job (sim_bridge/astra_sim/running.md, "Jobs that end").
std::int64_t idle_npus(const ConvertRanksReport& report) {
  return std::count_if(report.members.begin(), report.members.end(),
                       [](const JobMember& member) { return member.recorded_rank < 0; });
}

/// The check of all files that were written, copies included.
astra_sim::JobCheck check_of_all(const ConvertRanksReport& report) {
  astra_sim::CheckOptions check;
  for (const std::string& file : report.outputs) {
    if (file.ends_with(".et")) check.files.push_back(file);
    if (file.ends_with(".comm_groups.json")) check.comm_groups = file;
  }
  check.network =
      cli::read_job_network(report.prefix + ".network.yml", report.prefix + ".system.json");
  return astra_sim::check_job(check);
}

TEST(GrownJobs, OfTheSizeTheyAreGeneratedAtTakeTheTimeOfWhatGenerateWrites) {
  for (const TrainingKind& kind : kKinds) {
    SCOPED_TRACE(text_of(kind));
    const TemporaryFolder made, out;
    generate_job(kind, 8, made);
    astra_sim::CheckOptions own;
    for (int rank = 0; std::filesystem::exists(made / ("g." + std::to_string(rank) + ".et"));
         ++rank)
      own.files.push_back(made / ("g." + std::to_string(rank) + ".et"));
    own.comm_groups = made / "g.comm_groups.json";
    own.network = cli::read_job_network(made / "g.network.yml", made / "g.system.json");
    const auto rewritten = written(out, generated(kind, 8), {});
    const astra_sim::JobCheck checked = astra_sim::check_job(own);
    ASSERT_TRUE(checked.network_makespan_ns) << checked.network_unknown;
    const auto expected = static_cast<double>(*checked.network_makespan_ns);
    EXPECT_NEAR(static_cast<double>(*rewritten.check.network_makespan_ns), expected,
                5e-3 * expected);  // what all ranks issue has one order, which may be another
  }
}

TEST(GrownJobs, TakeTheTimeOfJobsGeneratedAtThatSizeOnTheNetwork) {
  for (const TrainingKind& kind : kKinds) {
    const RecordedGraphs graphs = generated(kind, 8);
    for (const std::int64_t world : {16, 64, 256}) {
      SCOPED_TRACE(text_of(kind) + ", ranks " + std::to_string(world));
      const TemporaryFolder grown, whole;
      const auto larger = written(grown, graphs, {world});
      const auto expected = written(whole, generated(kind, world), {});
      ASSERT_TRUE(expected.check.network_makespan_ns) << expected.check.network_unknown;
      ASSERT_TRUE(larger.check.network_makespan_ns) << larger.check.network_unknown;
      EXPECT_EQ(*larger.check.network_makespan_ns, *expected.check.network_makespan_ns);
      EXPECT_TRUE(larger.check.all_run);
      EXPECT_EQ(std::ssize(larger.members) - idle_npus(larger), world);
    }
  }
}

TEST(GrownJobs, OfWhichTheFirstCopyIsRunTakeAsLongAsAllOfTheirFiles) {
  for (const TrainingKind& kind : kKinds) {
    SCOPED_TRACE(text_of(kind));
    const TemporaryFolder out;
    const auto report = written(out, generated(kind, 8), {32});
    const astra_sim::JobCheck all = check_of_all(report);
    EXPECT_TRUE(all.all_run);
    EXPECT_FALSE(all.has_errors());
    EXPECT_EQ(all.nodes, report.check.nodes + static_cast<std::uint64_t>(idle_npus(report)));
    EXPECT_EQ(all.makespan_ns, report.check.makespan_ns);
    EXPECT_EQ(all.network_makespan_ns, report.check.network_makespan_ns);
  }
}

TEST(GrownJobs, OfSeveralSizesAreRunAtEachAndWrittenAtTheLast) {
  const TemporaryFolder out;
  const RecordedGraphs graphs = generated(kKinds[1], 8);
  const auto report = written(out, graphs, {8, 64, 16});
  ASSERT_EQ(report.scaling.size(), 3U);
  EXPECT_EQ(std::ssize(report.members) - idle_npus(report), 16);
  for (const ScaledJob& job : report.scaling) {
    SCOPED_TRACE(job.world);
    const TemporaryFolder alone;
    const auto one = written(alone, graphs, {job.world});
    EXPECT_EQ(job.run.network_makespan_ns, one.check.network_makespan_ns);
    EXPECT_GT(job.communication_share(), 0);
    EXPECT_LT(job.communication_share(), 1);
  }
  EXPECT_EQ(report.scaling[0].efficiency(report.scaling[0]), 1);
  EXPECT_LT(report.scaling[1].efficiency(report.scaling[0]), 1);
  EXPECT_EQ(std::count_if(report.outputs.begin(), report.outputs.end(),
                          [](const std::string& file) { return file.ends_with(".et"); }),
            std::ssize(report.members));
}

/// The schedule of a job grown to so many ranks, 0 = as recorded.
goal::GoalSchedule schedule_of(RecordedGraphs graphs, std::int64_t world) {
  const TemporaryFolder out;
  ConvertRanksOptions options;
  options.convert.output = out / "job";
  options.target = Target::kGoal;
  if (world > 0) options.worlds = {world};
  write_job(std::move(graphs), options, {});
  return goal::read_goal(read_file(out / "job.goal"));
}

TEST(GrownJobs, AreSchedulesThatTakeTheTimeOfThoseGeneratedAtThatSize) {
  for (const TrainingKind& kind : kKinds) {
    SCOPED_TRACE(text_of(kind));
    const goal::GoalSchedule larger = schedule_of(generated(kind, 8), 16);
    for (const std::string& problem : larger.problems) ADD_FAILURE() << problem;
    EXPECT_EQ(goal::run_goal(larger).makespan_ns,
              goal::run_goal(schedule_of(generated(kind, 16), 0)).makespan_ns);
  }
}

/// The graphs of a program as the machine ran it.
RecordedGraphs recorded(const vm::Program& program) {
  return job_of_program(program, vm::execute(program), Delays::kNone);
}

TEST(GrownJobs, OfProgramsTakeTheTimeThatTheMachineTakesWithAsManyRanks) {
  GrowthOptions growth;
  growth.shares_optimizer = false;  // the machine's programs have an optimizer of one size
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const TemporaryFolder grown, whole;
    const auto calls = vm::CommCalls::k2025;
    const vm::Program eight = vm::data_parallel(seed, calls, 0, 8);
    const auto larger = written(grown, recorded(vm::data_parallel(seed, calls, 0, 4)), {8}, growth);
    const auto expected = written(whole, recorded(eight), {});
    const auto took = static_cast<double>(expected.check.makespan_ns);
    EXPECT_NEAR(static_cast<double>(larger.check.makespan_ns), took, 0.03 * took);
    EXPECT_TRUE(larger.check.all_run);
  }
}

TEST(GrownJobs, OfProgramsTakeTheTimeOfAsManyRanksOnANetworkThatIsGiven) {
  constexpr double kMostError = 3;  // %
  // Latency takes most of a collective's time on the first, bytes on the second.
  constexpr astra_sim::NetworkDimension kLinks[] = {
      {.bandwidth_gb_per_s = 100, .latency_ns = 5000},
      {.bandwidth_gb_per_s = 0.1, .latency_ns = 1000}};
  test::Range errors, errors_of_four, shares[std::size(kLinks)];
  GrowthOptions growth;
  growth.shares_optimizer = false;  // the machine's programs have an optimizer of one size
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const RecordedGraphs four = recorded(vm::data_parallel(seed, vm::CommCalls::k2025, 0, 4));
    const RecordedGraphs eight = recorded(vm::data_parallel(seed, vm::CommCalls::k2025, 0, 8));
    for (const astra_sim::NetworkDimension& link : kLinks) {
      const TemporaryFolder grown, whole;
      const auto sizes = written(grown, four, {4, 8}, growth, link).scaling;
      const auto expected = written(whole, eight, {}, growth, link);
      ASSERT_TRUE(expected.check.network_makespan_ns) << expected.check.network_unknown;
      const auto error_of = [&](const ScaledJob& job) {  // %
        return 100 * (static_cast<double>(job.run.network_makespan_ns.value_or(0)) /
                          static_cast<double>(*expected.check.network_makespan_ns) -
                      1);
      };
      const double share = 100 * sizes.back().communication_share();
      fmt::print(
          "data_parallel:{} at {} GB/s, {} ns: {:+.2f} %, communication {:.1f} %; of 4 ranks "
          "{:+.1f} %\n",
          seed, link.bandwidth_gb_per_s, link.latency_ns, error_of(sizes.back()), share,
          error_of(sizes.front()));
      EXPECT_LE(std::abs(error_of(sizes.back())), kMostError);
      EXPECT_GT(share, 15);
      EXPECT_GT(std::abs(error_of(sizes.front())), 2 * kMostError);  // else nothing was predicted
      errors.add(error_of(sizes.back()));
      errors_of_four.add(error_of(sizes.front()));
      shares[&link - kLinks].add(share);
    }
  }
  test::expect_readme_says(
      "sim_bridge/job/README.md",
      fmt::format(
          "{} % off the one run on 8, where the job of 4 is {} % off. Communication is {} % of "
          "the makespan at 100 GB/s and 5 µs, mostly latency, and {} % at 0.1 GB/s and 1 µs",
          errors.text(1, true), errors_of_four.text(0, true), shares[0].text(0),
          shares[1].text(0)));
}

/// The program on twice the ranks: those of the second half do what those of the first do.
vm::Program doubled(vm::Program program) {
  const auto ranks = static_cast<int>(program.ranks.size());
  const std::size_t groups = program.groups.size();
  std::vector<int> copy_of_group(groups);
  for (std::size_t g = 0; g < groups; ++g) {
    const bool grows = program.groups[g].desc != "tensor_parallel";
    copy_of_group[g] = static_cast<int>(grows ? g : program.groups.size());
    vm::Group copy = program.groups[g];
    for (int& rank : copy.ranks) rank += ranks;
    auto& members = program.groups[g].ranks;
    if (grows)
      members.insert(members.end(), copy.ranks.begin(), copy.ranks.end());
    else
      program.groups.push_back({copy.name + "_copy", copy.desc, copy.ranks});
  }
  const auto move = [&](vm::CommOp& comm) {
    comm.group = copy_of_group[static_cast<std::size_t>(comm.group)];
    if (comm.peer >= 0) comm.peer += ranks;
  };
  for (int r = 0; r < ranks; ++r) {
    vm::RankProgram copy = program.ranks[static_cast<std::size_t>(r)];
    for (vm::Op& op : copy.ops)
      for (vm::CommOp& comm : op.comm) move(comm);
    for (vm::Call& call : copy.calls)
      for (vm::Row& row : call.rows)
        for (vm::CommOp& comm : row.carried) move(comm);
    program.ranks.push_back(std::move(copy));
  }
  return program;
}

TEST(GrownJobs, OfProgramsAreThoseOfWhichEachRankRunsTwice) {
  for (const char* name : {"ddp_step_4", "tensor_parallel"}) {
    SCOPED_TRACE(name);
    const vm::Program program = vm::make_program(name), twice = doubled(program);
    const TemporaryFolder grown, whole;
    const auto larger = written(grown, recorded(program), {8});
    const auto expected = written(whole, recorded(twice), {});
    EXPECT_EQ(larger.check.makespan_ns, expected.check.makespan_ns);
    EXPECT_EQ(larger.check.network_makespan_ns, expected.check.network_makespan_ns);
    const auto took = static_cast<double>(vm::execute(twice).makespan);
    EXPECT_NEAR(static_cast<double>(vm::execute(program).makespan), took, 0.001 * took);
  }
}

}  // namespace
}  // namespace nadi
