#include "nadi/converters/archive/convert_ranks.h"

#include "nadi/base/error.h"
#include "nadi/converters/archive/file_set.h"
#include "nadi/emit/atomic_file.h"

namespace nadi {
namespace {

std::string graph_ending(std::int64_t rank) { return std::to_string(rank) + ".et"; }

/// Converts the traces of one rank to path; errors name the rank.
ConvertReport convert_rank(const ConvertRanksOptions& options, const RankTraces& rank,
                           const std::filesystem::path& path) {
  ConvertOptions convert_options = options.convert;
  convert_options.traces = rank.traces;
  convert_options.link.rank = rank.rank;
  if (options.target == Target::kAstraSim) convert_options.graph.delays = Delays::kNone;
  const std::string name = path.string(), ending = "." + graph_ending(rank.rank);
  convert_options.output = name.substr(0, name.size() - ending.size());
  try {
    ConvertReport report = convert(convert_options);
    report.output = options.convert.output + ending;
    return report;
  } catch (const Error& error) {
    throw Error(error.code(), "rank " + std::to_string(rank.rank) + ": " + error.where(),
                error.problem(), error.remedy());
  }
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void convert_plainly(const ConvertRanksOptions& options, FileSet& files,
                     ConvertRanksReport& report) {
  for (const RankTraces& rank : options.ranks) {
    report.ranks.push_back(convert_rank(options, rank, files.add(graph_ending(rank.rank))));
    report.outputs.push_back(report.ranks.back().output);
  }
}

/// The recorded graphs, named after their traces.
Job load_job(const ConvertRanksOptions& options, const FileSet& files, ConvertRanksReport& report,
             Diagnostics& diagnostics) {
  std::vector<SimGraph> graphs;
  for (const RankTraces& rank : options.ranks) {
    const auto path = files.scratch("recorded." + graph_ending(rank.rank));
    report.ranks.push_back(convert_rank(options, rank, path));
    LoadOptions load;
    load.shapes = true;
    graphs.push_back(load_sim_graph(path.string(), load));
    graphs.back().name = rank.traces.device;
    std::filesystem::remove(path);
  }
  if (options.convert.on_stage) options.convert.on_stage("rewriting");
  return make_job(std::move(graphs), options.missing, diagnostics);
}

/// The analytical network refuses a job of one rank: an idle second one stands beside it.
void add_idle_rank(Job& job, Diagnostics& diagnostics) {
  if (job.ranks.size() > 1) return;
  JobRank idle;
  idle.recorded_rank = job.ranks.front().recorded_rank + 1;
  job.ranks.push_back(std::move(idle));
  diagnostics.report("idle-rank-added", Severity::kInfo,
                     "the analytical network refuses a job of one rank");
}

void require_readable_name(const std::string& prefix) {
  if (prefix.find("empty") != std::string::npos)
    throw Error(ErrorCode::kUsage, "--output " + prefix, "holds the word \"empty\"",
                "ASTRA-sim reads no group file whose path holds it; choose another name");
}

void require_check(const astra_sim::JobCheck& check) {
  if (!check.has_errors()) return;
  const astra_sim::RuleFinding& finding = check.findings.front();
  throw Error(ErrorCode::kInternal, finding.first.empty() ? "" : finding.first.front(),
              "the rewritten job breaks the rule " + finding.rule + ": " + finding.consequence,
              "Please report it with the traces; without --target the graphs can be had");
}

void convert_for_astra_sim(const ConvertRanksOptions& options, FileSet& files,
                           ConvertRanksReport& report) {
  const std::string& prefix = options.convert.output;
  require_readable_name(prefix);
  Diagnostics diagnostics;
  Job job = load_job(options, files, report, diagnostics);
  add_idle_rank(job, diagnostics);
  astra_sim::rewrite(job, options.rewrite, diagnostics);

  astra_sim::CheckOptions check;
  for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
    const std::string ending = graph_ending(static_cast<std::int64_t>(rank));
    const auto path = files.add(ending);
    AtomicFile file(path);
    astra_sim::write_rank(job, rank, file.sink());
    file.commit();
    check.files.push_back(path.string());
    report.outputs.push_back(prefix + "." + ending);
  }
  astra_sim::Machine machine;
  machine.ranks = static_cast<std::int64_t>(job.ranks.size());
  machine.dataset_splits = options.rewrite.dataset_splits;
  machine.memory_gb_per_s = options.rewrite.memory_gb_per_s;
  const std::pair<const char*, std::string> texts[] = {
      {"comm_groups.json", astra_sim::comm_groups_text(job)},
      {"system.json", astra_sim::system_text(machine)},
      {"network.yml", astra_sim::network_text(machine)},
      {"memory.json", astra_sim::memory_text()},
  };
  for (const auto& [ending, text] : texts) {
    const auto path = files.add(ending);
    write_file(path, text);
    if (check.comm_groups.empty()) check.comm_groups = path.string();  // the first
    report.outputs.push_back(prefix + "." + ending);
  }
  if (options.convert.on_stage) options.convert.on_stage("checking");
  check.dataset_splits = options.rewrite.dataset_splits;
  report.check = astra_sim::check_job(check);
  require_check(report.check);
  report.command = astra_sim::command_line(prefix);
  report.job_size = machine.ranks;
  report.rewritten = diagnostics.table();
}

void convert_for_goal(const ConvertRanksOptions& options, FileSet& files,
                      ConvertRanksReport& report) {
  Diagnostics diagnostics;
  Job job = load_job(options, files, report, diagnostics);
  AtomicFile file(files.add("goal"));
  report.schedule = goal::write_goal(job, options.goal, file.sink(), diagnostics);
  file.commit();
  report.outputs.push_back(options.convert.output + ".goal");
  report.job_size = static_cast<std::int64_t>(job.ranks.size());
  report.rewritten = diagnostics.table();
}

}  // namespace

ConvertRanksReport convert_ranks(const ConvertRanksOptions& options) {
  ConvertRanksReport report;
  FileSet files(options.convert.output);
  switch (options.target) {
    case Target::kAstraSim:
      convert_for_astra_sim(options, files, report);
      break;
    case Target::kGoal:
      convert_for_goal(options, files, report);
      break;
    case Target::kChakra:
      convert_plainly(options, files, report);
  }
  files.commit();
  return report;
}

}  // namespace nadi
