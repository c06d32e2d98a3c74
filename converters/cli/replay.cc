#include "nadi/sim_bridge/replay/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "nadi/base/error.h"
#include "nadi/base/number_text.h"
#include "nadi/converters/cli/log.h"
#include "nadi/converters/cli/output.h"
#include "nadi/converters/cli/progress.h"
#include "nadi/converters/cli/replay_json.h"
#include "nadi/converters/cli/replay_text.h"
#include "nadi/converters/cli/replay_timeline.h"
#include "nadi/converters/cli/run.h"
#include "nadi/converters/cli/summary.h"
#include "nadi/converters/cli/trace_options.h"
#include "nadi/converters/cli/verbs.h"
#include "nadi/converters/html/replay_page.h"
#include "nadi/converters/inferred_edges.h"
#include "nadi/converters/load_job.h"
#include "nadi/sim_bridge/replay/report.h"
#include "nadi/sim_bridge/replay/what_if.h"

namespace nadi::cli {

namespace {

struct ReplayArguments {
  std::vector<std::string> inputs;
  ReplayOptions options;
  bool is_free = false, is_one_host_lane = false, is_without_inferred = false;
  std::string report, timeline, html;  // paths; empty = none
  std::string flows_of;                // ID or RANK:ID
  std::optional<StepRange> steps;      // of traces
  WindowChoice window;                 // the same
};

LoadedJob load(const ReplayArguments& arguments) {
  Diagnostics found;
  ConvertOptions convert;
  convert.graph.steps = arguments.steps;
  const bool draws_nodes = !arguments.html.empty() || !arguments.timeline.empty();
  const GraphColumns columns{.shapes = draws_nodes, .parents = draws_nodes};
  LoadedJob job;
  {
    ProgressBar bar;
    convert.progress = reading_on(bar);
    job = load_job(arguments.inputs, columns, convert, found, arguments.window);
  }
  log_findings(found.table());
  sort_by_rank(job.graphs);
  return job;
}

/// The node that "ID" (of the smallest rank) or "RANK:ID" names.
std::uint32_t find_node(const ReplayJob& job, const std::string& text) {
  const std::string_view all = text;
  const std::size_t colon = all.find(':');
  const auto rank =
      colon == all.npos ? job.rank.front() : number_of_text<std::int64_t>(all.substr(0, colon));
  const auto id = number_of_text<std::uint64_t>(all.substr(colon == all.npos ? 0 : colon + 1));
  if (!rank || !id)
    throw Error(ErrorCode::kUsage, "--flows-of " + text, "names no node", "Use ID or RANK:ID");
  const auto of = static_cast<std::size_t>(std::find(job.rank.begin(), job.rank.end(), *rank) -
                                           job.rank.begin());
  if (of == job.rank.size())
    throw Error(ErrorCode::kUsage, "--flows-of " + text,
                "no graph is of rank " + std::to_string(*rank));
  const auto& ids = job.graphs[of].id;
  const auto row = std::lower_bound(ids.begin(), ids.end(), *id);
  if (row == ids.end() || *row != *id)
    throw Error(ErrorCode::kUsage, "--flows-of " + text,
                job.graphs[of].name + " has no node " + std::to_string(*id));
  return job.first_node[of] + static_cast<std::uint32_t>(row - ids.begin());
}

void require_sense(const ReplayArguments& arguments) {
  if (arguments.is_free && arguments.is_one_host_lane)
    throw Error(ErrorCode::kUsage, "--lanes none and --host-lanes 1", "contradict each other",
                "Give one of them");
  if (arguments.report == "-" && arguments.timeline == "-")
    throw Error(ErrorCode::kUsage, "--report and --output", "both go to standard output",
                "Give one of them a file");
  if (!arguments.flows_of.empty() && arguments.timeline.empty())
    throw Error(ErrorCode::kUsage, "--flows-of", "needs a timeline", "Give --output FILE too");
}

ReplayOptions options_of(const ReplayArguments& arguments) {
  ReplayOptions options = arguments.options;
  if (arguments.is_one_host_lane) options.lanes = ReplayLanes::kOneHost;
  if (arguments.is_free) options.lanes = ReplayLanes::kNone;
  return options;
}

/// Replays the other way round than the report will be: afterwards the guesses are out of the
/// graphs if the arguments want that. Nothing where there are none.
std::optional<Ns> replay_other_way(const ReplayJob& job, const ReplayArguments& arguments,
                                   ReplayLanes lanes, InferredEdges& inferred) {
  if (inferred.count() == 0) return std::nullopt;
  if (!arguments.is_without_inferred) inferred.toggle();
  const Ns other_ns = span_of(job, replay(job, {lanes, {}})).length();
  inferred.toggle();
  return other_ns;
}

/// What the timeline shows, in the order of its lanes.
std::vector<TimelineRun> timeline_runs(const ReplayJob& job, const ReplayTimes& measured,
                                       const ReplayTimes& replayed,
                                       const std::optional<ReplayTimes>& scaled) {
  std::vector<TimelineRun> runs;
  if (job.is_measured) runs.push_back({measured_word(job.what_if), measured});
  runs.push_back({"replayed", replayed});
  if (scaled) runs.push_back({"scaled", *scaled});
  return runs;
}

/// The text is what was asked for, where no data is: that it cannot be written is an error.
void write_summary(const ReplayArguments& arguments, const std::string& text) {
  if (arguments.report == "-" || arguments.timeline == "-")
    log_text(text);
  else if (verbosity() != Verbosity::kQuiet)
    write_output("-", text);
}

/// Why steps by themselves take less time than in the whole run, where they do.
std::string note_of_steps(const ReplayArguments& arguments, const ReplayReport& report) {
  constexpr double kMuchShorter = -2;  // percent
  if (!arguments.steps || !report.is_measured() || *report.error_percent() > kMuchShorter)
    return "";
  return "The steps are shorter by themselves, for they do not wait for rows of the steps before, "
         "which the device still ran: nadi profile --steps tells of them in the whole run\n";
}

int run_replay(const ReplayArguments& arguments) {
  require_sense(arguments);
  for (const std::string& output : {arguments.report, arguments.timeline, arguments.html})
    require_no_input(output, arguments.inputs);
  const ReplayOptions options = options_of(arguments);
  LoadedJob loaded = load(arguments);
  std::vector<Graph>& graphs = loaded.graphs;
  require_scaled_nodes(graphs, options.scales);
  Diagnostics diagnostics;
  const ReplayJob job = make_replay_job(graphs, diagnostics);
  std::optional<std::uint32_t> flows_of;
  if (!arguments.flows_of.empty()) flows_of = find_node(job, arguments.flows_of);

  InferredEdges inferred(graphs);
  const std::optional<Ns> other_ns = replay_other_way(job, arguments, options.lanes, inferred);
  const ReplayTimes measured = measured_times(job);
  const ReplayTimes replayed = replay(job, {options.lanes, {}});
  std::optional<ReplayTimes> scaled;
  if (!options.scales.empty()) scaled = replay(job, options);
  ReplayReport report =
      make_replay_report(job, measured, replayed, scaled ? &*scaled : nullptr, options.scales);
  if (other_ns) {
    const bool is_without = arguments.is_without_inferred;
    report.inferred = {inferred.count(), is_without, is_without ? *other_ns : report.replayed_ns,
                       is_without ? report.replayed_ns : *other_ns};
  }

  if (!arguments.report.empty())
    write_output(arguments.report, replay_json(report, diagnostics.table()));
  if (!arguments.timeline.empty())
    write_output(arguments.timeline, [&](const ByteSink& sink) {
      const auto writer = make_timeline_writer(timeline_format_of(arguments.timeline), sink);
      write_timeline(job, timeline_runs(job, measured, replayed, scaled), flows_of, *writer);
    });
  if (!arguments.html.empty())
    write_output(arguments.html, [&](const ByteSink& sink) {
      const auto modes = html::replay_by_delay_mode(graphs, job, options.lanes, report.replayed_ns);
      html::write_replay_page({job, report, measured, replayed, scaled ? &*scaled : nullptr, modes,
                               loaded.inputs, diagnostics.table()},
                              sink);
    });
  write_summary(arguments, format_replay(report, verbosity() == Verbosity::kVerbose) +
                               note_of_steps(arguments, report));
  log_findings(diagnostics.table());
  return loaded.lacks_ranks ? kCheckFailed : kOk;
}

}  // namespace

RunVerb add_replay(Options options) {
  auto arguments = std::make_shared<ReplayArguments>();
  options.add_texts(
      "graphs", arguments->inputs,
      "Chakra graphs (.et), one per rank of one job, or its traces, folders and archives "
      "of them, which are converted first");
  add_scale_option(options, arguments->options.scales);
  add_steps_option(options, arguments->steps);
  add_window_option(options, arguments->window);
  options.add_choice<bool>("--lanes", arguments->is_free, {{"all", false}, {"none", true}},
                           "none: only dependencies hold a node up, no lane does (default: all)");
  options.add_choice<bool>(
      "--host-lanes", arguments->is_one_host_lane, {{"all", false}, {"1", true}},
      "1: the host threads of a rank share one lane, as in simulators with one host slot "
      "(default: all)");
  options.add_choice<bool>(
      "--inferred", arguments->is_without_inferred, {{"with", false}, {"without", true}},
      "without: leave out the dependencies that are guesses (default: with). The summary has both "
      "makespans");
  options.add_output("--report", arguments->report, Need::kOptional, "R.json",
                     "Also write the report as JSON, to a file or -");
  options.add_output(
      "--output", arguments->timeline, Need::kOptional, "T.json|.pftrace",
      "Also write a timeline for ui.perfetto.dev: each rank as measured, as replayed and, with "
      "--scale, as scaled, and the critical path. A Perfetto trace (.pftrace) is smaller than "
      "JSON");
  options.add_file(
      "--html", arguments->html, "R.html",
      "Also write a page for a browser: measured and replayed lanes, where the time goes");
  options.add_text("--flows-of", arguments->flows_of, Need::kOptional, "[RANK:]ID",
                   "Arrows in the timeline from all that this node depends on");
  return [arguments] { return run_replay(*arguments); };
}

}  // namespace nadi::cli
