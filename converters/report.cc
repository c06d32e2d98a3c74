#include "nadi/converters/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "nadi/chakra/communication_name.h"
#include "nadi/converters/convert.h"
#include "nadi/converters/cuda_graphs.h"
#include "nadi/emit/clock_json.h"
#include "nadi/graph/lost_rows.h"
#include "nadi/model/edge_counts.h"

namespace nadi {
namespace {

constexpr std::array kRowKinds = {"kernel", "memcpy",    "memset",
                                  "other",  "host node", "event record"};
constexpr std::array kLinkEvidence = {"correlation", "flow", "external id", "unlaunched"};

template <std::size_t N>
CountTable named(const std::array<std::uint64_t, N>& counts,
                 const std::array<const char*, N>& names) {
  CountTable table;
  for (std::size_t i = 0; i < N; ++i)
    if (counts[i] != 0) table.emplace_back(names[i], counts[i]);
  return table;
}

template <class Kind, std::size_t N>
CountTable named(const std::array<std::uint64_t, N>& counts) {
  CountTable table;
  for (std::size_t i = 0; i < N; ++i)
    if (counts[i] != 0) table.emplace_back(to_string(static_cast<Kind>(i)), counts[i]);
  return table;
}

/// Rows that are in the graph: all of them, or those of the steps wanted.
std::vector<bool> rows_in_graph(const LinkedTrace& linked, const BuiltGraph& graph) {
  std::vector<bool> is_in(linked.device.rows.size(), false);
  for (std::uint32_t node = 0; node < graph.size(); ++node)
    if (graph.kind[node] == NodeKind::kDeviceRow) is_in[graph.device_row(node).value] = true;
  return is_in;
}

void count_device_rows(const LinkedTrace& linked, const BuiltGraph& graph, ConvertReport& report) {
  std::array<std::uint64_t, kRowKinds.size()> kinds{};
  std::array<std::uint64_t, kLinkEvidence.size()> evidence{};
  const std::vector<bool> is_in = rows_in_graph(linked, graph);
  for (std::size_t row = 0; row < is_in.size(); ++row) {
    if (!is_in[row]) continue;
    ++report.device_rows;
    ++kinds[static_cast<std::size_t>(linked.device.rows.kind[row])];
    ++evidence[static_cast<std::size_t>(linked.rows.evidence[row])];
  }
  report.unlaunched_device_rows = evidence[static_cast<std::size_t>(LinkEvidence::kUnlaunched)];
  report.linked_device_rows = report.device_rows - report.unlaunched_device_rows;
  report.launches_without_row = count_lost_rows(linked).all;
  report.device_rows_by_kind = named(kinds, kRowKinds);
  report.device_rows_by_evidence = named(evidence, kLinkEvidence);
}

/// Host ops of the graph and those with a time; without a host trace all have one.
void count_host_ops(const LinkedTrace& linked, const BuiltGraph& graph, ConvertReport& report) {
  for (std::size_t op = 0; op < linked.ops.size(); ++op) {
    const bool is_counted = !linked.has_host || linked.ops.host[op];
    if (!is_counted || graph.op_node[op] == kNoIndex) continue;
    ++report.host_ops;
    report.matched_host_ops += linked.ops.profiler[op] ? 1 : 0;
  }
}

void count_graph(const BuiltGraph& graph, ConvertReport& report) {
  std::array<std::uint64_t, static_cast<std::size_t>(NodeKind::kHostOther)> kinds{};
  std::map<std::pair<NodeType, std::int64_t>, std::uint64_t> communications;
  for (std::uint32_t node = 0; node < graph.size(); ++node) {
    ++kinds[static_cast<std::size_t>(graph.kind[node])];
    if (graph.kind[node] == NodeKind::kDeviceRow) report.device_ns += graph.duration_ns[node];
    if (graph.is_unrecorded_communication(node)) {
      ++report.unrecorded_communications;
      report.unrecorded_communication_ns += graph.duration_ns[node];
    }
    if (const std::uint32_t c = graph.communication[node]; c != kNoIndex)
      ++communications[{graph.type[node], graph.communications[c].type}];
  }
  report.nodes = graph.size();
  report.nodes_by_kind = named<NodeKind>(kinds);
  EdgeCounts edges;
  add_edge_counts(graph, edges);
  for (std::size_t i = 0; i < kEvidenceCount; ++i) {
    const std::string evidence(to_string(static_cast<Evidence>(i)));
    if (edges[i].edges() > 0) report.edges.emplace_back(evidence, edges[i].edges());
    if (edges[i].inferred() == 0) continue;
    report.inferred_edges.emplace_back(evidence, edges[i].inferred());
    edges[i].by_inference.front() = 0;
    report.inferences.emplace_back(evidence, named<Inference>(edges[i].by_inference));
  }
  for (const bool is_collective : {true, false})
    for (const auto& [what, count] : communications)
      if ((what.first == NodeType::kCollective) == is_collective)
        report.collectives.emplace_back(communication_name(what.first, what.second), count);
}

/// Kineto calls threads "thread 2910249 (pt_main_thread)": the program's own name of it.
std::string_view own_thread_name(std::string_view name) {
  const std::size_t open = name.find(" (");
  const bool is_kinetos = name.starts_with("thread ") && open < name.size() && name.ends_with(')');
  return is_kinetos ? name.substr(open + 2, name.size() - open - 3) : name;
}

std::string lane_name(const Lane& lane) {
  if (lane.is_device) return fmt::format("device {} stream {}", lane.device, lane.stream);
  const std::string_view name = own_thread_name(lane.name);
  return name.empty() || name == fmt::format("thread {}", lane.tid)
             ? fmt::format("thread {}", lane.tid)
             : fmt::format("thread {} ({})", lane.tid, name);
}

void measure_lanes(const LinkedTrace& linked, const BuiltGraph& graph, ConvertReport& report) {
  struct Extent {
    std::uint64_t nodes = 0;
    Ns first = 0, last = 0;
  };
  ByRow<Lane, Extent> extents(linked.lanes.size());
  for (std::uint32_t node = 0; node < graph.size(); ++node) {
    if (graph.kind[node] == NodeKind::kDelay) continue;
    Extent& lane = extents[graph.trace_lane[graph.lane[node]]];
    if (lane.nodes++ == 0) lane.first = graph.start_ns[node];
    lane.last = std::max(lane.last, graph.end_ns(node));
  }
  for (const LaneIndex lane : rows_of(extents))
    if (const Extent& extent = extents[lane]; extent.nodes != 0)
      report.lanes.push_back({lane_name(linked.lanes[lane]), extent.nodes,
                              extent.last - extent.first, graph.lane_unexplained_ns[lane],
                              extent.last});
}

}  // namespace

ConvertReport make_report(const LinkedTrace& linked, const BuiltGraph& graph,
                          const Diagnostics& diagnostics) {
  ConvertReport report;
  report.rank = linked.rank;
  report.clock_corrections = clocks_json(linked);
  report.has_host_trace = linked.has_host && linked.strings[linked.host.schema] != kKinetoSchema;
  count_host_ops(linked, graph, report);
  count_device_rows(linked, graph, report);
  count_graph(graph, report);
  measure_lanes(linked, graph, report);
  report.cuda_graphs = report_cuda_graphs(linked, graph);
  report.span_ns = graph.last_end_ns;
  report.unexplained_ns = graph.unexplained_ns;
  report.unrecorded_work_ns = graph.unrecorded_work_ns;
  report.diagnostics = diagnostics.table();
  return report;
}

}  // namespace nadi
