#include "nadi/emit/chakra_writer.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "et_def.pb.h"
#include "nadi/chakra/whole_micros.h"
#include "nadi/chakra/wire_writer.h"
#include "nadi/emit/chakra_node.h"
#include "nadi/emit/metadata.h"
#include "nadi/emit/ordered_chunks.h"

namespace nadi {
namespace {

constexpr std::size_t kNodesPerChunk = 512;  // about 400 KB

/// For each node the nanoseconds (0 to 999) left over by the nodes before it on its lane, in id
/// order, delays included.
std::vector<std::uint16_t> carried_remainders(const Graph& graph) {
  std::vector<std::uint16_t> before(graph.size());
  std::vector<WholeMicros> of_lane(graph.lanes.size());
  for (std::size_t node = 0; node < graph.size(); ++node) {
    WholeMicros& lane = of_lane[graph.lane[node]];
    before[node] = static_cast<std::uint16_t>(lane.left_ns());
    lane.take(std::max<Ns>(graph.duration_ns[node], 0));
  }
  return before;
}

}  // namespace

void write_chakra(const LinkedTrace& trace, const BuiltGraph& graph, const ChakraOptions& options,
                  const ByteSink& sink, Diagnostics& diagnostics) {
  const std::size_t nodes = graph.size();
  const std::size_t chunks = (nodes + kNodesPerChunk - 1) / kNodesPerChunk;
  const NodeFactFinder facts(trace, graph);
  const std::vector<std::uint16_t> remainders = carried_remainders(graph);
  std::vector<std::unique_ptr<NodeEncoder>> encoders(worker_count(chunks, options.threads));
  for (auto& encoder : encoders)
    encoder = std::make_unique<NodeEncoder>(trace, graph, facts, remainders);
  std::vector<Diagnostics> found(chunks);

  std::string metadata;
  append_framed(make_metadata(trace, graph), metadata);
  sink(metadata);
  make_in_order(
      chunks, options.threads,
      [&](std::size_t chunk, unsigned worker, std::string& buffer) {
        const std::size_t end = std::min(nodes, (chunk + 1) * kNodesPerChunk);
        for (std::size_t v = chunk * kNodesPerChunk; v < end; ++v)
          encoders[worker]->append(static_cast<std::uint32_t>(v), buffer, found[chunk]);
      },
      [&](const std::string& buffer) { sink(buffer); });
  for (const Diagnostics& of_chunk : found) diagnostics.merge(of_chunk);
}

void write_chakra(const LinkedTrace& trace, const BuiltGraph& graph, const ChakraOptions& options,
                  const std::filesystem::path& output, Diagnostics& diagnostics) {
  AtomicFile file(output);
  write_chakra(trace, graph, options, file.sink(), diagnostics);
  file.commit();
}

}  // namespace nadi
