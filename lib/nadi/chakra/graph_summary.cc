#include "nadi/chakra/graph_summary.h"

#include <algorithm>
#include <boost/range/iterator_range.hpp>
#include <limits>
#include <utility>

#include "et_def.pb.h"
#include "nadi/base/lane_sweep.h"
#include "nadi/chakra/communication_name.h"
#include "nadi/model/edge_counts.h"
#include "nadi/model/last_sources.h"

namespace nadi {
namespace {

const char* kind_name(NodeKind kind) {
  constexpr const char* kNames[] = {"op", "part", "call", "device row", "delay", "host node"};
  return kNames[static_cast<std::size_t>(kind)];
}

void count_nodes(const Graph& graph, GraphSummary& summary) {
  for (std::uint32_t vertex = 0; vertex < graph.size(); ++vertex) {
    ++summary.types[ChakraProtoMsg::NodeType_Name(static_cast<int>(graph.type[vertex]))];
    ++summary.kinds[kind_name(graph.kind[vertex])];
    if (graph.is_unrecorded_communication(vertex))
      ++summary.communications[{"not recorded", ""}].count;
    if (graph.communication[vertex] == kNoIndex) continue;
    const GraphCommunication& communication = graph.communications[graph.communication[vertex]];
    CommunicationCount& count =
        summary.communications[{communication_name(graph.type[vertex], communication.type),
                                std::string(graph.strings[communication.group])}];
    ++count.count;
    count.bytes = saturated_sum(count.bytes, std::max<std::int64_t>(communication.bytes, 0));
  }
}

void count_edges(const Graph& graph, GraphSummary& summary) {
  for (const auto& edge : boost::make_iterator_range(edges(graph.structure)))
    ++(graph.structure[edge].is_control ? summary.ctrl_edges : summary.data_edges);
  summary.ctrl_edges += graph.ctrl_beside_data;
}

/// Starts and ends are such that they can be added: graphs come from strangers.
class LaneTimes {
 public:
  explicit LaneTimes(const Graph& graph) : graph_(graph) {
    for (std::uint32_t vertex = 0; vertex < graph.size(); ++vertex) {
      if (graph.kind[vertex] == NodeKind::kDelay) continue;
      origin_ = std::min(origin_, start_ns(vertex));
      last_end_ = std::max(last_end_, end_ns(vertex));
    }
  }

  Ns span_ns() const { return origin_ <= last_end_ ? last_end_ - origin_ : 0; }

  void add_to(std::vector<LaneCount>& lanes) const {
    std::vector<LaneSweep> sweeps(lanes.size(), LaneSweep(origin_));
    for (const auto& [start, explained_until, vertex] : work_by_start()) {
      LaneCount& lane = lanes[graph_.lane[vertex]];
      const Ns end = end_ns(vertex);
      const LaneStretch added = sweeps[graph_.lane[vertex]].next(start, end, explained_until);
      lane.until_ns = std::max(lane.until_ns, end - origin_);
      lane.unexplained_ns = saturated_sum(lane.unexplained_ns, added.unexplained_ns());
    }
  }

 private:
  static constexpr Ns kFar = Ns{1} << 60;

  Ns start_ns(std::uint32_t vertex) const {
    return std::clamp(graph_.start_ns[vertex], -kFar, kFar);
  }
  Ns end_ns(std::uint32_t vertex) const {
    return start_ns(vertex) + std::min(graph_.duration_ns[vertex], kFar);
  }

  /// Start, until when it is explained, and the node, of all nodes but delays. What the device did
  /// in a delay explains the time it took.
  std::vector<std::tuple<Ns, Ns, std::uint32_t>> work_by_start() const {
    const std::vector<std::uint32_t> last = last_sources(
        graph_, [&](std::uint32_t vertex) { return end_ns(vertex); },
        [&](std::uint32_t delay) { return !is_of_device(graph_, delay); });
    std::vector<std::tuple<Ns, Ns, std::uint32_t>> work;
    work.reserve(graph_.size());
    for (std::uint32_t vertex = 0; vertex < graph_.size(); ++vertex)
      if (graph_.kind[vertex] != NodeKind::kDelay)
        work.emplace_back(start_ns(vertex),
                          last[vertex] == kNoIndex ? kNoTime : end_ns(last[vertex]), vertex);
    std::sort(work.begin(), work.end());
    return work;
  }

  const Graph& graph_;
  Ns origin_ = std::numeric_limits<Ns>::max(), last_end_ = std::numeric_limits<Ns>::min();
};

}  // namespace

GraphSummary summarize_graph(const Graph& graph) {
  GraphSummary summary;
  count_nodes(graph, summary);
  count_edges(graph, summary);
  summary.lanes.resize(graph.lanes.size());
  for (std::uint32_t vertex = 0; vertex < graph.size(); ++vertex) {
    LaneCount& lane = summary.lanes[graph.lane[vertex]];
    const bool is_delay = graph.kind[vertex] == NodeKind::kDelay;
    Ns& sum = is_delay ? lane.delay_ns : lane.busy_ns;
    sum = saturated_sum(sum, graph.duration_ns[vertex]);
    lane.nodes += is_delay ? 0 : 1;
  }
  if (!graph.tells_starts) return summary;
  const LaneTimes times(graph);
  times.add_to(summary.lanes);
  summary.span_ns = times.span_ns();
  return summary;
}

}  // namespace nadi
