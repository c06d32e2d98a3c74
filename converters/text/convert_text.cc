#include "nadi/converters/text/convert_text.h"

#include "nadi/base/error.h"
#include "nadi/converters/synthetic_graphs.h"
#include "nadi/converters/text/layer_file.h"
#include "nadi/converters/text/layer_graph.h"

namespace nadi {
namespace {

void require_possible(const TextOptions& options, const TextWorkload& workload) {
  constexpr std::int64_t kNodesPerLayer = 6;
  const std::int64_t most =
      kMostSyntheticNodes / (kNodesPerLayer * static_cast<std::int64_t>(workload.layers.size()));
  if (options.passes > most)
    throw Error(
        ErrorCode::kUsage, "`passes` " + std::to_string(options.passes),
        "are too many: a graph of " + options.input + " holds at most " + std::to_string(most),
        "Simulate fewer passes");
}

std::uint64_t write_rank(const TextOptions& options, const TextWorkload& workload,
                         std::int64_t rank, FileSet& files) {
  const std::uint64_t count = write_synthetic_graph(
      {"text", rank, options.npus, {}}, files,
      [&](NodeStream& nodes) { append_passes(workload, options.passes, options.npus > 1, nodes); });
  if (count > 0) return count;
  throw Error(ErrorCode::kInput, options.input,
              options.npus > 1 ? "no layer has a weight-gradient collective: there is no node"
                               : "a MICRO workload of one rank has no node",
              options.npus > 1 ? "A graph needs one: give a layer a collective"
                               : "A graph needs one: pass `npus=2` or more");
}

}  // namespace

TextReport convert_text(const TextOptions& options) {
  require_range("`npus`", options.npus, kMostSyntheticRanks);
  require_range("`passes`", options.passes, kMostSyntheticNodes);
  TextReport report;
  const TextWorkload workload =
      read_layer_file(ByteSource::open(options.input), report.diagnostics);
  require_possible(options, workload);
  if (options.npus == 1)
    report.diagnostics.report("one-rank", "one rank exchanges nothing: collectives are left out");
  FileSet files(options.output);
  for (std::int64_t rank = 0; rank < options.npus; ++rank) {
    report.nodes = write_rank(options, workload, rank, files);
    if (options.on_rank) options.on_rank(rank + 1);
  }
  files.commit();
  return report;
}

}  // namespace nadi
