#include "nadi/converters/convert.h"

#include <chrono>
#include <memory>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/emit/atomic_file.h"
#include "nadi/emit/chakra_writer.h"
#include "nadi/emit/take_graph.h"

namespace nadi {
namespace {

[[noreturn]] void throw_empty(const std::string& traces, const Diagnostics& diagnostics) {
  constexpr const char* kEmpty = "holds no ops, calls or device rows";
  if (diagnostics.count(Finding::kTruncatedInput) > 0)
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

using SteadyTime = std::chrono::steady_clock::time_point;

/// take(linked, graph, output, diagnostics) writes the graph or keeps it, which it may move.
template <class Take>
ConvertReport convert_linked(const ConvertOptions& options, const LinkedTrace& linked,
                             Diagnostics& diagnostics, SteadyTime begin, const Take& take) {
  const auto begin_stage = [&](std::string_view stage) {
    if (options.on_stage) options.on_stage(stage);
  };
  if (linked.device.first_ns == kNoTime) throw_empty(options.traces.name(), diagnostics);
  begin_stage("building the graph");
  BuiltGraph graph = build_graph(linked, options.graph, diagnostics);
  if (graph.size() == 0) throw_empty(options.traces.name(), diagnostics);
  begin_stage("writing");
  const std::string output =
      options.output_file.empty()
          ? options.output + "." + graph_ending(linked.rank, options.compression)
          : options.output_file;
  ConvertReport report = make_report(linked, graph, diagnostics);
  take(linked, graph, output, diagnostics);
  report.diagnostics = diagnostics.table();
  report.host = options.traces.linked.empty() ? options.traces.host : options.traces.linked;
  report.device = options.traces.name();
  report.output = output;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

/// Of each process of the traces.
template <class Take>
std::vector<ConvertReport> convert_processes(const ConvertOptions& options, const Take& take) {
  const SteadyTime begin = std::chrono::steady_clock::now();
  std::vector<ConvertReport> reports;
  const auto take_linked = [&](const LinkedTrace& linked, Diagnostics& diagnostics) {
    if (!reports.empty() && !options.output_file.empty())
      throw Error(ErrorCode::kUsage, options.output_file,
                  "is one file, and " + options.traces.name() + " holds several processes",
                  "Choose one with `process`, or give a prefix with `output`");
    reports.push_back(convert_linked(options, linked, diagnostics, begin, take));
  };
  link_processes(options.traces, options.link, options.strict, take_linked, options.progress);
  return reports;
}

}  // namespace

ConvertReport convert(const ConvertOptions& options) {
  const SteadyTime begin = std::chrono::steady_clock::now();
  Diagnostics diagnostics;
  const LinkedTrace linked =
      read_and_link(options.traces, options.link, options.strict, diagnostics, options.progress);
  return convert_linked(
      options, linked, diagnostics, begin,
      [&](const LinkedTrace& trace, const BuiltGraph& graph, const std::string& output,
          Diagnostics& found) { write_chakra(trace, graph, {options.threads}, output, found); });
}

namespace {

/// Files that appear together.
class GraphFiles {
 public:
  void add(const LinkedTrace& linked, const BuiltGraph& graph, const ConvertOptions& options,
           const std::string& output, Diagnostics& diagnostics) {
    files_.push_back(std::make_unique<AtomicFile>(output));
    write_chakra(linked, graph, {options.threads}, files_.back()->sink(), diagnostics);
  }

  void commit() {
    for (const auto& file : files_) file->commit();
  }

 private:
  std::vector<std::unique_ptr<AtomicFile>> files_;
};

std::vector<ConvertedGraph> take_graphs(const ConvertOptions& options, const GraphColumns& columns,
                                        GraphFiles* files) {
  std::vector<ConvertedGraph> converted;
  std::vector<ConvertReport> reports = convert_processes(options, [&](const LinkedTrace& linked,
                                                                      BuiltGraph& graph,
                                                                      const std::string& output,
                                                                      Diagnostics& diagnostics) {
    if (files != nullptr) files->add(linked, graph, options, output, diagnostics);
    converted.push_back({{}, take_graph(linked, std::move(graph), output, columns, diagnostics)});
  });
  for (std::size_t graph = 0; graph < converted.size(); ++graph)
    converted[graph].report = std::move(reports[graph]);
  return converted;
}

}  // namespace

std::vector<ConvertReport> convert_each(const ConvertOptions& options) {
  GraphFiles files;
  std::vector<ConvertReport> reports = convert_processes(
      options,
      [&](const LinkedTrace& linked, const BuiltGraph& graph, const std::string& output,
          Diagnostics& diagnostics) { files.add(linked, graph, options, output, diagnostics); });
  files.commit();
  return reports;
}

std::vector<ConvertedGraph> convert_and_keep(const ConvertOptions& options,
                                             const GraphColumns& columns) {
  GraphFiles files;
  std::vector<ConvertedGraph> converted = take_graphs(options, columns, &files);
  files.commit();
  return converted;
}

std::vector<ConvertedGraph> convert_in_memory(const ConvertOptions& options,
                                              const GraphColumns& columns) {
  return take_graphs(options, columns, nullptr);
}

}  // namespace nadi
