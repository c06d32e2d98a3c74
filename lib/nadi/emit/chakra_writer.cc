#include "nadi/emit/chakra_writer.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "et_def.pb.h"
#include "nadi/chakra/attribute_value.h"
#include "nadi/chakra/whole_micros.h"
#include "nadi/chakra/wire_writer.h"
#include "nadi/emit/chakra_node.h"
#include "nadi/emit/clock_json.h"
#include "nadi/emit/ordered_chunks.h"
#include "nadi/emit/process_groups.h"
#include "nadi/emit/trace_header.h"

namespace nadi {
namespace {

constexpr std::size_t kNodesPerChunk = 2048;  // about 1.5 MB

std::string encode_metadata(const LinkedTrace& trace, const Graph& graph) {
  const TraceHeader header = header_of(trace, graph);
  ChakraProtoMsg::GlobalMetadata metadata;
  metadata.set_version(kSchemaVersion);
  add_attribute(metadata, "schema")->set_string_val(header.schema);
  add_attribute(metadata, "pid")->set_uint64_val(header.pid);
  add_attribute(metadata, "time")->set_string_val(header.time);
  add_attribute(metadata, "start_ts")->set_uint64_val(header.start_ts);
  add_attribute(metadata, "finish_ts")->set_uint64_val(header.finish_ts);
  add_attribute(metadata, "base_time_ns")->set_int64_val(header.base_time_ns);
  add_attribute(metadata, "rank")->set_int64_val(trace.rank);
  if (trace.device.world_size >= 0)
    add_attribute(metadata, "world_size")->set_int64_val(trace.device.world_size);
  if (std::string groups = process_groups_json(trace); !groups.empty())
    add_attribute(metadata, "process_groups")->set_string_val(std::move(groups));
  if (std::string clocks = clocks_json(trace); !clocks.empty())
    add_attribute(metadata, "clock_corrections")->set_string_val(std::move(clocks));
  add_attribute(metadata, "nadi_version")->set_string_val(NADI_VERSION);
  std::string framed;
  append_varint(metadata.ByteSizeLong(), framed);
  metadata.AppendToString(&framed);
  return framed;
}

/// For each node the nanoseconds (0 to 999) left over by the nodes before it on its lane, in id
/// order, delays included.
std::vector<std::uint16_t> carried_remainders(const Graph& graph, std::size_t lane_count) {
  const std::size_t nodes = num_vertices(graph.structure);
  std::vector<std::uint16_t> before(nodes);
  std::vector<WholeMicros> of_lane(lane_count + 1);  // the last one: nodes without a lane
  for (std::size_t v = 0; v < nodes; ++v) {
    const Node& node = graph.structure[static_cast<std::uint32_t>(v)];
    WholeMicros& lane = of_lane[node.lane ? node.lane.value : lane_count];
    before[v] = static_cast<std::uint16_t>(lane.left_ns());
    lane.take(std::max<Ns>(node.duration_ns, 0));
  }
  return before;
}

}  // namespace

void write_chakra(const LinkedTrace& trace, const Graph& graph, const ChakraOptions& options,
                  const ByteSink& sink, Diagnostics& diagnostics) {
  const std::size_t nodes = num_vertices(graph.structure);
  const std::size_t chunks = (nodes + kNodesPerChunk - 1) / kNodesPerChunk;
  const NodeFactFinder facts(trace, graph);
  const std::vector<std::uint16_t> remainders = carried_remainders(graph, trace.lanes.size());
  std::vector<std::unique_ptr<NodeEncoder>> encoders(worker_count(chunks, options.threads));
  for (auto& encoder : encoders)
    encoder = std::make_unique<NodeEncoder>(trace, graph, facts, remainders);
  std::vector<Diagnostics> found(chunks);

  sink(encode_metadata(trace, graph));
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

void write_chakra(const LinkedTrace& trace, const Graph& graph, const ChakraOptions& options,
                  const std::filesystem::path& output, Diagnostics& diagnostics) {
  AtomicFile file(output);
  write_chakra(trace, graph, options, file.sink(), diagnostics);
  file.commit();
}

}  // namespace nadi
