#include "tests/golden/graph_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <vector>

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

std::string lane_text(const Lane& lane) {
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
  GraphText(const LinkedTrace& linked, const Graph& graph) : linked_(linked), graph_(graph) {}

  std::string write() {
    text_ += fmt::format("rank {}, {} of {} host ops matched, unexplained {} us", linked_.rank,
                         linked_.matched_host_op_count, linked_.host_op_count,
                         micros(graph_.unexplained_ns));
    if (graph_.lateness_ns > 0) text_ += fmt::format(", late {} us", micros(graph_.lateness_ns));
    text_ += "\n";
    for (std::uint32_t vertex = 0; vertex < num_vertices(graph_.structure); ++vertex) add(vertex);
    return text_;
  }

 private:
  void add(std::uint32_t vertex) {
    const Node& node = graph_.structure[vertex];
    text_ += fmt::format("{} {} {} ({}) at {} for {}", node_id(vertex), to_string(node.kind),
                         node.kind == NodeKind::kDelay ? "" : linked_.strings[node.name],
                         lane_text(linked_.lanes[node.lane.value]),
                         micros(node.start_ns - graph_.origin_ns), micros(node.duration_ns));
    add_attributes(node);
    text_ += "\n";
    add_edges(vertex);
  }

  void add_attributes(const Node& node) {
    if (node.step >= 0) text_ += fmt::format(", step {}", node.step);
    if (node.is_untimed) text_ += ", untimed";
    if (node.kind == NodeKind::kOp) add_ids(node.op());
    if (node.kind == NodeKind::kCall)
      text_ +=
          fmt::format(", correlation {}", recorded(linked_.device.calls.correlation[node.call()]));
    if (node.kind == NodeKind::kDeviceRow)
      text_ += fmt::format(", correlation {}, {}",
                           recorded(linked_.device.rows.correlation[node.device_row()]),
                           evidence_text(linked_.rows.evidence[node.device_row()]));
    if (node.kind == NodeKind::kDeviceRow && !graph_.memory_access.empty())
      add_memory_access(node.device_row());
    if (node.is_unrecorded_communication) text_ += ", communication not recorded";
    if (node.communication) add_communication(graph_.communications[node.communication.value]);
  }

  std::int64_t recorded(std::int64_t correlation) const {
    return linked_.device.recorded_correlation(correlation);
  }

  void add_ids(LinkedOpIndex op) {
    const HostOpIndex host = linked_.ops.host[op];
    const ProfilerOpIndex profiler = linked_.ops.profiler[op];
    if (host) text_ += fmt::format(", host id {}", linked_.host.ops.id[host]);
    if (!host && linked_.has_host) text_ += ", profiler only";
    if (profiler && linked_.device.ops.rf_id[profiler] != 0)
      text_ += fmt::format(", rf_id {}", linked_.device.ops.rf_id[profiler]);
  }

  void add_memory_access(DeviceRowIndex row) {
    const MemoryAccess access = graph_.memory_access[row];
    if (access == MemoryAccess::kNone) return;
    text_ += fmt::format(", {} of {} bytes", access == MemoryAccess::kLoad ? "load" : "store",
                         linked_.device.rows.bytes[row]);
  }

  void add_communication(const Communication& c) {
    text_ += fmt::format(", {} of {} bytes", to_string(c.kind), c.bytes);
    if (c.dtype != StringId::kEmpty) text_ += fmt::format(" {}", linked_.strings[c.dtype]);
    if (c.group != StringId::kEmpty) text_ += fmt::format(" in group {}", linked_.strings[c.group]);
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
  const Graph& graph_;
  std::string text_;
};

}  // namespace

std::string graph_text(const LinkedTrace& linked, const Graph& graph,
                       const Diagnostics& diagnostics) {
  std::string text = GraphText(linked, graph).write();
  for (const Diagnostic& diagnostic : diagnostics.table()) {
    if (diagnostic.count == 0) continue;
    text += fmt::format("{}: {} x {}", to_string(diagnostic.severity), diagnostic.count,
                        diagnostic.kind);
    if (!diagnostic.first.empty() && !diagnostic.first.front().empty())
      text += fmt::format(" ({})", diagnostic.first.front());
    text += "\n";
  }
  return text;
}

}  // namespace nadi::golden
