#include "nadi/converters/convert.h"

#include <chrono>

#include "nadi/base/error.h"
#include "nadi/emit/chakra_writer.h"

namespace nadi {
namespace {

[[noreturn]] void throw_empty(const std::string& traces, const Diagnostics& diagnostics) {
  constexpr const char* kEmpty = "holds no ops, calls or device rows";
  if (diagnostics.count("truncated-input") > 0)
    throw Error(ErrorCode::kInput, traces,
                std::string(kEmpty) + " before the place where it is cut",
                "Record it again, to its end");
  throw Error(ErrorCode::kInput, traces, kEmpty,
              "Record with ProfilerActivity.CPU and ProfilerActivity.CUDA, and run a step while "
              "the profiler is on");
}

}  // namespace

std::string graph_ending(std::int64_t rank, Compression compression) {
  const std::string ending = std::to_string(rank) + ".et";
  if (compression == Compression::kNone) return ending;
  return ending + (compression == Compression::kGzip ? ".gz" : ".zst");
}

namespace {

/// take(linked, graph, output, diagnostics) writes the graph or keeps it.
template <class Take>
ConvertReport convert_and(const ConvertOptions& options, const Take& take) {
  const auto begin = std::chrono::steady_clock::now();
  Diagnostics diagnostics;
  const LinkedTrace linked =
      read_and_link(options.traces, options.link, options.strict, diagnostics, options.progress);
  const auto begin_stage = [&](std::string_view stage) {
    if (options.on_stage) options.on_stage(stage);
  };
  if (linked.device.first_ns == kNoTime) throw_empty(options.traces.name(), diagnostics);
  begin_stage("building the graph");
  const Graph graph = build_graph(linked, options.graph, diagnostics);
  if (num_vertices(graph.structure) == 0) throw_empty(options.traces.name(), diagnostics);
  begin_stage("writing");
  const std::string output =
      options.output_file.empty()
          ? options.output + "." + graph_ending(linked.rank, options.compression)
          : options.output_file;
  take(linked, graph, output, diagnostics);

  ConvertReport report = make_report(linked, graph, diagnostics);
  report.host = options.traces.linked.empty() ? options.traces.host : options.traces.linked;
  report.device = options.traces.name();
  report.output = output;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace

ConvertReport convert(const ConvertOptions& options) {
  return convert_and(options, [&](const LinkedTrace& linked, const Graph& graph,
                                  const std::string& output, Diagnostics& diagnostics) {
    write_chakra(linked, graph, {options.threads}, output, diagnostics);
  });
}

ConvertedGraph convert_in_memory(const ConvertOptions& options, const LoadOptions& load) {
  ConvertedGraph converted;
  converted.report = convert_and(options, [&](const LinkedTrace& linked, const Graph& graph,
                                              const std::string& output, Diagnostics& diagnostics) {
    const auto write = [&](const ByteSink& sink) {
      write_chakra(linked, graph, {options.threads}, sink, diagnostics);
    };
    converted.graph = take_chakra_graph(output, write, load);
  });
  return converted;
}

}  // namespace nadi
