// Coarse jobs take the time of the fine ones, to the nanosecond, on any network.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "nadi/base/number_text.h"
#include "nadi/chakra/chakra_reader.h"
#include "nadi/chakra/load_chakra_graph.h"
#include "nadi/converters/archive/convert_ranks.h"
#include "nadi/emit/atomic_file.h"
#include "nadi/sim_bridge/astra_sim/coarsen.h"
#include "nadi/sim_bridge/astra_sim/network_run.h"
#include "nadi/sim_bridge/astra_sim/rewrite.h"
#include "nadi/sim_bridge/astra_sim/write_files.h"
#include "nadi/sim_bridge/job/make_job.h"
#include "tests/invariants/program_files.h"
#include "tests/ranks_of_folder.h"
#include "tests/readme_text.h"

namespace nadi {
namespace {

using astra_sim::IssueRank;

/// A job that may be converted often.
struct Sample {
  std::string name;
  std::function<ConvertRanksReport(ConvertRanksOptions)> convert;
};

Sample sample_of_trace(const std::string& name, const std::string& device,
                       const std::string& host = "") {
  return {name, [device, host](ConvertRanksOptions options) {
            const std::string folder = NADI_SHARED_TRACES "/";
            RankTraces rank;
            rank.traces.device = folder + device;
            if (!host.empty()) rank.traces.host = folder + host;
            options.ranks = {rank};
            options.missing = MissingRanks::kDrop;
            return convert_ranks(options);
          }};
}

/// Ranks that were not recorded run what others did.
Sample sample_of_folder(const std::string& name) {
  return {name, [name](ConvertRanksOptions options) {
            options.ranks = ranks_of_folder(NADI_SHARED_TRACES "/" + name);
            options.missing = MissingRanks::kCopy;
            return convert_ranks(options);
          }};
}

Sample sample_of_program(const std::string& name, const vm::Program& program) {
  return {name, [files = std::make_shared<ProgramFiles>(program)](ConvertRanksOptions options) {
            return files->convert(std::move(options));
          }};
}

std::vector<Sample> samples_of_traces() {
  return {
      sample_of_trace("resnet-2gpu", "resnet-2gpu/device.json.gz", "resnet-2gpu/host.json.gz"),
      sample_of_trace("rocm", "rocm/device.json.gz"),
      sample_of_trace("recommender", "recommender/device.json.gz"),
      sample_of_trace("trace-diff control", "trace-diff/control.json.gz"),
      sample_of_folder("dlrm-8gpu"),
  };
}

std::vector<Sample> samples_of_programs() {
  std::vector<Sample> all;
  for (const std::uint64_t seed : {1, 2}) {
    const std::string number = std::to_string(seed);
    all.push_back(sample_of_program("data_parallel:" + number,
                                    vm::data_parallel(seed, vm::CommCalls::k2025, 0)));
    all.push_back(sample_of_program("pipeline_tensor:" + number,
                                    vm::pipeline_tensor(seed, vm::CommCalls::k2025, 0)));
  }
  return all;
}

/// The graph of a rank as the simulator has it: times in whole microseconds.
IssueRank load_issue_rank(const std::string& path) {
  IssueRank rank;
  rank.graph = load_chakra_graph(path);
  ChakraReader reader{MessageStream(path)};
  ChakraProtoMsg::Node node;
  for (std::size_t row = 0; reader.next(node); ++row) {
    EXPECT_EQ(node.id(), rank.graph.id[row]);
    rank.graph.duration_ns[row] = static_cast<Ns>(node.duration_micros()) * kNsPerMicro;
    for (const auto& attribute : node.attr())
      if (attribute.name() == "is_cpu_op")
        rank.graph.kind[row] = attribute.bool_val() ? NodeKind::kHostOther : NodeKind::kDeviceRow;
  }
  for (const GraphCommunication& c : rank.graph.communications)
    rank.group_numbers.push_back(
        number_of_text<std::int64_t>(rank.graph.strings[c.group]).value_or(0));
  for (std::size_t row = 0; row < rank.graph.size(); ++row) {
    const auto dependents = rank.graph.dependents(row);
    rank.dependents.node.insert(rank.dependents.node.end(), dependents.begin(), dependents.end());
    rank.dependents.end_node();
  }
  return rank;
}

struct SimulatedJob {
  std::vector<IssueRank> ranks;
  astra_sim::GroupMembers groups;
  astra_sim::JobNetwork network;
  std::uint64_t nodes = 0;
};

/// With rows "rank,id,recorded_id,coarse_id" in `map`, where it is coarse.
SimulatedJob convert(const Sample& sample, std::optional<Ns> late, const TemporaryFolder& out,
                     const std::string& map = "") {
  ConvertRanksOptions options;
  options.target = Target::kAstraSim;
  options.rewrite.communication = astra_sim::Communication::kNetwork;
  options.network.is_fitted = false;
  options.coarsen_off_ns = late;
  options.coarsen_map = map;
  options.convert.output = out / "job";
  const ConvertRanksReport report = sample.convert(std::move(options));
  EXPECT_FALSE(report.check.has_errors());
  SimulatedJob job;
  job.network = *report.check.network;
  for (const std::string& path : report.outputs) {
    if (path.ends_with(".et")) job.ranks.push_back(load_issue_rank(path));
    if (path.ends_with(".comm_groups.json")) {
      const auto json = nlohmann::json::parse(std::ifstream(path));
      for (const auto& [number, members] : json.items())
        job.groups[std::stoll(number)] = members.get<std::vector<std::int64_t>>();
    }
  }
  for (const IssueRank& rank : job.ranks) job.nodes += rank.graph.size();
  return job;
}

Ns makespan(const SimulatedJob& job, double speed) {
  astra_sim::JobNetwork network = job.network;
  for (astra_sim::NetworkDimension& dimension : network.network.dimensions)
    dimension.bandwidth_gb_per_s *= speed;
  const astra_sim::NetworkRun run = run_on_network(job.ranks, job.groups, network);
  EXPECT_TRUE(run.makespan_ns.has_value()) << run.unknown;
  return run.makespan_ns.value_or(0);
}

/// A second of the simulator is so many of the run's: the 1 ns that it gives a node of no whole
/// microsecond, which its part in a longer one has not, is next to nothing there.
constexpr Ns kStretch = 10'000;

/// Returns how many nodes of no whole microsecond there are.
std::uint64_t stretch(SimulatedJob& job) {
  std::uint64_t timeless = 0;
  for (IssueRank& rank : job.ranks)
    for (Ns& ns : rank.graph.duration_ns) {
      timeless += ns == 0 ? 1 : 0;
      ns *= kStretch;
    }
  for (astra_sim::NetworkDimension& dimension : job.network.network.dimensions) {
    dimension.latency_ns *= kStretch;
    dimension.bandwidth_gb_per_s /= kStretch;
  }
  job.network.system.endpoint_delay_ns *= kStretch;
  job.network.system.memory_gb_per_s /= kStretch;
  return timeless;
}

/// By rank, and by what runs them: host nodes, device rows, what communicates.
std::vector<std::array<Ns, 3>> sums_of(const SimulatedJob& job) {
  std::vector<std::array<Ns, 3>> sums;
  for (const IssueRank& rank : job.ranks) {
    std::array<Ns, 3>& sum = sums.emplace_back();
    for (std::size_t row = 0; row < rank.graph.size(); ++row)
      sum[rank.graph.communication[row] != kNoIndex ? 2
          : rank.is_host(row)                       ? 0
                                                    : 1] += rank.graph.duration_ns[row];
  }
  return sums;
}

/// Each row of a device that is left has the time of its parts, of which "rank,id,recorded_id,
/// coarse_id" in `map` says where they went.
void expect_times_of_parts(const SimulatedJob& fine, const std::string& map,
                           const SimulatedJob& coarse) {
  std::vector<std::vector<Ns>> parts;
  for (const IssueRank& rank : coarse.ranks) parts.emplace_back(rank.graph.size(), 0);
  std::ifstream in(map);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "rank,id,recorded_id,coarse_id");
  for (; std::getline(in, line);) {
    const std::size_t first = line.find(','), second = line.find(',', first + 1);
    const auto rank = std::stoull(line.substr(0, first));
    const auto id = std::stoull(line.substr(first + 1));
    const auto into = std::stoull(line.substr(line.find(',', second + 1) + 1));
    parts[rank][into - 1] += fine.ranks[rank].graph.duration_ns[id - 1];
  }
  for (std::size_t rank = 0; rank < parts.size(); ++rank)
    for (std::size_t row = 0; row < parts[rank].size(); ++row) {
      if (!coarse.ranks[rank].is_host(row) && parts[rank][row] != 0) {  // none of an idle NPU
        EXPECT_EQ(coarse.ranks[rank].graph.duration_ns[row], parts[rank][row]) << row;
      }
    }
}

/// A fine job, and the same made coarse.
struct Pair {
  SimulatedJob fine;
  Ns fine_ns = 0, coarse_ns = 0;  ///< makespans as written
  double share = 0;               ///< % of the nodes that are left
};

/// Expects that the coarse job is as long as the fine one on links of half, equal and double speed.
Pair expect_same_time(const Sample& sample) {
  const TemporaryFolder out;
  const std::string map = out / "map.csv";
  Pair pair;
  pair.fine = convert(sample, std::nullopt, out);
  SimulatedJob coarse = convert(sample, Ns{0}, out, map);
  pair.share = 100 * static_cast<double>(coarse.nodes) / static_cast<double>(pair.fine.nodes);
  pair.fine_ns = makespan(pair.fine, 1);
  pair.coarse_ns = makespan(coarse, 1);
  expect_times_of_parts(pair.fine, map, coarse);
  EXPECT_EQ(sums_of(pair.fine), sums_of(coarse));
  SimulatedJob fine = pair.fine;
  const auto timeless = static_cast<Ns>(stretch(fine));
  stretch(coarse);
  EXPECT_LE(std::abs(pair.fine_ns - pair.coarse_ns), timeless);
  for (const double speed : {0.5, 1.0, 2.0})
    EXPECT_LE(std::abs(makespan(fine, speed) - makespan(coarse, speed)), timeless) << speed;
  return pair;
}

/// The same, and the row of the README.
void expect_row(const Sample& sample) {
  SCOPED_TRACE(sample.name);
  const Pair pair = expect_same_time(sample);
  const TemporaryFolder out;
  const SimulatedJob late = convert(sample, Ns{5000}, out);
  const double late_share =
      100 * static_cast<double>(late.nodes) / static_cast<double>(pair.fine.nodes);
  const double late_time =
      100 * (static_cast<double>(makespan(late, 1)) / static_cast<double>(pair.fine_ns) - 1);
  test::expect_readme_row(
      "sim_bridge/astra_sim/README.md",
      fmt::format("| {} | {} | {:.1f} % | {} ns | {:.1f} % | {} % |", sample.name,
                  test::count_text(pair.fine.nodes), pair.share,
                  test::count_text(static_cast<std::uint64_t>(pair.fine_ns - pair.coarse_ns)),
                  late_share, test::decimal_text(late_time, 2, true)));
}

TEST(CoarseJobs, TakeTheTimeOfTheFineOnesOnAnyNetwork) {
  for (const Sample& sample : samples_of_programs()) expect_row(sample);
}

TEST(CoarseJobs, OfRealTracesTakeTheTimeOfTheFineOnesOnAnyNetwork) {
  if (!std::filesystem::exists(NADI_SHARED_TRACES))
    GTEST_SKIP() << "no real traces beside this repository";
  for (const Sample& sample : samples_of_traces()) expect_row(sample);
}

TEST(CoarseJobs, OfAllProgramsTakeTheTimeOfTheFineOnes) {
  std::vector<std::string> names = vm::program_names();
  for (int seed = 100; seed < 130; ++seed) names.push_back("random:" + std::to_string(seed));
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    expect_same_time(sample_of_program(name, vm::make_program(name)));
  }
}

