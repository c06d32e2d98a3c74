#include "nadi/converters/archive/convert_ranks.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/chakra/wire_writer.h"
#include "nadi/converters/archive/file_set.h"
#include "nadi/converters/archive/rank_error.h"
#include "nadi/converters/archive/recorded_files.h"
#include "nadi/converters/archive/simulated_job.h"
#include "nadi/converters/archive/stale_outputs.h"
#include "nadi/converters/archive/write_grown_graphs.h"
#include "nadi/converters/simulator_files.h"
#include "nadi/emit/atomic_file.h"
#include "nadi/sim_bridge/replay/what_if.h"

namespace nadi {
namespace {

/// Of a graph that a simulator reads.
std::string plain_ending(std::int64_t rank) { return graph_ending(rank, Compression::kNone); }

/// Of the traces of one rank.
ConvertOptions options_of_rank(const ConvertRanksOptions& options, const RankTraces& rank) {
  ConvertOptions convert_options = options.convert;
  convert_options.traces = rank.traces;
  convert_options.link.rank = rank.rank;
  convert_options.graph.delays = delays_for(options.target, convert_options.graph.delays);
  return convert_options;
}

/// Converts the traces of one rank to path.
ConvertReport convert_rank_to(const ConvertRanksOptions& options, const RankTraces& rank,
                              const std::filesystem::path& path) {
  ConvertOptions convert_options = options_of_rank(options, rank);
  const std::string name = path.string(),
                    ending = "." + graph_ending(rank.rank, options.convert.compression);
  convert_options.output = name.substr(0, name.size() - ending.size());
  ConvertReport report = convert(convert_options);
  report.output = options.convert.output + ending;
  return report;
}

/// Calls do_it(); what it throws names the rank and its file.
template <class DoIt>
auto naming_rank(const RankTraces& rank, DoIt do_it) {
  try {
    return do_it();
  } catch (const Error& error) {
    throw error_of_rank(error, rank);
  }
}

void convert_plainly(const ConvertRanksOptions& options, FileSet& files,
                     ConvertRanksReport& report) {
  for (const RankTraces& rank : options.ranks) {
    const std::string ending = graph_ending(rank.rank, options.convert.compression);
    report.ranks.push_back(
        naming_rank(rank, [&] { return convert_rank_to(options, rank, files.add(ending)); }));
    report.outputs.push_back(report.ranks.back().output);
  }
}

/// The recorded graphs, named after their traces.
std::vector<Graph> convert_recorded(const ConvertRanksOptions& options,
                                    ConvertRanksReport& report) {
  std::vector<Graph> graphs;
  for (const RankTraces& rank : options.ranks) {
    naming_rank(rank, [&] {
      for (auto& [of_process, graph] :
           convert_in_memory(options_of_rank(options, rank), {.shapes = true})) {
        graph.name = rank.traces.device;
        report.recorded_span_ns = std::max(report.recorded_span_ns, of_process.span_ns);
        report.ranks.push_back(std::move(of_process));
        graphs.push_back(std::move(graph));
      }
    });
  }
  return graphs;
}

/// The same as files beside the output, as of an archive: graphs that are written as they are but
/// for some values are read from them message by message.
RecordedGraphs write_recorded_graphs(const ConvertRanksOptions& options,
                                     ConvertRanksReport& report) {
  std::vector<RecordedFile> files;
  for (const RankTraces& rank : options.ranks) {
    ConvertOptions convert_options = options_of_rank(options, rank);
    convert_options.output = recorded_prefix(options.convert.output);
    set_recorded_form(options.target, convert_options);
    naming_rank(rank, [&] {
      for (ConvertReport& of_process : convert_each(convert_options)) {
        report.recorded_span_ns = std::max(report.recorded_span_ns, of_process.span_ns);
        files.push_back({of_process.output, rank.traces.device});
        report.ranks.push_back(std::move(of_process));
      }
    });
  }
  return recorded_files(
      std::move(files),
      options.memory > 0 ? options.memory : std::numeric_limits<std::uint64_t>::max(), nullptr);
}

void name_members(const Job& job, ConvertRanksReport& report) {
  for (const JobRank& rank : job.ranks) {
    const std::int64_t own = job.graphs[rank.graph].rank.value_or(rank.graph);
    report.members.push_back({rank.is_idle ? -1 : rank.recorded_rank, rank.is_copy ? own : -1});
  }
}

/// The sink, which also counts the bytes of a copy's graph.
ByteSink counted_sink(ByteSink sink, std::size_t copy, ConvertRanksReport& report) {
  return [sink = std::move(sink), copy, &report](std::string_view bytes) {
    report.graph_bytes += bytes.size();
    if (copy == 0) report.recorded_bytes += bytes.size();
    sink(bytes);
  };
}

void require_check(const CheckFindings& found) {
  if (!found.has_errors()) return;
  const CheckFinding& finding = found.findings.front();
  throw Error(ErrorCode::kInternal, finding.first.empty() ? "" : finding.first.front(),
              "the rewritten job breaks the rule " + std::string(to_string(finding.rule)) + ": " +
                  message_of(finding),
              "Please report it with the traces; without `target` the graphs can be had");
}

/// Adds a file of the job, which write(sink) writes. Returns its path.
template <class Write>
std::filesystem::path add_output(const std::string& ending, const ConvertRanksOptions& options,
                                 FileSet& files, ConvertRanksReport& report, const Write& write) {
  const std::filesystem::path path = files.add(ending);
  AtomicFile file(path);
  write(file.sink());
  file.commit();
  report.outputs.push_back(options.convert.output + "." + ending);
  return path;
}

struct SimulatorFiles {
  std::filesystem::path groups, network;
};

/// Adds what stands beside the graphs of the ranks, of which there are so many, and the paths of
/// idle NPUs' graphs.
SimulatorFiles add_simulator_files(const Job& job, std::int64_t ranks,
                                   const astra_sim::JobNetwork& network,
                                   const ConvertRanksOptions& options, FileSet& files,
                                   std::vector<std::string>& idle, ConvertRanksReport& report) {
  const auto name = [&](const AddedFile& file) {
    report.outputs.push_back(options.convert.output + "." + file.ending);
  };
  for (const AddedFile& file : add_idle_npus(network.network, ranks, files)) {
    idle.push_back(file.path.string());
    report.members.push_back({});
    name(file);
  }
  const bool has_groups = report.communication == astra_sim::Communication::kNetwork;
  const auto added =
      add_configuration({.network = network,
                         .comm_groups = has_groups ? astra_sim::comm_groups_text(job) : "",
                         .peak_tflops = options.rewrite.device.peak_tflops},
                        files);
  SimulatorFiles result;
  for (const AddedFile& file : added) {
    name(file);
    if (file.ending == "comm_groups.json") result.groups = file.path;
    if (file.ending == "network.yml") result.network = file.path;
  }
  return result;
}

/// Behind the graphs of the job's ranks; adds their paths.
void write_proxy_ranks(const Job& job, const std::vector<astra_sim::ProxyRank>& proxies,
                       const ConvertRanksOptions& options, FileSet& files,
                       std::vector<std::string>& paths, ConvertRanksReport& report) {
  std::size_t rank = job.ranks.size();
  for (const astra_sim::ProxyRank& proxy : proxies) {
    const std::string ending = plain_ending(static_cast<std::int64_t>(rank));
    const auto path = add_output(ending, options, files, report, [&](const ByteSink& sink) {
      astra_sim::write_proxy_rank(job, rank, proxy, options.rewrite.device.memory_gb_per_s, sink);
    });
    paths.push_back(path.string());
    ++rank;
  }
  report.proxy_ranks = proxies.size();
}

/// Writes the ranks of all copies; `files` gets the paths of the first one's.
astra_sim::RewrittenJob write_ranks(SimulatedJob& made, FileSet& files,
                                    std::vector<std::string>& paths, ConvertRanksReport& report) {
  const JobCopies& copies = made.copies();
  const auto write = [&](std::size_t recorded, std::size_t copy, const Graph& graph,
                         const JobRank& whole) {
    const std::size_t rank = copies.rank_of(recorded, copy);
    const std::string ending = plain_ending(static_cast<std::int64_t>(rank));
    const auto path = add_output(ending, made.options(), files, report, [&](const ByteSink& sink) {
      astra_sim::write_rank(made.larger(), rank, graph, whole, counted_sink(sink, copy, report));
    });
    if (copy == 0) paths.push_back(path.string());
  };
  return made.rewrite(report, [&](std::size_t rank, const Graph& graph, JobRank& whole) {
    if (copies.count() == 1) return write(rank, 0, graph, whole);
    const auto recorded = std::move(whole.communications);
    for (std::size_t copy = 0; copy < copies.count(); ++copy) {
      whole.communications = copies.of_copy(recorded, copy);
      write(rank, copy, graph, whole);
    }
  });
}

void write_for_astra_sim(Job job, const ConvertRanksOptions& given, FileSet& files,
                         Diagnostics& diagnostics, ConvertRanksReport& report) {
  const bool is_what_if = !what_if_of(job.graphs).empty();
  SimulatedJob made(std::move(job), given, diagnostics);
  const ConvertRanksOptions& options = made.options();
  astra_sim::CheckOptions check;
  const astra_sim::RewrittenJob rewritten = write_ranks(made, files, check.files, report);
  (is_what_if ? report.what_if_span_ns : report.recorded_span_ns) = rewritten.recorded_span_ns;
  report.communication = rewritten.communication;
  report.side_ranks = rewritten.side_ranks;
  write_proxy_ranks(made.recorded(), rewritten.proxies, options, files, check.files, report);
  name_members(made.larger(), report);
  static_cast<astra_sim::RunOptions&>(check) = made.run_options(rewritten);
  check.memory = options.memory;
  std::vector<std::string> idle;
  const SimulatorFiles beside = add_simulator_files(made.larger(), made.ranks(rewritten),
                                                    *check.network, options, files, idle, report);
  check.comm_groups = beside.groups.string();
  if (check.job_ranks == 0) check.files.insert(check.files.end(), idle.begin(), idle.end());
  made.forget();  // the check needs the memory
  if (options.convert.on_stage) options.convert.on_stage("checking");
  check.dataset_splits = options.rewrite.dataset_splits;
  check.has_remote_memory = false;
  report.check = astra_sim::check_job(check);
  report.check.nodes *= made.copies().count();
  report.fine_nodes *= made.copies().count();
  require_check(report.check);
  if (report.check.fit && report.check.network)
    write_file(beside.network, astra_sim::network_text(report.check.network->network));
  made.commit_map();
  report.command = astra_sim::command_line(options.convert.output, options.rewrite.backend,
                                           !is_replayed(rewritten));
}

/// The recorded job as one of that many ranks (0: as recorded), run without being written.
astra_sim::RunResult run_at_size(std::int64_t world, const RecordedGraphs& graphs,
                                 ConvertRanksOptions options) {
  options.coarsen_map.clear();
  Diagnostics diagnostics;  // as of the job that is written
  ConvertRanksReport report;
  Job job = make_job(graphs, options.missing, diagnostics);
  if (world > 0) grow_job(job, world, options.growth);
  SimulatedJob made(std::move(job), options, diagnostics);
  astra_sim::JobRun run(options.memory);
  const auto take = [&](std::size_t rank, const Graph& graph, JobRank& whole) {
    if (made.copies().count() > 1)
      whole.communications = made.copies().of_copy(whole.communications, 0);
    run.add(rank, astra_sim::issue_rank(graph, whole));
  };
  const astra_sim::RewrittenJob rewritten = made.rewrite(report, take);
  astra_sim::RunResult result;
  if (is_replayed(rewritten)) {
    result.network_unknown = "its ranks do not communicate";
    return result;
  }
  const astra_sim::RunOptions run_options = made.run_options(rewritten);
  const auto npus = static_cast<std::size_t>(astra_sim::npus_of(run_options.network->network));
  if (run_options.job_ranks == 0 && npus > run.size()) run.add(npus - 1, {});  // idle ones
  const auto groups = astra_sim::comm_groups(made.larger());
  made.forget();
  CheckFindingList findings;
  result = std::move(run).finish(run_options, groups, findings);
  require_check({std::move(findings).sorted()});
  return result;
}

/// Larger jobs run on the network to which the recorded one is fitted: nothing was measured of
/// them. Returns the fit.
std::optional<astra_sim::NetworkFit> fit_as_recorded(const RecordedGraphs& graphs,
                                                     ConvertRanksOptions& options) {
  ConvertRanksOptions recorded = options;
  recorded.network.dimensions.clear();  // they hold as many NPUs as the larger job
  const astra_sim::RunResult run = run_at_size(0, graphs, recorded);
  options.network.is_fitted = false;
  if (run.fit && run.fit->unfitted.empty() && run.network) {
    const astra_sim::NetworkDimension& fitted = run.network->network.dimensions.front();
    options.network.link.bandwidth_gb_per_s = fitted.bandwidth_gb_per_s;
    options.network.link.latency_ns = fitted.latency_ns;
    for (astra_sim::NetworkDimension& dimension : options.network.dimensions) {
      dimension.bandwidth_gb_per_s = fitted.bandwidth_gb_per_s;
      dimension.latency_ns = fitted.latency_ns;
    }
  }
  return run.fit;
}

constexpr double kLinkGigabyte = 0x1p30, kGigabyte = 1e9;  // of network files; of GOAL

void write_for_goal(Job job, const ConvertRanksOptions& options, FileSet& files,
                    Diagnostics& diagnostics, ConvertRanksReport& report) {
  add_output("goal", options, files, report, [&](const ByteSink& sink) {
    report.schedule =
        goal::write_goal(job, options.goal, counted_sink(sink, 1, report), diagnostics);
  });
  const astra_sim::NetworkDimension& link = options.network.link;
  const int hops = link.topology == astra_sim::Topology::kSwitch ? 2 : 1;  // of a message
  report.command = goal::command_line(options.convert.output, std::llround(hops * link.latency_ns),
                                      link.bandwidth_gb_per_s * kLinkGigabyte / kGigabyte);
  report.shared_nodes = report.schedule.shared_nodes;
  name_members(JobCopies(job).outline(job), report);
}

/// Of as many ranks as were recorded, each as its messages are.
void write_recorded(const RecordedGraphs& graphs, const ConvertRanksOptions& options,
                    FileSet& files, ConvertRanksReport& report) {
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    std::int64_t rank = static_cast<std::int64_t>(i);
    graphs.visit(i, [&](const Graph& graph) { rank = graph.rank.value_or(rank); });
    const std::string ending = graph_ending(rank, options.convert.compression);
    add_output(ending, options, files, report, [&](const ByteSink& plain_sink) {
      const ByteSink sink = counted_sink(plain_sink, 0, report);
      std::string framed;
      const auto write = [&](const auto& message) {
        framed.clear();
        append_framed(message, framed);
        sink(framed);
      };
      graphs.read(i, {write, [&](const auto& node, std::string_view) { write(node); }});
    });
    for (ConvertReport& of_rank : report.ranks)
      if (of_rank.rank == rank) of_rank.output = report.outputs.back();
  }
}

void write_grown(const Job& job, const ConvertRanksOptions& options, FileSet& files,
                 ConvertRanksReport& report) {
  report.shared_nodes =
      write_grown_graphs(job, [&](std::size_t rank, std::size_t copy, const auto& write_graph) {
        const std::string ending = plain_ending(static_cast<std::int64_t>(rank));
        add_output(ending, options, files, report,
                   [&](const ByteSink& sink) { write_graph(counted_sink(sink, copy, report)); });
      });
  name_members(JobCopies(job).outline(job), report);
}

}  // namespace

