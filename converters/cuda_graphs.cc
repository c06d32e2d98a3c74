#include "nadi/converters/cuda_graphs.h"

#include <algorithm>
#include <array>

#include "nadi/base/sort_unique.h"

namespace nadi {
namespace {

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
  std::vector<std::array<std::uint64_t, 2>> launches, nodes, targets;  // each with its graph's id
  std::vector<std::array<std::uint64_t, 3>> dependencies;
  std::vector<std::uint64_t> without_predecessor;  // graph ids
  for (std::uint32_t vertex = 0; vertex < num_vertices(graph.structure); ++vertex) {
    const Node& node = graph.structure[vertex];
    if (node.kind != NodeKind::kDeviceRow || rows.graph_id[node.device_row()] == 0) continue;
    const DeviceRowIndex row = node.device_row();
    const std::uint64_t id = rows.graph_id[row];
    nodes.push_back({id, rows.graph_node_id[row]});
    if (const std::int64_t launch = rows.correlation[row]; launch >= 0)
      launches.push_back({id, static_cast<std::uint64_t>(launch)});
    if (lacks_predecessor(graph.structure, vertex)) without_predecessor.push_back(id);
  }
  if (nodes.empty()) return {};
  for (const auto& [target, source] : linked.graph_dependencies) {
    targets.push_back({rows.graph_id[target], rows.graph_node_id[target]});
    dependencies.push_back(
        {rows.graph_id[target], rows.graph_node_id[target], rows.graph_node_id[source]});
  }
  sort_unique(launches);
  sort_unique(nodes);
  sort_unique(targets);
  sort_unique(dependencies);
  std::vector<CudaGraphReport> reports;
  const auto report_of = [&](std::uint64_t id) {  // null = of steps that were left out
    const auto place = std::partition_point(reports.begin(), reports.end(),
                                            [&](const auto& report) { return report.id < id; });
    return place != reports.end() && place->id == id ? &*place : nullptr;
  };
  for (const auto& [id, node] : nodes) {
    if (reports.empty() || reports.back().id != id) reports.push_back({.id = id});
    ++reports.back().nodes;
    if (!std::binary_search(targets.begin(), targets.end(), std::array{id, node}))
      ++reports.back().roots;
  }
  for (const auto& launch : launches) ++report_of(launch.front())->launches;
  for (const std::uint64_t id : without_predecessor) ++report_of(id)->rows_without_predecessor;
  for (const auto& dependency : dependencies)
    if (CudaGraphReport* const report = report_of(dependency.front())) ++report->dependencies;
  return reports;
}

}  // namespace nadi
