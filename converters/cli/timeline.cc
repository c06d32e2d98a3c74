#include "nadi/converters/timeline/timeline.h"

#include <fmt/format.h>

#include <memory>

#include "nadi/base/error.h"
#include "nadi/converters/cli/log.h"
#include "nadi/converters/cli/output.h"
#include "nadi/converters/cli/progress.h"
#include "nadi/converters/cli/run.h"
#include "nadi/converters/cli/summary.h"
#include "nadi/converters/cli/text_table.h"
#include "nadi/converters/cli/verbs.h"
#include "nadi/converters/read_traces.h"
#include "nadi/converters/synthetic_graphs.h"

namespace nadi::cli {

namespace {

constexpr std::size_t kShown = 10;

struct TimelineArguments {
  std::string input, output;
  TimelineOptions options;
  bool strict = false;
};

std::string loose_text(const char* title, const std::vector<LooseNode>& nodes) {
  if (nodes.empty()) return "";
  TextTable table{{title, "node", "tick", "name"}, {}, {1, 2}};
  for (const LooseNode& node : nodes) {
    if (table.rows.size() == kShown && verbosity() != Verbosity::kVerbose) break;
    table.rows.push_back({fmt::format("NPU {}", node.npu), std::to_string(node.node),
                          std::to_string(node.tick), node.name});
  }
  const std::size_t left = nodes.size() - table.rows.size();
  return "\n" + format_table(table, 2) +
         (left > 0 ? fmt::format("  and {} more (--verbose shows them)\n", with_commas(left)) : "");
}

int run_timeline(const TimelineArguments& arguments) {
  const TimelineOptions& options = arguments.options;
  if (options.frequency < 1 || options.frequency > 1'000'000)
    throw Error(ErrorCode::kUsage, fmt::format("--frequency {}", options.frequency),
                "must be from 1 to 1000000 MHz");
  if (options.npus != 0) require_range("`npus`", options.npus, kMostSyntheticRanks);
  require_no_input(arguments.output, {arguments.input});
  TimelineReport report;
  {
    ProgressBar bar;
    const Progress progress = reading_on(bar);
    write_output(arguments.output, [&](const ByteSink& sink) {
      const auto writer = make_timeline_writer(timeline_format_of(arguments.output), sink);
      report = write_log_timeline(ByteSource::open(arguments.input), options, *writer, progress);
      if (arguments.strict) require_no_loss(arguments.input, report.diagnostics);
    });
  }
  log_summary(fmt::format("{}: {} of {}, {}; open it in ui.perfetto.dev\n",
                          arguments.output == "-" ? "standard output" : arguments.output,
                          counted(report.nodes, "node"), counted(report.npus, "NPU"),
                          duration_text(report.end_ns)));
  log_summary(loose_text("unfinished", report.unfinished) +
              loose_text("never issued", report.unmatched));
  log_findings(report.diagnostics.table());
  return kOk;
}

}  // namespace

RunVerb add_timeline(Options options) {
  auto arguments = std::make_shared<TimelineArguments>();
  options.add_text("--input,--input_filename", arguments->input, Need::kRequired, "LOG",
                   "What a simulator logged: ASTRA-sim's workload log, or MLCommons' form; or -");
  options.add_output("--output,--output_filename", arguments->output, Need::kRequired,
                     "T.json|.pftrace",
                     "The timeline, for ui.perfetto.dev; - writes JSON to standard output");
  options.add_number("--npus,--num_npus", arguments->options.npus, "N",
                     "NPUs there should be: others, and missing ones, are findings");
  options.add_number("--frequency,--npu_frequency", arguments->options.frequency, "MHZ",
                     "Ticks per microsecond (default: 1000, a tick is a ns)");
  options.add_flag("--strict", arguments->strict,
                   "Loss of data is an error (exit 1): nothing is written");
  return [arguments] { return run_timeline(*arguments); };
}

}  // namespace nadi::cli