double ScaledJob::communication_share() const {
  const Ns makespan = run.network_makespan_ns.value_or(0);
  if (makespan <= 0) return 0;
  return static_cast<double>(makespan - run.free_makespan_ns) / static_cast<double>(makespan);
}

double ScaledJob::efficiency(const ScaledJob& first) const {
  const Ns makespan = run.network_makespan_ns.value_or(0);
  if (makespan <= 0) return 0;
  return static_cast<double>(first.run.network_makespan_ns.value_or(0)) /
         static_cast<double>(makespan);
}

std::string_view to_string(Target target) {
  constexpr std::string_view kNames[] = {"chakra", "astra-sim", "goal"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Target::kGoal) + 1);
  return kNames[static_cast<std::size_t>(target)];
}

Delays delays_for(Target target, Delays wanted) {
  return target == Target::kAstraSim ? Delays::kAll : wanted;
}

bool makes_job(Target target, const std::vector<std::int64_t>& worlds, const WhatIf& what_if) {
  return target != Target::kChakra || !worlds.empty() || what_if.is_given();
}

bool has_file_per_rank(Target target) { return target != Target::kGoal; }

void require_readable_name(Target target, const std::string& prefix) {
  if (target == Target::kAstraSim && prefix.find("empty") != std::string::npos)
    throw Error(ErrorCode::kUsage, "`output` " + prefix, "holds the word \"empty\"",
                "ASTRA-sim reads no group file whose path holds it; choose another name");
}

