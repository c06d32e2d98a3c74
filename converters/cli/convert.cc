#include "nadi/converters/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "nadi/base/error.h"
#include "nadi/converters/archive/mpi/mpi_ranks.h"
#include "nadi/converters/archive/mpi/processes_started.h"
#include "nadi/converters/archive/output_names.h"
#include "nadi/converters/archive/peek_trace.h"
#include "nadi/converters/archive/recorded_files.h"
#include "nadi/converters/cli/archive_report.h"
#include "nadi/converters/cli/job_option_rules.h"
#include "nadi/converters/cli/job_options.h"
#include "nadi/converters/cli/job_report_json.h"
#include "nadi/converters/cli/log.h"
#include "nadi/converters/cli/network_files.h"
#include "nadi/converters/cli/option_words.h"
#include "nadi/converters/cli/output.h"
#include "nadi/converters/cli/progress.h"
#include "nadi/converters/cli/run.h"
#include "nadi/converters/cli/summary.h"
#include "nadi/converters/cli/text_table.h"
#include "nadi/converters/cli/trace_options.h"
#include "nadi/converters/cli/verbs.h"
#include "nadi/converters/html/convert_page.h"
#include "nadi/converters/job_inputs.h"
#include "nadi/converters/load_graph.h"
#include "nadi/converters/report_json.h"
#include "nadi/emit/temporary_path.h"
#include "nadi/input/archive_walk.h"
#include "nadi/sim_bridge/replay/replay.h"
#include "nadi/sim_bridge/replay/report.h"
#include "nadi/sim_bridge/replay/what_if.h"

