#include "nadi/converters/load_job.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "nadi/converters/archive/peek_trace.h"
#include "nadi/converters/job_inputs.h"
#include "nadi/converters/load_graph.h"

namespace nadi {
namespace {

/// False of graphs, and of what who loads them says is none. A pipe is taken for a graph.
bool may_hold_traces(const std::string& path) {
  std::error_code none;
  if (path == "-" || std::filesystem::is_directory(path, none)) return true;
  if (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none))
    return false;
  const TraceType type = peek_trace(path).type;
  return type != TraceType::kChakra && type != TraceType::kOther;
}

void add_converted(const JobInput& input, const GraphColumns& columns, ConvertOptions options,
                   std::vector<Graph>& graphs, Diagnostics& diagnostics) {
  options.traces = input.traces;
  options.link.rank = static_cast<std::int32_t>(input.rank);
  for (ConvertedGraph& converted : convert_in_memory(options, columns)) {
    for (const Diagnostic& found : converted.report.diagnostics) diagnostics.add(found);
    converted.graph.name = input.traces.name() == "-" ? "standard input" : input.traces.name();
    graphs.push_back(std::move(converted.graph));
  }
}

}  // namespace

std::vector<Graph> load_job(const std::vector<std::string>& paths, const GraphColumns& columns,
                            const ConvertOptions& convert, Diagnostics& diagnostics) {
  std::vector<Graph> graphs;
  if (std::none_of(paths.begin(), paths.end(), may_hold_traces)) {
    for (const std::string& path : paths) graphs.push_back(load_graph(path, columns));
    return graphs;
  }
  for (const JobInput& input : find_job_inputs(paths, diagnostics))
    if (input.graph.empty())
      add_converted(input, columns, convert, graphs, diagnostics);
    else
      graphs.push_back(load_graph(input.graph, columns));
  return graphs;
}

}  // namespace nadi
