#include "nadi/converters/load_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "nadi/base/compression.h"
#include "nadi/base/error.h"
#include "nadi/converters/archive/memory_limit.h"
#include "nadi/converters/archive/peek_trace.h"
#include "nadi/converters/job_inputs.h"
#include "nadi/converters/load_graph.h"

namespace nadi {
namespace {

/// False of graphs, and of what is none but named as one. A pipe is taken for a graph.
bool may_hold_traces(const std::string& path) {
  std::error_code none;
  if (path == "-" || std::filesystem::is_directory(path, none)) return true;
  if (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none))
    return false;
  const TraceType type = peek_trace(path).type;
  if (type == TraceType::kOther) return !without_compression(path).ends_with(".et");
  return type != TraceType::kChakra;
}

/// All graphs are held at once.
void require_room(const std::vector<Graph>& graphs) {
  constexpr std::uint64_t kBytesPerNode = 200;
  std::uint64_t nodes = 0;
  for (const Graph& graph : graphs) nodes += graph.size();
  if (graphs.empty() || nodes * kBytesPerNode < memory_limit()) return;
  throw Error(ErrorCode::kInput, graphs.back().name,
              "with the ranks before it has " + std::to_string(nodes) +
                  " nodes, for which the memory that this process may use is too small",
              "Pass fewer ranks, or graphs of fewer steps (nadi convert `steps`)");
}

/// Throws Error(kUsage) where steps are chosen: a graph holds those that it was made of.
Graph load_whole(const std::string& path, const GraphColumns& columns,
                 const ConvertOptions& convert) {
  if (convert.graph.steps)
    throw Error(ErrorCode::kUsage, path, "is a graph, and steps are chosen of traces alone",
                "Pass the traces, or convert them with these `steps`");
  if (convert.on_stage) convert.on_stage("reading");
  return load_graph(path, columns, convert.progress);
}

/// `is_one_of_several`: places of what is found name the trace.
void add_converted(const JobInput& input, bool is_one_of_several, const GraphColumns& columns,
                   ConvertOptions options, LoadedJob& job, Diagnostics& diagnostics) {
  options.traces = input.traces;
  options.link.rank = static_cast<std::int32_t>(input.rank);
  std::vector<ConvertedGraph> all = convert_in_memory(options, columns);
  if (is_one_of_several && all.size() > 1)
    throw Error(ErrorCode::kInput, input.traces.name(),
                fmt::format("holds {} processes, beside the traces of other ranks", all.size()),
                "Pass it alone, or name one of its processes to nadi convert (`process`)");
  for (ConvertedGraph& converted : all) {
    Diagnostics found;
    for (const Diagnostic& of_rank : converted.report.diagnostics) found.add(of_rank);
    if (is_one_of_several)
      diagnostics.merge_of(fmt::format("rank {}", input.rank), found);
    else
      diagnostics.merge(found);
    converted.graph.name = input.traces.name() == "-" ? "standard input" : input.traces.name();
    if (!input.traces.host.empty())
      job.inputs[converted.graph.name] = {input.traces.host, input.traces.device};
    job.graphs.push_back(std::move(converted.graph));
  }
}

}  // namespace

LoadedJob load_job(const std::vector<std::string>& paths, const GraphColumns& columns,
                   const ConvertOptions& convert, Diagnostics& diagnostics,
                   const WindowChoice& window) {
  LoadedJob job;
  if (std::none_of(paths.begin(), paths.end(), may_hold_traces)) {
    for (const std::string& path : without_own_jobs(paths, diagnostics)) {
      require_room(job.graphs);
      job.graphs.push_back(load_whole(path, columns, convert));
    }
    return job;
  }
  const std::vector<JobInput> inputs = find_job_inputs(paths, diagnostics, window);
  std::optional<Error> first_problem;
  for (const JobInput& input : inputs) {
    require_room(job.graphs);
    try {
      if (input.graph.empty())
        add_converted(input, inputs.size() > 1, columns, convert, job, diagnostics);
      else
        job.graphs.push_back(load_whole(input.graph, columns, convert));
    } catch (const Error& error) {
      const std::string& file = input.graph.empty() ? input.traces.name() : input.graph;
      if (is_named(file, paths) || inputs.size() == 1 || error.code() != ErrorCode::kInput) throw;
      if (!first_problem) first_problem = error;
      diagnostics.report(Finding::kRankLeftOut,
                         fmt::format("rank {}: {}", input.rank, error.what()));
    }
  }
  if (job.graphs.empty()) throw Error(*first_problem);
  job.lacks_ranks = diagnostics.count(Finding::kRankLeftOut) > 0;
  return job;
}

}  // namespace nadi