namespace nadi::cli {

namespace {

struct ConvertArguments {
  std::vector<std::string> named;  // traces without an option
  JobArguments job;
  std::string report;  // path, "-", or empty = none
  std::string html;    // path; empty = none
  bool simulates = false;
};

void set_compression(ConvertOptions& options, const std::string& name) {
  options.compression = name == "gzip" ? Compression::kGzip : Compression::kZstd;
}

void require_compressible(const Options& options, const ConvertArguments& arguments) {
  if (!options.is_given("--compress")) return;
  if (options.is_given("--output-file"))
    throw Error(ErrorCode::kUsage, "--compress", "follows from the name of --output-file",
                "End it in .et.gz or .et.zst");
  if (arguments.job.target != Target::kChakra)
    throw Error(ErrorCode::kUsage, "--compress", "excludes --target",
                "Simulators read plain graphs");
  if (!arguments.job.worlds.empty())
    throw Error(ErrorCode::kUsage, "--compress", "excludes --world",
                "The graphs of a larger job are written for simulators, which read plain ones");
}

/// True of what holds many ranks, whatever it holds: a folder, an archive, a list.
bool is_source_of_ranks(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code none;
  return path.starts_with('@') || fs::is_directory(path, none) ||
         (fs::is_regular_file(path, none) && begins_as_archive(path));
}

/// Graphs that were written for a network have it, where no option gives another. A larger job has
/// it if all its links are alike.
void take_network_beside(const Options& options, JobArguments& job) {
  if (job.target != Target::kAstraSim) return;
  for (const char* option :
       {"--network", "--link-gb-per-s", "--latency-ns", "--topology", "--dims"})
    if (options.is_given(option)) return;
  const std::string file = file_beside(job.graphs.front().graph, ".network.yml");
  if (file.empty()) return;
  if (job.worlds.empty() || astra_sim::have_one_link(read_network(file).dimensions))
    job.network_arguments.network = file;
}

/// Traces without an option are those of one rank, or what --traces takes; graphs are those of a
/// job, named one by one or by folders and archives of them.
void take_named_traces(const Options& options, ConvertArguments& arguments) {
  const std::vector<std::string>& named = arguments.named;
  require_named_once(options, named, {"--host", "--device", "--linked", "--traces"});
  auto& sources = arguments.job.archive.collect.sources.sources;
  const bool is_recursive = options.is_given("--recursive");
  const auto holds_traces = [&](const std::string& path) {
    return is_source_of_ranks(path) && (is_recursive || !holds_graphs(path));
  };
  if (std::any_of(named.begin(), named.end(), holds_traces)) {
    sources = named;
    return;
  }
  if (named.empty()) return;
  Diagnostics found;
  const std::vector<JobInput> inputs = find_job_inputs(named, found);
  log_findings(found.table());
  const JobInput& first = inputs.front();
  if (!first.graph.empty()) {
    if (!arguments.job.makes_job())
      throw Error(ErrorCode::kInput, first.graph, "is a Chakra graph, the result of a conversion",
                  "Look at it with nadi show, make a job of it with --target, or pass the traces "
                  "that it was made from");
    arguments.job.graphs = inputs;
    take_network_beside(options, arguments.job);
    return;
  }
  if (inputs.size() > 1 && !first.traces.linked.empty())
    throw Error(ErrorCode::kInput, named.front(), "several linked traces are not converted at once",
                "Convert one at a time");
  if (inputs.size() > 1) {
    sources = named;
    return;
  }
  const std::string process = arguments.job.convert.traces.process;
  arguments.job.convert.traces = first.traces;
  arguments.job.convert.traces.process = process;
}

/// The job's graphs are not written over those that it is made of.
void require_other_prefix(const std::string& prefix, const std::vector<JobInput>& graphs) {
  for (const JobInput& input : graphs)
    for (const std::string& output :
         {fmt::format("{}.{}.et", prefix, input.rank), prefix + ".comm_groups.json"})
      require_no_input(output, {input.graph, file_beside(input.graph, ".comm_groups.json")});
}

/// Named after the first input; of graphs not their own prefix.
std::string default_prefix(const ConvertArguments& arguments) {
  const auto& sources = arguments.job.archive.collect.sources.sources;
  if (!sources.empty()) return prefix_of_input(sources.front());
  if (arguments.job.graphs.empty()) return prefix_of_input(arguments.job.convert.traces.name());
  const std::string prefix = prefix_of_input(arguments.job.graphs.front().graph);
  const Target target = arguments.job.target;
  return has_file_per_rank(target) ? prefix + "." + std::string(to_string(target)) : prefix;
}

/// Where the graph goes: a prefix, or one file where there is one graph.
void take_output(const Options& options, ConvertArguments& arguments) {
  const bool has_prefix = options.is_given("--output"),
             has_file = options.is_given("--output-file");
  if (has_prefix && has_file)
    throw Error(ErrorCode::kUsage, "--output and --output-file", "exclude each other",
                "Pass a prefix or a file");
  if (!has_prefix && !has_file && arguments.job.archive.only_lists) return;
  if (!has_prefix && !has_file) {
    arguments.job.convert.output = default_prefix(arguments);
    expect_output(arguments.job.convert.output);
  }
  require_other_prefix(arguments.job.convert.output, arguments.job.graphs);
  if (!has_file) return;
  if (arguments.job.is_given() || arguments.job.what_if.is_given())
    throw Error(ErrorCode::kUsage, "--output-file", "is for the recorded graph of one rank",
                "Pass --output PREFIX with --traces, --target, --scale and --gpu");
}

/// A folder, the files of one rank, or what was linked of them.
void require_traces(const Options& options, const ConvertArguments& arguments) {
  if (!arguments.job.convert.traces.linked.empty()) {
    for (const char* option : {"--host", "--device", "--traces", "--process", "--match",
                               "--occurrence", "--annotation", "--clock", "--repeat"})
      if (options.is_given(option))
        throw Error(ErrorCode::kUsage, "--linked", std::string("excludes ") + option,
                    "A linked JSON holds both traces, matched");
    if (arguments.job.target != Target::kChakra)
      throw Error(ErrorCode::kUsage, "--linked", "excludes --target",
                  "Pass the traces that it was linked from");
    return;
  }
  if (arguments.job.archive.is_given() || !arguments.job.convert.traces.device.empty() ||
      !arguments.job.graphs.empty())
    return;
  if (!arguments.job.convert.traces.host.empty())
    throw Error(ErrorCode::kUsage, "--host", "a host trace has no times",
                "Add the device trace of the same rank: --device TRACE");
  throw Error(ErrorCode::kUsage, "", "no trace is given",
              "Give traces or a folder of them: nadi convert TRACE. See: nadi convert --help");
}

ConvertRanksOptions job_options(const JobArguments& job) {
  ConvertRanksOptions options = job;
  options.rewrite.drops_lonely_messages = job.missing == MissingRanks::kDrop;
  options.goal.drops_lonely_messages = options.rewrite.drops_lonely_messages;
  return options;
}

/// The job of the one pair given. Without --rank its device trace says which rank it is.
ConvertRanksReport convert_job_of_pair(const ConvertArguments& arguments) {
  const ConvertOptions& convert = arguments.job.convert;
  ConvertRanksOptions options = job_options(arguments.job);
  std::int64_t rank = rank_of_traces(convert.traces.device, convert.link.rank);
  // Of the two forms of a device trace only the JSON has it.
  if (rank == 0 && !convert.traces.other_form.empty())
    rank = rank_of_traces(convert.traces.other_form, convert.link.rank);
  options.ranks = {{rank, convert.traces}};
  return convert_ranks(options);
}

std::uint64_t memory_of(const ArchiveArguments& archive) {
  return archive.memory != 0 ? archive.memory : default_memory();
}

/// Counts how often graphs are asked for: for what communicates, what waits, and to be written, at
/// each size.
std::function<void()> show_visits(ProgressBar& bar, const JobArguments& job, std::uint64_t graphs) {
  const std::uint64_t visits = 3 * std::max<std::size_t>(job.worlds.size(), 1) * graphs;
  return [&bar, visits, visit = std::uint64_t{0}]() mutable {
    bar.update("rewriting", ++visit, visits);
  };
}

/// The job of graphs that are there already.
ConvertRanksReport write_job_of_graphs(const ConvertArguments& arguments, ProgressBar& bar) {
  const std::uint64_t memory = memory_of(arguments.job.archive);
  ConvertRanksOptions options = job_options(arguments.job);
  options.memory = memory / 4 * 3;
  Diagnostics found;
  const auto on_visit = show_visits(bar, arguments.job, arguments.job.graphs.size());
  ConvertRanksReport report =
      write_job(graph_files(arguments.job.graphs, memory / 4, on_visit, found), options, {});
  for (const Diagnostic& diagnostic : found.table()) report.rewritten.push_back(diagnostic);
  return report;
}

constexpr std::uint64_t kMostRanksInDetail = 256;
constexpr std::size_t kMostRanksOneByOne = 8;  // of one trace

/// The job of graphs that were converted for it, which no other run writes again meanwhile.
ConvertRanksReport write_job_of(const ArchiveJobReport& job, const ConvertArguments& arguments,
                                ProgressBar& bar) {
  const std::uint64_t memory = memory_of(arguments.job.archive);
  ConvertRanksOptions options = job_options(arguments.job);
  options.convert.output = prefix_of_job(arguments.job.convert.output, job.name);
  options.memory = memory / 4 * 3;  // it is noticed where that is used up
  Manifest manifest(job.manifest);
  manifest.lock();
  const auto show = show_visits(bar, arguments.job, job.converted + job.done_before);
  return write_job(recorded_files(job.prefix, manifest, memory / 4, show), options,
                   report_of_recorded(manifest, kMostRanksInDetail));
}

/// The jobs of an archive, in its order; one that cannot be written has its error, and stops no
/// other.
std::vector<ConvertRanksReport> write_jobs(const ConvertArguments& arguments,
                                           const ConvertArchiveReport& archive, ProgressBar& bar) {
  if (!arguments.html.empty() && archive.jobs.size() > 1)
    throw Error(ErrorCode::kUsage, "--html", "shows one job, and the sources hold several",
                "Pass the folder of one, or --one-job");
  const bool has_loss = arguments.job.convert.strict && archive.found.has_loss();
  std::vector<ConvertRanksReport> jobs;
  for (const ArchiveJobReport& job : archive.jobs) {
    ConvertRanksReport& report = jobs.emplace_back();
    report.prefix = prefix_of_job(arguments.job.convert.output, job.name);
    if (job.failed > 0 || has_loss) {
      report.error = report.prefix + ": no job is written: " +
                     (has_loss ? "the sources are not whole"
                               : counted(job.failed, "rank") + " could not be converted");
      continue;
    }
    try {
      report = write_job_of(job, arguments, bar);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kInput) throw;
      report.error = error.what();
    }
  }
  return jobs;
}

/// Nothing in a process that converts for another.
std::optional<ConvertArchiveReport> convert_ranks_of_archive(const ConvertArguments& arguments,
                                                             const Options& given,
                                                             ProgressBar& bar) {
  const ArchiveArguments& archive = arguments.job.archive;
  ConvertArchiveOptions options;
  static_cast<ArchiveRunOptions&>(options) = archive;
  options.collect.own_prefixes = {arguments.job.convert.output};
  if (!archive.shard.empty()) options.shard = parse_shard(archive.shard, archive.shard_base);
  const bool is_shard = options.shard.count > 0;
  options.collect.keeps_members = !archive.only_lists && !is_shard && !archive.joins_shards;
  options.convert = arguments.job.convert;
  options.convert.on_stage = nullptr;  // of several ranks at a time
  options.version = NADI_VERSION;
  options.options_text = deciding_options_text(given);
  if (arguments.job.makes_job()) {
    options.convert.output = recorded_prefix(arguments.job.convert.output);
    options.collect.own_prefixes.push_back(options.convert.output);
    set_recorded_form(arguments.job.target, options.convert);
    if (arguments.job.target == Target::kAstraSim) options.options_text += " --delays=all";
  }
  options.jobs = static_cast<unsigned>(archive.jobs);
  options.spool = spool_of(archive.spool, arguments.job.convert.output);
  if (is_shard) options.spool += "." + std::to_string(options.shard.index);
  options.on_progress = archive_progress_on(bar);
  if (!archive.only_lists)
    set_interrupt_remark("what is done stays done: the same command goes on from there");
  return mpi_processes_started() > 1 ? convert_archive_with_mpi(options) : convert_archive(options);
}

/// What summaries and pages say rank by rank: of one rank always, else where it is asked for.
ConvertRanksReport reports_to_show(const ConvertArchiveReport& report, bool is_asked_for) {
  const std::uint64_t ranks = count_graphs(report);
  if (ranks > 1 && !is_asked_for) return {};
  if (ranks > kMostRanksInDetail)
    log_summary(fmt::format("the first {} of {} ranks are shown\n", kMostRanksInDetail, ranks));
  return read_rank_reports(report, kMostRanksInDetail);
}

std::string simulated_text(const ReplayReport& report) {
  std::string text =
      fmt::format("{}: replayed {}", report.ranks.front().file, duration_text(report.replayed_ns));
  if (report.is_measured())
    text += fmt::format(", {} {} ({:+.2f} %)", measured_word(report.what_if),
                        duration_text(*report.measured_ns), *report.error_percent());
  return text + "\n";
}

/// Replays a graph, and says in a line what came out.
void simulate(const Graph& graph) {
  Diagnostics diagnostics;
  const ReplayJob job = make_replay_job({&graph, 1}, diagnostics);
  const ReplayReport report =
      make_replay_report(job, measured_times(job), replay(job, {}), nullptr, {});
  log_summary(simulated_text(report));
}

/// What was converted: the ranks of an archive (with a target they are what its jobs are made of),
/// or the one rank given.
struct Conversion {
  std::optional<ConvertArchiveReport> archive;
  std::vector<ConvertRanksReport> jobs;  ///< of a target as many as the archive has
  ConvertRanksReport shown;              ///< ranks of a plain archive that are shown one by one
  /// Of the traces of one rank that are converted plainly, if a page or a replay needs them: the
  /// graphs of its report's ranks.
  std::vector<Graph> graphs;
};

/// Nothing in a process that converts for another.
std::optional<Conversion> run_conversion(ConvertArguments& arguments, const Options& given) {
  const JobArguments& job = arguments.job;
  ProgressBar bar;
  arguments.job.convert.on_stage = [&bar](std::string_view stage) { bar.update(stage, 0, 0); };
  Conversion conversion;
  if (!job.archive.is_given()) {
    arguments.job.convert.progress = reading_on(bar);
    ConvertRanksReport& report = conversion.jobs.emplace_back();
    if (!job.graphs.empty()) {
      report = write_job_of_graphs(arguments, bar);
      return conversion;
    }
    if (job.makes_job()) {
      report = convert_job_of_pair(arguments);
      return conversion;
    }
    if (arguments.simulates || !arguments.html.empty())
      for (auto& [rank, graph] :
           convert_and_keep(arguments.job.convert, {.shapes = true, .parents = true})) {
        report.ranks.push_back(std::move(rank));
        conversion.graphs.push_back(std::move(graph));
      }
    else
      report.ranks = convert_each(arguments.job.convert);
    for (const ConvertReport& rank : report.ranks) {
      report.outputs.push_back(rank.output);
      report.recorded_span_ns = std::max(report.recorded_span_ns, rank.span_ns);
    }
    return conversion;
  }
  require_readable_name(job.target, arguments.job.convert.output);
  conversion.archive = convert_ranks_of_archive(arguments, given, bar);
  if (!conversion.archive) return std::nullopt;
  const bool is_part = job.archive.only_lists || !job.archive.shard.empty();
  if (job.makes_job() && !is_part)
    conversion.jobs = write_jobs(arguments, *conversion.archive, bar);
  return conversion;
}

void log_all(const Conversion& conversion, const JobArguments& arguments, bool in_detail) {
  for (const ConvertReport& rank : conversion.shown.ranks) log_conversion(rank);
  for (const ConvertRanksReport& job : conversion.jobs) {
    if (job.scaled.is_given() && !job.ranks.empty() && (in_detail || job.ranks.size() == 1))
      log_summary("As recorded, before the what-if:\n");
    if (in_detail || job.ranks.size() <= (arguments.makes_job() ? 1 : kMostRanksOneByOne))
      for (const ConvertReport& rank : job.ranks) log_conversion(rank);
    else if (!arguments.makes_job())
      log_ranks(job.ranks);
  }
  if (conversion.archive) log_archive(*conversion.archive);
  if (!arguments.makes_job()) return;
  if (!conversion.archive && arguments.graphs.empty() && arguments.target == Target::kChakra)
    log_summary("\nThe recorded graph stays in " + recorded_prefix(conversion.jobs.front().prefix) +
                ".<rank>.et.zst.\n");
  for (const ConvertRanksReport& job : conversion.jobs) {
    if (job.error.empty())
      log_summary(format_job_summary(job, in_detail));
    else
      log_error(in_option_words(job.error));
  }
  if (!arguments.archive.shard.empty())
    log_summary("\nWhen all shards have ended, --finish in place of --shard makes the job\n");
}

void write_report(const Conversion& conversion, Target target, const ByteSink& sink) {
  const std::vector<ConvertRanksReport>& jobs = conversion.jobs;
  if (conversion.archive)
    write_archive_report(*conversion.archive, jobs, target, sink);
  else if (target == Target::kChakra && jobs.front().ranks.size() == 1 &&
           !jobs.front().scaled.is_given())
    sink(report_json_text(jobs.front().ranks.front()));
  else
    sink(job_report_json(jobs.front(), target));
}

void simulate_all(const Conversion& conversion, Target target) {
  if (target == Target::kAstraSim || (conversion.archive && !conversion.jobs.empty())) {
    for (const ConvertRanksReport& job : conversion.jobs)
      for (const std::string& output : job.outputs)
        if (output.ends_with(".et")) simulate(load_graph(output));
  } else if (conversion.archive) {
    for (const std::string& graph : graphs_of(*conversion.archive)) simulate(load_graph(graph));
  } else if (!conversion.graphs.empty()) {
    for (const Graph& graph : conversion.graphs) simulate(graph);
  } else {
    for (const ConvertReport& rank : conversion.jobs.front().ranks)
      simulate(load_graph(rank.output));
  }
}

/// Of jobs, if they were to be written, else of ranks.
int own_code_of(const Conversion& conversion) {
  if (!conversion.archive) return kOk;
  const int of_ranks = exit_code_of(*conversion.archive);
  if (conversion.jobs.empty()) return of_ranks;
  const auto failed = std::count_if(conversion.jobs.begin(), conversion.jobs.end(),
                                    [](const auto& job) { return !job.error.empty(); });
  if (failed == std::ssize(conversion.jobs)) return kBadInput;
  return failed > 0 ? kCheckFailed : of_ranks;
}

int code_of(const Conversion& conversion, const ArchiveArguments& archive) {
  const int code = own_code_of(conversion);
  return code == kOk || archive.failed_exit_code == 0 ? code : archive.failed_exit_code;
}

/// A network with dimensions of its own holds a fixed number of ranks.
void require_one_size(const JobArguments& job) {
  const auto& dimensions = job.network.dimensions;
  if (job.worlds.size() < 2 || dimensions.empty()) return;
  const std::int64_t npus = astra_sim::npus_of({.dimensions = dimensions});
  const NetworkArguments& given = job.network_arguments;
  throw Error(ErrorCode::kUsage,
              given.dims.empty() ? "--network " + given.network : "--dims " + given.dims,
              "is a network of " + with_commas(static_cast<std::uint64_t>(npus)) +
                  " ranks, and --world asks for jobs of several sizes",
              "Ask for one size, or leave --dims out: all links alike fit every size");
}

/// GOAL's simulators have one latency and one bandwidth.
void require_one_link(const JobArguments& job) {
  if (job.target == Target::kGoal && !astra_sim::have_one_link(job.network.dimensions))
    throw Error(ErrorCode::kUsage, "--network " + job.network_arguments.network,
                "has links that differ, and GOAL's simulators have one for all",
                "Choose one with --link-gb-per-s and --latency-ns");
}

int run_convert(ConvertArguments& arguments, const Options& options) {
  take_named_traces(options, arguments);
  require_traces(options, arguments);
  take_output(options, arguments);
  if (arguments.job.archive.only_lists && arguments.job.convert.output.empty())
    arguments.job.convert.output = "PREFIX";  // in the list
  require_compressible(options, arguments);
  require_effect(options, arguments.job);
  choose_communication(options, arguments.job);
  arguments.job.network = network_choice(arguments.job.network_arguments);
  require_one_size(arguments.job);
  require_one_link(arguments.job);
  const TraceFiles& traces = arguments.job.convert.traces;
  for (const std::string& output : {arguments.job.convert.output_file, arguments.report,
                                    arguments.html, arguments.job.coarsen_map})
    require_no_input(output, {traces.host, traces.device, traces.other_form, traces.linked});
  // A report that cannot be written is found out before the work, not after.
  std::optional<AtomicFile> report_file;
  if (!arguments.report.empty() && arguments.report != "-") report_file.emplace(arguments.report);
  std::optional<AtomicFile> page;
  if (!arguments.html.empty()) page.emplace(arguments.html);
  std::optional<Conversion> conversion = run_conversion(arguments, options);
  if (!conversion) return kOk;
  if (conversion->archive) log_failed_ranks(*conversion->archive);
  if (arguments.job.archive.only_lists) {
    write_output("-", listed_text(*conversion->archive));
    log_findings(conversion->archive->found.table());
    return code_of(*conversion, arguments.job.archive);
  }
  const bool in_detail = verbosity() == Verbosity::kVerbose;
  const Target target = arguments.job.target;
  if (conversion->archive && !arguments.job.makes_job())
    conversion->shown = reports_to_show(*conversion->archive, in_detail || page);
  log_all(*conversion, arguments.job, in_detail);
  const auto report = [&](const ByteSink& sink) { write_report(*conversion, target, sink); };
  if (report_file) {
    report(report_file->sink());
    report_file->commit();
  } else if (!arguments.report.empty()) {
    write_output(arguments.report, report);
  }
  if (page) {
    html::write_convert_page(
        conversion->jobs.empty() ? conversion->shown : conversion->jobs.front(), conversion->graphs,
        page->sink());
    page->commit();
  }
  if (arguments.simulates) simulate_all(*conversion, target);
  return code_of(*conversion, arguments.job.archive);
}

}  // namespace

