#include "nadi/converters/convert.h"

#include <memory>
#include <optional>

#include "nadi/base/error.h"
#include "nadi/converters/cli/output.h"
#include "nadi/converters/cli/progress.h"
#include "nadi/converters/cli/run.h"
#include "nadi/converters/cli/summary.h"
#include "nadi/converters/cli/talk.h"
#include "nadi/converters/cli/trace_options.h"
#include "nadi/converters/cli/verbs.h"

namespace nadi::cli {

namespace {

struct Arguments {
  ConvertOptions options;
  std::string report;  // path, "-", or empty = none
};

/// The rank becomes part of the file's name, so there must be one to put it in.
void require_prefix(const std::string& prefix) {
  if (prefix == "-" || prefix.empty() || prefix.ends_with('/')) {
    throw Error(ErrorCode::kUsage, "--output " + prefix, "is no prefix of a file name",
                "Pass for example out/step; the graph becomes out/step.<rank>.et");
  }
}

int run_convert(Arguments& arguments) {
  require_prefix(arguments.options.output);
  // A report that cannot be written is found out before the work, not after.
  std::optional<AtomicFile> report_file;
  if (!arguments.report.empty() && arguments.report != "-") report_file.emplace(arguments.report);
  ConvertReport report;
  {
    ProgressBar bar;
    arguments.options.progress = [&bar](std::uint64_t read, std::uint64_t total) {
      bar.update("reading", read, total);
    };
    arguments.options.on_stage = [&bar](std::string_view stage) { bar.update(stage, 0, 0); };
    report = convert(arguments.options);
  }
  say_text(format_summary(report, loudness() == Loudness::kVerbose));
  if (report_file) {
    report_file->write(report_json(report));
    report_file->commit();
  } else if (!arguments.report.empty()) {
    write_output(arguments.report, report_json(report));
  }
  return kOk;
}

}  // namespace

RunVerb add_convert(Options options) {
  auto arguments = std::make_shared<Arguments>();
  ConvertOptions& convert = arguments->options;
  add_trace_options(options, convert.traces, convert.link);
  options.add_text("--output", convert.output, Need::kRequired, "PREFIX",
                   "The graph becomes PREFIX.<rank>.et");
  add_graph_options(options, convert.graph);
  options.add_text("--report", arguments->report, Need::kOptional, "R.json",
                   "Also write the summary as JSON, to a file or -");
  options.add_flag("--strict", convert.strict,
                   "Loss of data is an error (exit 1): nothing is written");
  return [arguments] { return run_convert(*arguments); };
}

}  // namespace nadi::cli
