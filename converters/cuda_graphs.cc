#include "nadi/converters/cuda_graphs.h"

#include <map>
#include <set>
#include <utility>

namespace nadi {
namespace {

using NodeId = std::uint64_t;

struct CudaGraph {
  std::set<std::int64_t> launches;  // by correlation
  std::set<NodeId> nodes, targets;
  std::set<std::pair<NodeId, NodeId>> dependencies;
  std::uint64_t rows_without_predecessor = 0;
};

/// True where only idle time stands before the vertex.
bool lacks_predecessor(const GraphStructure& structure, std::uint32_t vertex) {
  for (auto [edge, end] = in_edges(vertex, structure); edge != end; ++edge) {
    const Evidence evidence = structure[*edge].evidence;
    if (evidence != Evidence::kNesting && evidence != Evidence::kDelay) return false;
  }
  return true;
}

}  // namespace

std::vector<CudaGraphReport> report_cuda_graphs(const LinkedTrace& linked, const Graph& graph) {
  const DeviceRows& rows = linked.device.rows;
  std::map<std::uint64_t, CudaGraph> graphs;
  for (std::uint32_t vertex = 0; vertex < num_vertices(graph.structure); ++vertex) {
    const Node& node = graph.structure[vertex];
    if (node.kind != NodeKind::kDeviceRow || rows.graph_id[node.device_row()] == 0) continue;
    const DeviceRowIndex row = node.device_row();
    CudaGraph& of = graphs[rows.graph_id[row]];
    of.launches.insert(rows.correlation[row]);
    of.nodes.insert(rows.graph_node_id[row]);
    if (lacks_predecessor(graph.structure, vertex)) ++of.rows_without_predecessor;
  }
  for (const GraphDependency& one : linked.graph_dependencies) {
    const auto of = graphs.find(rows.graph_id[one.target]);
    if (of == graphs.end()) continue;  // of other steps
    const NodeId target = rows.graph_node_id[one.target];
    of->second.targets.insert(target);
    of->second.dependencies.emplace(target, rows.graph_node_id[one.source]);
  }
  std::vector<CudaGraphReport> reports;
  for (const auto& [id, of] : graphs) {
    CudaGraphReport report{id, of.launches.size(),         of.nodes.size(), of.dependencies.size(),
                           0,  of.rows_without_predecessor};
    for (const NodeId node : of.nodes)
      if (!of.targets.contains(node)) ++report.roots;
    reports.push_back(report);
  }
  return reports;
}

}  // namespace nadi