RunVerb add_convert(Options options) {
  auto arguments = std::make_shared<ConvertArguments>();
  ConvertOptions& convert = arguments->job.convert;
  add_trace_arguments(options, arguments->named,
                      "Device trace (torch.profiler: JSON or .pftrace) and host trace "
                      "(ExecutionTraceObserver) of a rank, linked JSON, or - ; folders, archives "
                      "and several ranks are taken as --traces takes them; with --target also "
                      "Chakra graphs of a job's ranks, or the folder of them");
  add_trace_options(options, convert.traces, convert.link);
  options.add_text("--linked", convert.traces.linked, Need::kOptional, "LINKED.json",
                   "Instead of both: what nadi link or MLCommons' chakra_trace_link wrote, or -");
  options.add_prefix("--output", convert.output, Need::kOptional,
                     {"graph",
                      "Pack with --compress gzip or zstd, or name one file with --output-file; "
                      "simulators read plain graphs"},
                     "The graph becomes PREFIX.<rank>.et (default: the name of the trace, in the "
                     "current folder); nadi show writes a graph as JSON");
  options.add_file(
      "--output-file", convert.output_file, "X.et",
      "Instead of --output: the graph becomes this file (.gz or .zst: packed), never JSON");
  options.add_choice(
      "--compress", [&convert](const std::string& name) { set_compression(convert, name); },
      {"gzip", "zstd"},
      "Pack the graphs: PREFIX.<rank>.et.gz or .et.zst. nadi reads them; simulators want them "
      "plain");
  add_graph_options(options, convert.graph);
  add_what_if_options(options, arguments->job.what_if);
  add_job_options(options, arguments->job);
  options.add_output("--report", arguments->report, Need::kOptional, "R.json",
                     "Also write the summary as JSON, to a file or -");
  options.add_file(
      "--html", arguments->html, "R.html",
      "Also write a page for a browser: lanes over time, explained time, edges by evidence");
  options.add_flag(
      "--strict", convert.strict,
      "Loss of data is an error (exit 1): nothing is written, of many ranks nothing of "
      "that rank");
  options.begin_group(kHiddenOptions);  // of an older tool
  options.add_flag("--simulate", arguments->simulates,
                   "Also replay the graph, and say in a line how long it takes (see nadi replay)");
  return [arguments, options] { return run_convert(*arguments, options); };
}

}  // namespace nadi::cli
