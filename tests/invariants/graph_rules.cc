#include "tests/invariants/graph_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "nadi/chakra/chakra_reader.h"

namespace nadi {
namespace {

std::string name_of(const BuiltGraph& graph, std::size_t node) {
  return fmt::format("{} {} {}", node_id(node), to_string(graph.kind[node]), graph.name_of(node));
}

/// Takes away what has no sources left, again and again; what stays lies on or behind a cycle.
std::string find_cycle(const BuiltGraph& graph) {
  const std::size_t count = num_vertices(graph.structure);
  std::vector<std::uint32_t> sources(count, 0), ready;
  for (auto [edge, end] = edges(graph.structure); edge != end; ++edge)
    ++sources[target(*edge, graph.structure)];
  for (std::uint32_t vertex = 0; vertex < count; ++vertex)
    if (sources[vertex] == 0) ready.push_back(vertex);
  std::size_t taken = 0;
  for (; taken < ready.size(); ++taken)
    for (auto [edge, end] = out_edges(ready[taken], graph.structure); edge != end; ++edge)
      if (--sources[target(*edge, graph.structure)] == 0)
        ready.push_back(static_cast<std::uint32_t>(target(*edge, graph.structure)));
  if (taken == count) return {};
  const auto left = std::find_if(sources.begin(), sources.end(), [](auto n) { return n != 0; });
  return "a cycle holds " + name_of(graph, std::size_t(left - sources.begin()));
}

std::string find_backward_edge(const BuiltGraph& graph) {
  for (auto [edge, end] = edges(graph.structure); edge != end; ++edge)
    if (source(*edge, graph.structure) >= target(*edge, graph.structure))
      return name_of(graph, source(*edge, graph.structure)) + " -> " +
             name_of(graph, target(*edge, graph.structure));
  return {};
}

std::string find_lost_row(const LinkedTrace& linked, const BuiltGraph& graph) {
  const DeviceRows& rows = linked.device.rows;
  ByRow<DeviceRows, Ns> length(rows.size(), -1);
  for (std::uint32_t node = 0; node < graph.size(); ++node) {
    if (graph.kind[node] != NodeKind::kDeviceRow) continue;
    Ns& of_row = length[graph.device_row(node)];
    of_row = std::max<Ns>(of_row, 0) + graph.duration_ns[node];
  }
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (length[row] != rows.duration_ns[row])
      return fmt::format("device row {} {} of {} ns is {} ns of nodes", row,
                         linked.strings[rows.name[row]], rows.duration_ns[row], length[row]);
  return {};
}

std::string find_lost_op(const LinkedTrace& linked, const BuiltGraph& graph) {
  ByRow<LinkedOps, int> nodes(linked.ops.size(), 0);
  for (std::uint32_t node = 0; node < graph.size(); ++node)
    if (graph.kind[node] == NodeKind::kOp) ++nodes[graph.op(node)];
  for (std::size_t op = 0; op < nodes.size(); ++op)
    if (nodes[op] != 1)
      return fmt::format("op {} {} has {} nodes", op, linked.strings[linked.ops.name[op]],
                         nodes[op]);
  return {};
}

std::string find_overlap_on_host_lane(const BuiltGraph& graph) {
  std::map<std::uint32_t, std::uint32_t> last;  // by lane
  for (std::uint32_t node = 0; node < graph.size(); ++node) {
    if (graph.is_device(node) || graph.kind[node] == NodeKind::kDelay) continue;
    const auto [before, is_first] = last.try_emplace(graph.lane[node], node);
    if (!is_first && graph.end_ns(before->second) > graph.start_ns[node])
      return name_of(graph, before->second) + " overlaps " + name_of(graph, node);
    before->second = node;
  }
  return {};
}

}  // namespace

std::string first_broken_rule(const LinkedTrace& linked, const BuiltGraph& graph, bool has_parts,
                              bool is_whole) {
  std::string broken = find_cycle(graph);
  if (broken.empty()) broken = find_backward_edge(graph);
  if (broken.empty() && is_whole) broken = find_lost_row(linked, graph);
  if (broken.empty() && is_whole) broken = find_lost_op(linked, graph);
  if (broken.empty() && has_parts) broken = find_overlap_on_host_lane(graph);
  return broken;
}

std::vector<Ns> replay(const BuiltGraph& graph) {
  std::vector<Ns> start(graph.size(), 0);
  for (std::uint32_t vertex = 0; vertex < start.size(); ++vertex)
    for (auto [edge, end] = in_edges(vertex, graph.structure); edge != end; ++edge) {
      if (graph.structure[*edge].evidence == Evidence::kNesting) continue;
      const auto before = source(*edge, graph.structure);
      start[vertex] = std::max(start[vertex], start[before] + graph.duration_ns[before]);
    }
  return start;
}

ReplayError replay_error(const BuiltGraph& graph) {
  const std::vector<Ns> start = replay(graph);
  ReplayError error;
  Ns overlaps = 0;  // of device rows that a certain edge orders though they overlap
  for (std::uint32_t vertex = 0; vertex < start.size(); ++vertex) {
    for (auto [edge, end] = in_edges(vertex, graph.structure); edge != end; ++edge) {
      const auto before = source(*edge, graph.structure);
      const Evidence evidence = graph.structure[*edge].evidence;
      if (evidence == Evidence::kStreamOrder || evidence == Evidence::kGraphOrder ||
          evidence == Evidence::kGraphDependency)
        overlaps += std::max<Ns>(graph.end_ns(before) - graph.start_ns[vertex], 0);
    }
    const bool is_delay = graph.kind[vertex] == NodeKind::kDelay;
    Ns& most_early = is_delay ? error.most_early_delay_ns : error.most_early_ns;
    most_early = std::max(most_early, graph.start_ns[vertex] - start[vertex]);
    const Ns late = start[vertex] - graph.start_ns[vertex] - overlaps;
    if (late <= error.most_late_ns) continue;
    error.most_late_ns = late;
    error.worst = name_of(graph, vertex);
  }
  return error;
}

Ns worst_lane_sum(const BuiltGraph& graph, const std::string& file) {
  ChakraReader reader(messages_of_bytes(file, "graph"));
  std::map<std::uint32_t, Ns> difference;  // by lane
  Ns worst = 0;
  for (ChakraProtoMsg::Node node; reader.next(node);) {
    Ns& sum = difference[graph.lane[node.id() - 1]];
    sum += static_cast<Ns>(node.duration_micros()) * 1000 - graph.duration_ns[node.id() - 1];
    worst = std::max(worst, std::abs(sum));
  }
  return worst;
}

}  // namespace nadi
