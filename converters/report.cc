#include "nadi/converters/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "nadi/converters/convert.h"
#include "nadi/converters/cuda_graphs.h"
#include "nadi/emit/clock_json.h"
#include "nadi/graph/lost_rows.h"

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
std::vector<bool> rows_in_graph(const LinkedTrace& linked, const Graph& graph) {
  std::vector<bool> is_in(linked.device.rows.size(), false);
  for (std::uint32_t v = 0; v < num_vertices(graph.structure); ++v)
    if (graph.structure[v].kind == NodeKind::kDeviceRow)
      is_in[graph.structure[v].device_row().value] = true;
  return is_in;
}

void count_device_rows(const LinkedTrace& linked, const Graph& graph, ConvertReport& report) {
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
void count_host_ops(const LinkedTrace& linked, const Graph& graph, ConvertReport& report) {
  for (std::size_t op = 0; op < linked.ops.size(); ++op) {
    const bool is_counted = !linked.has_host || linked.ops.host[op];
    if (!is_counted || graph.op_node[op] == kNoIndex) continue;
    ++report.host_ops;
    report.matched_host_ops += linked.ops.profiler[op] ? 1 : 0;
  }
}

void count_graph(const Graph& graph, ConvertReport& report) {
  std::array<std::uint64_t, 5> kinds{};
  std::array<std::uint64_t, kEvidenceCount> evidence{}, inferred{};
  std::array<std::array<std::uint64_t, kInferenceCount>, kEvidenceCount> inferences{};
  std::array<std::uint64_t, static_cast<std::size_t>(CommKind::kNone)> collectives{};
  const GraphStructure& structure = graph.structure;
  for (std::uint32_t v = 0; v < num_vertices(structure); ++v) {
    ++kinds[static_cast<std::size_t>(structure[v].kind)];
    if (structure[v].kind == NodeKind::kDeviceRow) report.device_ns += structure[v].duration_ns;
    if (structure[v].is_unrecorded_communication) {
      ++report.unrecorded_communications;
      report.unrecorded_communication_ns += structure[v].duration_ns;
    }
    if (const CommunicationIndex c = structure[v].communication; c)
      ++collectives[static_cast<std::size_t>(graph.communications[c].kind)];
  }
  for (auto [edge, end] = edges(structure); edge != end; ++edge) {
    const auto kind = static_cast<std::size_t>(structure[*edge].evidence);
    ++evidence[kind];
    if (!is_guess(structure[*edge].inferred)) continue;
    ++inferred[kind];
    ++inferences[kind][static_cast<std::size_t>(structure[*edge].inferred)];
  }
  report.nodes = num_vertices(structure);
  report.nodes_by_kind = named<NodeKind>(kinds);
  report.edges = named<Evidence>(evidence);
  report.inferred_edges = named<Evidence>(inferred);
  for (std::size_t kind = 0; kind < kEvidenceCount; ++kind)
    if (inferred[kind] > 0)
      report.inferences.emplace_back(to_string(static_cast<Evidence>(kind)),
                                     named<Inference>(inferences[kind]));
  report.collectives = named<CommKind>(collectives);
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

void measure_lanes(const LinkedTrace& linked, const Graph& graph, ConvertReport& report) {
  struct Extent {
    std::uint64_t nodes = 0;
    Ns first = 0, last = 0;
  };
  std::vector<Extent> extents(linked.lanes.size());
  for (std::uint32_t v = 0; v < num_vertices(graph.structure); ++v) {
    const Node& node = graph.structure[v];
    if (node.kind == NodeKind::kDelay) continue;
    Extent& lane = extents[node.lane.value];
    const Ns end = node.start_ns + node.duration_ns;
    if (lane.nodes++ == 0) lane.first = node.start_ns;
    lane.last = std::max(lane.last, end);
  }
  for (std::size_t lane = 0; lane < extents.size(); ++lane)
    if (extents[lane].nodes != 0)
      report.lanes.push_back({lane_name(linked.lanes[lane]), extents[lane].nodes,
                              extents[lane].last - extents[lane].first,
                              graph.lane_unexplained_ns[lane],
                              extents[lane].last - graph.origin_ns});
}

}  // namespace

ConvertReport make_report(const LinkedTrace& linked, const Graph& graph,
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
  report.span_ns = graph.end_ns - graph.origin_ns;
  report.unexplained_ns = graph.unexplained_ns;
  report.diagnostics = diagnostics.table();
  return report;
}

}  // namespace nadi
