#include <memory>

#include "nadi/converters/cli/job_options.h"
#include "nadi/converters/cli/network_options.h"
#include "nadi/converters/cli/run.h"
#include "nadi/converters/cli/synthetic_ranks.h"
#include "nadi/converters/cli/text_table.h"
#include "nadi/converters/cli/verbs.h"
#include "nadi/converters/text/convert_text.h"

namespace nadi::cli {

namespace {

int run_text(TextOptions options) {
  TextReport report;
  {
    ProgressBar bar;
    options.on_rank = ranks_on(bar, options.npus);
    report = convert_text(options);
  }
  log_synthetic_ranks(options.output, options.npus, counted(report.nodes, "node") + " each",
                      report.diagnostics);
  log_command(report.command);
  return kOk;
}

}  // namespace

RunVerb add_text(Options options) {
  auto arguments = std::make_shared<TextOptions>();
  auto network = std::make_shared<NetworkArguments>();
  options.add_text("--input", arguments->input, Need::kRequired, "W.txt",
                   "Text workload, or -: parallelism, number of layers, a line per layer");
  options.add_prefix("--output", arguments->output, Need::kRequired,
                     {"graph", "Simulators read these graphs plain: leave the ending out"},
                     "Write PREFIX.<rank>.et");
  options.add_number("--npus,--num-npus", arguments->npus, "N",
                     "Ranks of the job: each gets a graph", Need::kRequired);
  options.add_number("--passes,--num-passes", arguments->passes, "P",
                     "Forward and backward passes (default: 1)");
  add_network_options(options, *network, NetworkFitting::kImpossible);
  add_backend_option(options, arguments->backend);
  return [arguments, network] {
    arguments->network = unfitted_network_choice(*network);
    return run_text(*arguments);
  };
}

}  // namespace nadi::cli
