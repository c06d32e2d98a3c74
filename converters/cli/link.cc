#include "nadi/converters/link.h"

#include <memory>

#include "nadi/converters/cli/log.h"
#include "nadi/converters/cli/output.h"
#include "nadi/converters/cli/progress.h"
#include "nadi/converters/cli/run.h"
#include "nadi/converters/cli/summary.h"
#include "nadi/converters/cli/trace_options.h"
#include "nadi/converters/cli/verbs.h"
#include "nadi/converters/report_json.h"
#include "nadi/emit/temporary_path.h"

namespace nadi::cli {

namespace {

struct LinkArguments {
  LinkedJsonOptions options;
  std::vector<std::string> named;
  std::string output, report;
};

int run_link(LinkArguments& arguments, const Options& options) {
  ConvertReport report;
  take_named_rank(options, arguments.named, arguments.options.traces);
  const TraceFiles& traces = arguments.options.traces;
  if (arguments.output.empty()) {
    arguments.output = name_of_input(traces.device) + ".linked.json";
    expect_output(arguments.output);
  }
  for (const std::string& written : {arguments.output, arguments.report})
    require_no_input(written, {traces.host, traces.device, traces.other_form});
  {
    ProgressBar bar;
    arguments.options.progress = reading_on(bar);
    write_output(arguments.output,
                 [&](const ByteSink& sink) { report = link_to_json(arguments.options, sink); });
  }
  report.output = arguments.output;
  if (!arguments.report.empty())
    write_output(arguments.report, [&](const ByteSink& sink) { sink(report_json_text(report)); });
  log_conversion(report);
  return kOk;
}

}  // namespace

RunVerb add_link(Options options) {
  auto arguments = std::make_shared<LinkArguments>();
  LinkedJsonOptions& link = arguments->options;
  add_trace_arguments(options, arguments->named,
                      "The host trace and the device trace of one rank, or a folder of them");
  add_trace_options(options, link.traces, link.link);
  options.add_output("--output", arguments->output, Need::kOptional, "X.json",
                     "The linked JSON, or - for standard output (default: the device trace's name "
                     "with .linked.json, in the current folder)");
  options.add_output("--report", arguments->report, Need::kOptional, "R.json",
                     "Also write the summary as JSON, to a file or -");
  options.add_flag("--strict", link.strict,
                   "Loss of data is an error (exit 1): nothing is written");
  return [arguments, options] { return run_link(*arguments, options); };
}

}  // namespace nadi::cli
