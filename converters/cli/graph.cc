#include <memory>
#include <utility>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/base/number_text.h"
#include "nadi/converters/cli/log.h"
#include "nadi/converters/cli/output.h"
#include "nadi/converters/cli/progress.h"
#include "nadi/converters/cli/run.h"
#include "nadi/converters/cli/summary.h"
#include "nadi/converters/cli/text_table.h"
#include "nadi/converters/cli/verbs.h"
#include "nadi/converters/load_job.h"
#include "nadi/converters/picture/write_picture.h"

namespace nadi::cli {

namespace {

struct GraphArguments {
  std::vector<std::string> inputs;
  std::string output;
  std::int64_t around = 0, hops = 2;
  std::string step;
  PictureOptions picture;
};

std::int32_t step_of(const std::string& text) {
  const auto step = number_of_text<std::int32_t>(text);
  if (!step || *step < 0)
    throw Error(ErrorCode::kUsage, "--step " + text, "is no step", "Give its number, or all");
  return *step;
}

PictureOptions options_of(const GraphArguments& arguments, const Options& given) {
  PictureOptions options = arguments.picture;
  if (given.is_given("--around")) options.around = static_cast<std::uint64_t>(arguments.around);
  options.all_steps = arguments.step == "all";
  if (!arguments.step.empty() && !options.all_steps) options.step = step_of(arguments.step);
  if (given.is_given("--hops") && !options.around)
    throw Error(ErrorCode::kUsage, "--hops", "counts from a node", "Give --around ID too");
  options.hops = static_cast<std::uint64_t>(arguments.hops);
  return options;
}

Graph load_with_parents(const std::vector<std::string>& paths, Diagnostics& diagnostics) {
  GraphColumns columns;
  columns.parents = true;
  ProgressBar bar;
  ConvertOptions convert;
  convert.progress = reading_on(bar);
  std::vector<Graph> graphs = load_job(paths, columns, convert, diagnostics).graphs;
  if (graphs.size() > 1)
    throw Error(ErrorCode::kInput, paths.front(),
                "a picture is of one rank, and " + counted(graphs.size(), "rank") + " are given",
                "Pass one of them, such as " + graphs.front().name);
  return std::move(graphs.front());
}

/// Says which step was chosen where none was asked for.
std::string step_text(const Picture& picture, const PictureOptions& options) {
  if (!picture.step || options.step) return "";
  return " of step " + std::to_string(*picture.step) + " (--step N or all for others)";
}

int run_graph(GraphArguments arguments, const Options& given) {
  if (arguments.output.empty()) {
    arguments.output = name_of_input(arguments.inputs.front()) + ".svg";
    expect_output(arguments.output);
  }
  const PictureFormat format = picture_format_of(arguments.output);
  require_no_input(arguments.output, arguments.inputs);
  const PictureOptions options = options_of(arguments, given);
  Diagnostics diagnostics;
  const Picture picture =
      make_picture(load_with_parents(arguments.inputs, diagnostics), options, diagnostics);
  write_output(arguments.output,
               [&](const ByteSink& sink) { write_picture(picture, format, sink); });
  log_summary(arguments.output + ": " + counted(picture.nodes.size(), "node") + ", " +
              counted(picture.edges.size(), "edge") + step_text(picture, options) + "\n");
  log_findings(diagnostics.table());
  return kOk;
}

}  // namespace

RunVerb add_graph(Options options) {
  auto arguments = std::make_shared<GraphArguments>();
  options.add_texts("graph", arguments->inputs,
                    "Chakra graph (.et), or the traces of a rank, which are converted first");
  options.add_output("--output", arguments->output, Need::kOptional, "G.dot|.graphml|.svg|.pdf",
                     "The picture (default: the input's name .svg); SVG and PDF need Graphviz; - "
                     "writes DOT to standard output");
  options.add_number("--around", arguments->around, "ID", "Show this node and its neighbours");
  options.add_number(
      "--hops", arguments->hops, "N",
      "How many edges away from it, to callers but not to all that they call (default: 2)");
  options.add_text("--step", arguments->step, Need::kOptional, "N|all",
                   "Show the nodes of ProfilerStep#N (default: all; of --critical-path the first)");
  options.add_flag("--critical-path", arguments->picture.critical_path,
                   "Show the nodes and edges that the replayed graph's end had to wait for: the "
                   "150 that took most, and folds that count those in between");
  options.add_choice<Collapse>(
      "--collapse", arguments->picture.collapse,
      {{"call", Collapse::kCall}, {"stream", Collapse::kStream}},
      "One node for the outermost ops, calls or device rows of a name on a lane, or for a whole "
      "thread or stream");
  return [arguments, options] { return run_graph(*arguments, options); };
}

}  // namespace nadi::cli