std::map<std::int64_t, std::int64_t> job_ranks(const std::vector<JobMember>& members) {
  std::map<std::int64_t, std::int64_t> ranks;
  for (std::size_t rank = 0; rank < members.size(); ++rank)
    if (members[rank].copy_of < 0 && members[rank].recorded_rank >= 0)
      ranks[members[rank].recorded_rank] = static_cast<std::int64_t>(rank);
  return ranks;
}

void name_output(const std::map<std::int64_t, std::int64_t>& job_ranks, const std::string& prefix,
                 Target target, ConvertReport& rank) {
  const auto in_job = job_ranks.find(rank.rank);
  if (in_job == job_ranks.end()) return;
  rank.job_rank = in_job->second;
  rank.output =
      prefix + "." +
      (has_file_per_rank(target) ? plain_ending(rank.job_rank) : std::string(to_string(target)));
}

namespace {

/// The job of the recorded ranks, or a larger one, for its target.
void write_made_job(RecordedGraphs graphs, const ConvertRanksOptions& options, FileSet& files,
                    Diagnostics& diagnostics, ConvertRanksReport& report) {
  if (options.target == Target::kChakra && options.worlds.empty())
    return write_recorded(graphs, options, files, report);
  Job job = make_job(std::move(graphs), options.missing, diagnostics);
  if (!options.worlds.empty()) report.growth = grow_job(job, options.worlds.back(), options.growth);
  if (options.target == Target::kAstraSim)
    write_for_astra_sim(std::move(job), options, files, diagnostics, report);
  else if (options.target == Target::kChakra)
    write_grown(job, options, files, report);
  else
    write_for_goal(std::move(job), options, files, diagnostics, report);
}

}  // namespace

