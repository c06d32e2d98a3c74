#include "tests/invariants/graph_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "nadi/chakra/chakra_reader.h"

namespace nadi {
namespace {

std::string name_of(const LinkedTrace& linked, const Graph& graph, std::size_t vertex) {
  const Node& node = graph.structure[static_cast<std::uint32_t>(vertex)];
  return fmt::format("{} {} {}", node_id(vertex), to_string(node.kind),
                     node.kind == NodeKind::kDelay ? "" : linked.strings[node.name]);
}

/// Takes away what has no sources left, again and again; what stays lies on or behind a cycle.
std::string find_cycle(const LinkedTrace& linked, const Graph& graph) {
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
  return "a cycle holds " + name_of(linked, graph, std::size_t(left - sources.begin()));
}

std::string find_backward_edge(const LinkedTrace& linked, const Graph& graph) {
  for (auto [edge, end] = edges(graph.structure); edge != end; ++edge)
    if (source(*edge, graph.structure) >= target(*edge, graph.structure))
      return name_of(linked, graph, source(*edge, graph.structure)) + " -> " +
             name_of(linked, graph, target(*edge, graph.structure));
  return {};
}

std::string find_lost_row(const LinkedTrace& linked, const Graph& graph) {
  const DeviceRows& rows = linked.device.rows;
  ByRow<DeviceRows, Ns> length(rows.size(), -1);
  for (std::uint32_t vertex = 0; vertex < num_vertices(graph.structure); ++vertex) {
    const Node& node = graph.structure[vertex];
    if (node.kind != NodeKind::kDeviceRow) continue;
    Ns& of_row = length[node.device_row()];
    of_row = std::max<Ns>(of_row, 0) + node.duration_ns;
  }
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (length[row] != rows.duration_ns[row])
      return fmt::format("device row {} {} of {} ns is {} ns of nodes", row,
                         linked.strings[rows.name[row]], rows.duration_ns[row], length[row]);
  return {};
}

std::string find_lost_op(const LinkedTrace& linked, const Graph& graph) {
  ByRow<LinkedOps, int> nodes(linked.ops.size(), 0);
  for (std::uint32_t vertex = 0; vertex < num_vertices(graph.structure); ++vertex)
    if (graph.structure[vertex].kind == NodeKind::kOp) ++nodes[graph.structure[vertex].op()];
  for (std::size_t op = 0; op < nodes.size(); ++op)
    if (nodes[op] != 1)
      return fmt::format("op {} {} has {} nodes", op, linked.strings[linked.ops.name[op]],
                         nodes[op]);
  return {};
}

std::string find_overlap_on_host_lane(const LinkedTrace& linked, const Graph& graph) {
  std::map<LaneIndex, std::uint32_t> last;
  for (std::uint32_t vertex = 0; vertex < num_vertices(graph.structure); ++vertex) {
    const Node& node = graph.structure[vertex];
    if (linked.lanes[node.lane].is_device || node.kind == NodeKind::kDelay) continue;
    const auto [before, is_first] = last.try_emplace(node.lane, vertex);
    const Node& previous = graph.structure[before->second];
    if (!is_first && previous.start_ns + previous.duration_ns > node.start_ns)
      return name_of(linked, graph, before->second) + " overlaps " + name_of(linked, graph, vertex);
    before->second = vertex;
  }
  return {};
}

}  // namespace

std::string first_broken_rule(const LinkedTrace& linked, const Graph& graph, bool has_parts,
                              bool is_whole) {
  std::string broken = find_cycle(linked, graph);
  if (broken.empty()) broken = find_backward_edge(linked, graph);
  if (broken.empty() && is_whole) broken = find_lost_row(linked, graph);
  if (broken.empty() && is_whole) broken = find_lost_op(linked, graph);
  if (broken.empty() && has_parts) broken = find_overlap_on_host_lane(linked, graph);
  return broken;
}

std::vector<Ns> replay(const Graph& graph) {
  std::vector<Ns> start(num_vertices(graph.structure), graph.origin_ns);
  for (std::uint32_t vertex = 0; vertex < start.size(); ++vertex)
    for (auto [edge, end] = in_edges(vertex, graph.structure); edge != end; ++edge) {
      if (graph.structure[*edge].evidence == Evidence::kNesting) continue;
      const auto before = source(*edge, graph.structure);
      start[vertex] = std::max(start[vertex], start[before] + graph.structure[before].duration_ns);
    }
  return start;
}

ReplayError replay_error(const LinkedTrace& linked, const Graph& graph) {
  const std::vector<Ns> start = replay(graph);
  ReplayError error;
  Ns overlaps = 0;  // of device rows that a certain edge orders though they overlap
  for (std::uint32_t vertex = 0; vertex < start.size(); ++vertex) {
    const Node& node = graph.structure[vertex];
    for (auto [edge, end] = in_edges(vertex, graph.structure); edge != end; ++edge) {
      const Node& before = graph.structure[source(*edge, graph.structure)];
      const Evidence evidence = graph.structure[*edge].evidence;
      if (evidence == Evidence::kStreamOrder || evidence == Evidence::kGraphOrder ||
          evidence == Evidence::kGraphDependency)
        overlaps += std::max<Ns>(before.start_ns + before.duration_ns - node.start_ns, 0);
    }
    Ns& most_early =
        node.kind == NodeKind::kDelay ? error.most_early_delay_ns : error.most_early_ns;
    most_early = std::max(most_early, node.start_ns - start[vertex]);
    const Ns late = start[vertex] - node.start_ns - overlaps;
    if (late <= error.most_late_ns) continue;
    error.most_late_ns = late;
    error.worst = name_of(linked, graph, vertex);
  }
  return error;
}

Ns worst_lane_sum(const Graph& graph, const std::string& file) {
  ChakraReader reader(messages_of_bytes(file, "graph"));
  std::map<LaneIndex, Ns> difference;
  Ns worst = 0;
  for (ChakraProtoMsg::Node node; reader.next(node);) {
    const Node& exact = graph.structure[static_cast<std::uint32_t>(node.id() - 1)];
    Ns& sum = difference[exact.lane];
    sum += static_cast<Ns>(node.duration_micros()) * 1000 - exact.duration_ns;
    worst = std::max(worst, std::abs(sum));
  }
  return worst;
}

}  // namespace nadi
