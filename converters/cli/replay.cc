#include "nadi/sim_bridge/replay/replay.h"

#include <fmt/format.h>

#include <memory>

#include "nadi/converters/cli/output.h"
#include "nadi/converters/cli/replay_text.h"
#include "nadi/converters/cli/run.h"
#include "nadi/converters/cli/talk.h"
#include "nadi/converters/cli/verbs.h"
#include "nadi/sim_bridge/replay/report.h"

namespace nadi::cli {

namespace {

struct Arguments {
  std::vector<std::string> inputs;
  ReplayOptions options;
  std::string report;  // path; empty = none
};

int run_replay(const Arguments& arguments) {
  std::vector<SimGraph> graphs;
  for (const std::string& input : arguments.inputs) graphs.push_back(load_sim_graph(input));
  Diagnostics diagnostics;
  const ReplayJob job = make_replay_job(graphs, diagnostics);
  const ReplayTimes measured = measured_times(job);
  const ReplayTimes replayed = replay(job, {arguments.options.lanes, {}});
  std::optional<ReplayTimes> scaled;
  if (!arguments.options.scales.empty()) scaled = replay(job, arguments.options);
  const ReplayReport report = make_replay_report(
      job, measured, replayed, scaled ? &*scaled : nullptr, arguments.options.scales);
  if (!arguments.report.empty())
    write_output(arguments.report, replay_json(report, diagnostics.table()));
  if (arguments.report != "-" && loudness() != Loudness::kQuiet)
    fmt::print("{}", format_replay(report, diagnostics.table(), loudness() == Loudness::kVerbose));
  return kOk;
}

}  // namespace

RunVerb add_replay(Options options) {
  auto arguments = std::make_shared<Arguments>();
  options.add_texts("graphs", arguments->inputs, "Chakra graphs (.et), one per rank of one job");
  return [arguments] { return run_replay(*arguments); };
}

}  // namespace nadi::cli
