#include "nadi/converters/cuda_graphs.h"

#include <algorithm>
#include <array>

#include "nadi/base/sort_unique.h"

namespace nadi {
namespace {

/// True where only idle time stands before the node.
bool lacks_predecessor(const Graph& graph, std::uint32_t node) {
  const Sources sources = graph.data_dependencies(node);
  for (auto source = sources.begin(); source != sources.end(); ++source)
    if (source.edge().evidence != Evidence::kDelay) return false;
  return true;
}

}  // namespace

std::vector<CudaGraphReport> report_cuda_graphs(const LinkedTrace& linked,
                                                const BuiltGraph& graph) {
  const DeviceRows& rows = linked.device.rows;
  std::vector<std::array<std::uint64_t, 2>> launches, nodes, targets;  // each with its graph's id
  std::vector<std::array<std::uint64_t, 3>> dependencies;
  std::vector<std::uint64_t> without_predecessor;  // graph ids
  for (std::uint32_t node = 0; node < graph.size(); ++node) {
    if (graph.kind[node] != NodeKind::kDeviceRow) continue;
    const DeviceRowIndex row = graph.device_row(node);
    const std::uint64_t id = rows.graph_id[row];
    if (id == 0) continue;
    nodes.push_back({id, rows.graph_node_id[row]});
    if (const std::int64_t launch = rows.correlation[row]; launch >= 0)
      launches.push_back({id, static_cast<std::uint64_t>(launch)});
    if (lacks_predecessor(graph, node)) without_predecessor.push_back(id);
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
