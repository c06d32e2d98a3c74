#include "nadi/emit/chakra_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "nadi/base/count_text.h"
#include "nadi/base/time.h"
#include "nadi/chakra/chakra_reader.h"
#include "nadi/chakra/graph_summary.h"
#include "nadi/converters/cli/output.h"
#include "nadi/converters/cli/run.h"
#include "nadi/converters/cli/summary.h"
#include "nadi/converters/cli/text_table.h"
#include "nadi/converters/cli/verbs.h"
#include "nadi/converters/cli/watched_source.h"
#include "nadi/converters/load_graph.h"
#include "nadi/read/trace_start.h"
#include "nadi/sim_bridge/replay/report.h"
#include "nadi/sim_bridge/replay/what_if.h"

namespace nadi::cli {

namespace {

struct ShowArguments {
  std::string input;
  std::string output;  // path; empty or "-" = standard output
  bool summary = false;
};

std::string communications_table(const GraphSummary& summary) {
  TextTable table{{"communication", "group", "count", "bytes"}, {}, {2, 3}};
  for (const auto& [key, value] : summary.communications) {
    const auto& [type, group] = key;
    table.rows.push_back({type, group, with_commas(value.count),
                          with_commas(static_cast<std::uint64_t>(value.bytes))});
  }
  return table.rows.empty() ? "" : "\n" + format_table(table);
}

/// "delay" where there is one; "until" and what is a share of it where starts are recorded.
std::string lanes_table(const Graph& graph, const std::vector<LaneCount>& lanes) {
  const bool has_delays = std::any_of(lanes.begin(), lanes.end(),
                                      [](const LaneCount& lane) { return lane.delay_ns != 0; });
  TextTable table{{"lane", "nodes", "busy"}, {}, {1, 2, 3, 4, 5}};
  if (has_delays) table.header.emplace_back("delay");
  if (graph.tells_starts) {
    table.header.emplace_back("until");
    table.header.emplace_back("unexplained (of until)");
  }
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    const LaneCount& count = lanes[lane];
    std::vector<std::string> row = {lane_text(graph.lanes[lane]), with_commas(count.nodes),
                                    duration_text(count.busy_ns)};
    if (has_delays) row.push_back(duration_text(count.delay_ns));
    if (graph.tells_starts) {
      row.push_back(duration_text(count.until_ns));
      row.push_back(unexplained_text(count.unexplained_ns, count.until_ns));
    }
    table.rows.push_back(std::move(row));
  }
  return "\n" + format_table(table);
}

std::string edges_text(const Graph& graph, const GraphSummary& summary) {
  std::string text = fmt::format("{} data, {} ctrl", with_commas(summary.data_edges),
                                 with_commas(summary.ctrl_edges));
  if (graph.dependencies_dropped > 0)
    text += fmt::format("; {} more on nodes that the file does not hold",
                        with_commas(graph.dependencies_dropped));
  if (graph.nodes_on_cycles > 0)
    text += fmt::format("; {} on or behind a cycle of dependencies",
                        count_text(graph.nodes_on_cycles, "node"));
  return text;
}

std::string format_summary(const Graph& graph, const GraphSummary& summary) {
  TextTable table;
  table.rows = {
      {"nodes", with_commas(graph.size()) + ": " + counts_text(summary.kinds)},
      {"types", counts_text(summary.types)},
      {"edges", edges_text(graph, summary)},
      {"span", graph.tells_starts ? duration_text(summary.span_ns)
                                  : "unknown: no node records when it started"},
  };
  if (const std::vector<std::string> what_if = what_if_of({&graph, 1}); !what_if.empty())
    table.rows.push_back({"times", fmt::format("those of a what-if, {}: nobody measured them",
                                               what_if_text(what_if))});
  return format_table(table) + communications_table(summary) + lanes_table(graph, summary.lanes);
}

int run_show(const ShowArguments& arguments) {
  require_no_input(arguments.output, {arguments.input});
  refuse_trace_as_graph(arguments.input);
  ProgressBar bar;
  MessageStream messages = messages_of(open_watched(arguments.input, bar));
  if (arguments.summary) {
    const Graph graph =
        load_chakra_graph(std::move(messages), {}, BadDependencies::kDropAndKeepCycles);
    const std::string text = format_summary(graph, summarize_graph(graph));
    bar.clear();
    write_output(arguments.output, text);
  } else {
    ChakraReader reader(std::move(messages));
    write_output(arguments.output,
                 [&reader](const ByteSink& sink) { write_chakra_json(reader, sink); });
  }
  return kOk;
}

}  // namespace

RunVerb add_show(Options options) {
  auto arguments = std::make_shared<ShowArguments>();
  options.add_text("graph", arguments->input, Need::kRequired, "", "Chakra graph (.et), or -");
  options.add_output("--output", arguments->output, Need::kOptional, "X.json|.txt",
                     "Where the JSON goes (default: standard output)");
  options.add_flag("--summary", arguments->summary, "Counts and lanes as text instead of JSON");
  return [arguments] { return run_show(*arguments); };
}

}  // namespace nadi::cli
