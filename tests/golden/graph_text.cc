#include "tests/golden/graph_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <vector>

#include "nadi/chakra/communication_name.h"
#include "nadi/emit/node_facts.h"

namespace nadi::golden {
namespace {

/// Microseconds without needless zeros: "12.5", "0.001", "-3".
std::string micros(Ns ns) {
  std::string text =
      fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", std::abs(ns) / 1000, std::abs(ns) % 1000);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string lane_text(const GraphLane& lane) {
  if (lane.is_device) return fmt::format("device {} stream {}", lane.device, lane.stream);
  return fmt::format("tid {}", lane.tid);
}

std::string_view evidence_text(LinkEvidence evidence) {
  switch (evidence) {
    case LinkEvidence::kCorrelation:
      return "linked by correlation";
    case LinkEvidence::kFlow:
      return "linked by flow";
    case LinkEvidence::kExternalId:
      return "linked by External id";
    case LinkEvidence::kUnlaunched:
      return "unlaunched";
  }
  return "?";
}

class GraphText {
 public:
  GraphText(const LinkedTrace& linked, const BuiltGraph& graph) : linked_(linked), graph_(graph) {}

  std::string write() {
    text_ += fmt::format("rank {}, {} of {} host ops matched, unexplained {} us", linked_.rank,
                         linked_.matched_host_op_count, linked_.host_op_count,
                         micros(graph_.unexplained_ns));
    if (graph_.lateness_ns > 0) text_ += fmt::format(", late {} us", micros(graph_.lateness_ns));
    text_ += "\n";
    for (std::uint32_t node = 0; node < graph_.size(); ++node) add(node);
    return text_;
  }

 private:
  void add(std::uint32_t node) {
    const NodeKind kind = graph_.kind[node];
    text_ += fmt::format("{} {} {} ({}) at {} for {}", node_id(node), to_string(kind),
                         kind == NodeKind::kDelay ? "" : graph_.name_of(node),
                         lane_text(graph_.lanes[graph_.lane[node]]), micros(graph_.start_ns[node]),
                         micros(graph_.duration_ns[node]));
    add_attributes(node);
    text_ += "\n";
    add_edges(node);
  }

  void add_attributes(std::uint32_t node) {
    const NodeKind kind = graph_.kind[node];
    if (graph_.step[node] >= 0) text_ += fmt::format(", step {}", graph_.step[node]);
    if (kind == NodeKind::kOp) add_ids(graph_.op(node));
    if (kind == NodeKind::kCall || kind == NodeKind::kDeviceRow)
      text_ += fmt::format(", correlation {}", correlation_of(linked_, graph_, node));
    if (kind == NodeKind::kDeviceRow)
      text_ += fmt::format(", {}", evidence_text(linked_.rows.evidence[graph_.device_row(node)]));
    if (is_memory_access(graph_.type[node]))
      text_ += fmt::format(", {} of {} bytes",
                           graph_.type[node] == NodeType::kMemoryLoad ? "load" : "store",
                           linked_.device.rows.bytes[graph_.device_row(node)]);
    if (graph_.is_unrecorded_communication(node)) text_ += ", communication not recorded";
    if (graph_.communication[node] != kNoIndex)
      add_communication(graph_.type[node], graph_.communications[graph_.communication[node]]);
  }

  void add_ids(LinkedOpIndex op) {
    const HostOpIndex host = linked_.ops.host[op];
    const ProfilerOpIndex profiler = linked_.ops.profiler[op];
    if (!profiler) text_ += ", untimed";
    if (host) text_ += fmt::format(", host id {}", linked_.host.ops.id[host]);
    if (!host && linked_.has_host) text_ += ", profiler only";
    if (profiler && linked_.device.ops.rf_id[profiler] != 0)
      text_ += fmt::format(", rf_id {}", linked_.device.ops.rf_id[profiler]);
  }

  void add_communication(NodeType type, const GraphCommunication& c) {
    text_ += fmt::format(", {} of {} bytes", communication_name(type, c.type), c.bytes);
    if (c.dtype != StringId::kEmpty) text_ += fmt::format(" {}", graph_.strings[c.dtype]);
    if (c.group != StringId::kEmpty) text_ += fmt::format(" in group {}", graph_.strings[c.group]);
    if (c.tag >= 0) text_ += fmt::format(" from {} to {} tag {}", c.src, c.dst, c.tag);
    if (c.seq >= 0) text_ += fmt::format(" seq {}", c.seq);
  }

  void add_edges(std::uint32_t vertex) {
    std::vector<std::pair<std::uint32_t, Edge>> in;
    for (auto [edge, end] = in_edges(vertex, graph_.structure); edge != end; ++edge)
      in.emplace_back(source(*edge, graph_.structure), graph_.structure[*edge]);
    const auto key = [](const auto& e) {
      return std::tuple(e.second.evidence == Evidence::kNesting, e.first, e.second.evidence);
    };
    std::sort(in.begin(), in.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    for (const auto& [from, edge] : in)
      text_ += edge.evidence == Evidence::kNesting
                   ? fmt::format("    inside {}\n", node_id(from))
                   : fmt::format("    after {}: {}{}\n", node_id(from), to_string(edge.evidence),
                                 is_guess(edge.inferred) ? " (inferred)" : "");
  }

  const LinkedTrace& linked_;
  const BuiltGraph& graph_;
  std::string text_;
};

}  // namespace

std::string graph_text(const LinkedTrace& linked, const BuiltGraph& graph,
                       const Diagnostics& diagnostics) {
  std::string text = GraphText(linked, graph).write();
  for (const Diagnostic& diagnostic : diagnostics.table()) {
    if (diagnostic.count == 0) continue;
    text += fmt::format("{}: {} x {}", to_string(severity_of(diagnostic.kind)), diagnostic.count,
                        to_string(diagnostic.kind));
    if (!diagnostic.first.empty() && !diagnostic.first.front().empty())
      text += fmt::format(" ({})", diagnostic.first.front());
    text += "\n";
  }
  return text;
}

}  // namespace nadi::golden
