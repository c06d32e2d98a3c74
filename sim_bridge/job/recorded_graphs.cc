#include "nadi/sim_bridge/job/recorded_graphs.h"
#include "nadi/chakra/chakra_reader.h"

#include <memory>
#include <utility>

namespace nadi {
namespace {

/// Nodes of the graph that communicate, ascending.
std::vector<std::uint32_t> communicating_rows(const Graph& graph) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < graph.size(); ++row)
    if (graph.communication[row] != kNoIndex) rows.push_back(row);
  return rows;
}

}  // namespace

RecordedGraphs::RecordedGraphs(std::vector<Graph> graphs) : count_(graphs.size()) {
  auto kept = std::make_shared<const std::vector<Graph>>(std::move(graphs));
  visit_ = [kept](std::size_t graph, const Take& take) { take((*kept)[graph]); };
}

Graph communication_of(const Graph& graph) {
  Graph sketch;
  sketch.name = graph.name;
  auto metadata = std::make_shared<ChakraProtoMsg::GlobalMetadata>();
  metadata->set_version(metadata_of(graph).version());
  for (const auto& attribute : metadata_of(graph).attr())
    if (attribute.name() != "process_groups") *metadata->add_attr() = attribute;
  sketch.metadata = std::move(metadata);
  sketch.rank = graph.rank;
  sketch.base_time_ns = graph.base_time_ns;
  sketch.device_name = graph.device_name;
  sketch.tells_starts = graph.tells_starts;
  sketch.dependencies_dropped = graph.dependencies_dropped;
  sketch.lanes = graph.lanes;
  sketch.communications = graph.communications;
  const std::vector<std::uint32_t> rows = communicating_rows(graph);
  for (const std::uint32_t row : rows) {
    sketch.id.push_back(graph.id[row]);
    sketch.node_name.push_back(sketch.strings.intern(graph.name_of(row)));
    sketch.type.push_back(graph.type[row]);
    sketch.kind.push_back(graph.kind[row]);
    sketch.start_ns.push_back(graph.start_ns[row]);
    sketch.duration_ns.push_back(graph.duration_ns[row]);
    sketch.lane.push_back(graph.lane[row]);
    sketch.communication.push_back(graph.communication[row]);
  }
  for (GraphCommunication& communication : sketch.communications) {
    communication.group = sketch.strings.intern(graph.strings[communication.group]);
    communication.dtype = sketch.strings.intern(graph.strings[communication.dtype]);
  }
  sketch.structure = GraphStructure(static_cast<std::uint32_t>(rows.size()));
  return sketch;
}

}  // namespace nadi