/// A job of which no node is shorter than a microsecond, so that none takes the nanosecond of those
/// that are; and the same made coarse.
struct WholeJobs {
  SimulatedJob fine, coarse;
};

/// `random`: where it is given, durations are of 1 to 40 us.
WholeJobs whole_jobs(const vm::Program& program, std::mt19937_64* random) {
  const TemporaryFolder out;
  std::vector<Graph> graphs;
  const ProgramFiles files(program);
  Diagnostics diagnostics;
  for (const RankTraces& rank : files.ranks()) {
    ConvertOptions options;
    options.traces = rank.traces;
    options.link.rank = rank.rank;
    options.graph.delays = Delays::kAll;
    graphs.push_back(std::move(convert_in_memory(options, {.shapes = true}).front().graph));
  }
  Job job = make_job(std::move(graphs), MissingRanks::kRefuse, diagnostics);
  if (job.ranks.size() == 1) job.ranks.emplace_back().is_idle = true;
  WholeJobs jobs;
  const auto add = [&](std::size_t rank, const Graph& graph, const JobRank& whole,
                       SimulatedJob& into) {
    const std::string path = out / "rank.et";
    AtomicFile file(path);
    astra_sim::write_rank(job, rank, graph, whole, file.sink());
    file.commit();
    into.ranks.push_back(load_issue_rank(path));
    into.nodes += into.ranks.back().graph.size();
  };
  astra_sim::RewriteOptions rewriting;
  rewriting.communication = astra_sim::Communication::kNetwork;
  astra_sim::rewrite(
      job, rewriting, diagnostics, [&](std::size_t rank, const Graph& graph, JobRank& whole) {
        for (Ns& ns : whole.duration_ns)
          ns = random != nullptr ? kNsPerMicro * static_cast<Ns>(1 + (*random)() % 40)
                                 : std::max<Ns>(ns / kNsPerMicro, 1) * kNsPerMicro;
        add(rank, graph, whole, jobs.fine);
        astra_sim::coarsen(whole, 0);
        add(rank, graph, whole, jobs.coarse);
      });
  const auto groups = nlohmann::json::parse(astra_sim::comm_groups_text(job));
  for (const auto& [number, members] : groups.items())
    jobs.fine.groups[std::stoll(number)] = members.get<std::vector<std::int64_t>>();
  jobs.fine.network = astra_sim::switch_network(std::max<std::int64_t>(std::ssize(job.ranks), 2));
  jobs.coarse.groups = jobs.fine.groups;
  jobs.coarse.network = jobs.fine.network;
  return jobs;
}

/// NADI_SEEDS: so many of each kind.
TEST(CoarseJobs, OfWholeMicrosecondsTakeExactlyTheTimeOfTheFineOnes) {
  const char* const seeds = std::getenv("NADI_SEEDS");
  const int most = seeds == nullptr ? 2 : std::atoi(seeds);
  std::mt19937_64 random(7);
  for (const std::string& kind : vm::seeded_program_names())
    for (int seed = 1; seed <= most; ++seed)
      for (int round = 0; round < 3; ++round) {
        const std::string name = kind + ":" + std::to_string(seed);
        SCOPED_TRACE(name + " " + std::to_string(round));
        const WholeJobs jobs = whole_jobs(vm::make_program(name), round == 0 ? nullptr : &random);
        EXPECT_LT(jobs.coarse.nodes, jobs.fine.nodes);
        for (const double speed : {0.01, 0.5, 1.0, 2.0})
          EXPECT_EQ(makespan(jobs.fine, speed), makespan(jobs.coarse, speed)) << speed;
      }
}

}  // namespace
}  // namespace nadi