ConvertRanksReport write_job(RecordedGraphs graphs, const ConvertRanksOptions& given,
                             ConvertRanksReport report) {
  ConvertRanksOptions options = given;
  const std::string& prefix = options.convert.output;
  require_readable_name(options.target, prefix);
  FileSet files(prefix);
  Diagnostics diagnostics;
  if (options.convert.on_stage) options.convert.on_stage("rewriting");
  std::optional<astra_sim::NetworkFit> fit;  // of a larger job: of the recorded one
  try {
    if (options.target == Target::kChakra && !graphs.have_messages())
      throw Error(ErrorCode::kUsage, "`world` and `scale`",
                  "make plain graphs of graphs in files only",
                  "Pass a folder of traces (`traces`), or a target");
    if (options.what_if.is_given())
      graphs = scale_recorded(graphs, options.what_if, report.scaled, diagnostics);
    if (options.target == Target::kAstraSim && !options.worlds.empty() && options.network.is_fitted)
      fit = fit_as_recorded(graphs, options);
    for (std::size_t i = 0; i + 1 < options.worlds.size(); ++i)
      report.scaling.push_back(
          {options.worlds[i], run_at_size(options.worlds[i], graphs, options)});
    write_made_job(std::move(graphs), options, files, diagnostics, report);
  } catch (const Error& error) {
    throw error_with_cut_traces(error, report.ranks);
  }
  if (fit) report.check.fit = std::move(fit);
  if (options.worlds.size() > 1) report.scaling.push_back({options.worlds.back(), report.check});
  report.prefix = prefix;
  report.rewritten = diagnostics.table();
  const auto in_job = job_ranks(report.members);
  for (ConvertReport& rank : report.ranks) name_output(in_job, prefix, options.target, rank);
  files.commit();
  if (has_file_per_rank(options.target))
    report.stale_outputs = find_stale_outputs(prefix, report.outputs);
  return report;
}

ConvertRanksReport convert_ranks(const ConvertRanksOptions& options) {
  ConvertRanksReport report;
  if (makes_job(options.target, options.worlds, options.what_if)) {
    require_readable_name(options.target, options.convert.output);
    RecordedGraphs graphs = options.target == Target::kChakra
                                ? write_recorded_graphs(options, report)
                                : convert_recorded(options, report);
    return write_job(std::move(graphs), options, std::move(report));
  }
  FileSet files(options.convert.output);
  convert_plainly(options, files, report);
  files.commit();
  report.stale_outputs = find_stale_outputs(options.convert.output, report.outputs);
  return report;
}

}  // namespace nadi
