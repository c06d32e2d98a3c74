// Converts the traces of one rank into a Chakra graph.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/chakra/load_chakra_graph.h"
#include "nadi/converters/read_traces.h"
#include "nadi/converters/report.h"
#include "nadi/emit/compressor.h"
#include "nadi/graph/build.h"
#include "nadi/link/link.h"

namespace nadi {

struct ConvertOptions {
  TraceFiles traces;
  std::string output;  ///< prefix: the graph becomes OUTPUT.<rank>.et, with .gz or .zst if packed
  std::string output_file;  ///< instead of output: the graph becomes this file
  LinkOptions link;
  GraphOptions graph;
  Compression compression = Compression::kNone;  ///< of OUTPUT.<rank>.et; output_file says its own
  bool strict = false;   ///< loss of data is an error, and nothing is written
  unsigned threads = 0;  ///< for writing; 0 = as many as the machine has
  Progress progress;     ///< of the reading
  std::function<void(std::string_view stage)> on_stage;  ///< called as each later stage begins
};

/// Reads, links, builds and writes. The file appears whole or not at all. Throws Error(kInput)
/// where there is nothing to make a graph of, or the device trace holds several processes of which
/// options.traces.process names none.
ConvertReport convert(const ConvertOptions& options);

/// Makes a graph of each process that the device trace holds, of a plain trace one: as
/// link_processes says. All files appear, or none.
std::vector<ConvertReport> convert_each(const ConvertOptions& options);

struct ConvertedGraph {
  ConvertReport report;
  Graph graph;  ///< what loading the file would give
};
/// The same, and hands the graphs over, too.
std::vector<ConvertedGraph> convert_and_keep(const ConvertOptions& options,
                                             const GraphColumns& columns);
/// Hands the graphs over, and writes no files.
std::vector<ConvertedGraph> convert_in_memory(const ConvertOptions& options,
                                              const GraphColumns& columns);

/// "3.et", "3.et.gz".
std::string graph_ending(std::int64_t rank, Compression compression);

/// Returns what happened, as numbers; the caller sets output, traces and seconds.
ConvertReport make_report(const LinkedTrace& linked, const BuiltGraph& graph,
                          const Diagnostics& diagnostics);

}  // namespace nadi
