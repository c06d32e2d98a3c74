#include "nadi/chakra/chakra_summary.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "et_def.pb.h"
#include "nadi/base/lane_sweep.h"
#include "nadi/chakra/edge_evidence.h"

namespace nadi {
namespace {

// Sums of what strangers wrote may wrap, but not overflow.
std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t wrapping_difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

std::string type_name(const WireNode& node) {
  const int type = static_cast<int>(node.type);
  const std::string& name = ChakraProtoMsg::NodeType_Name(type);
  return name.empty() ? "type " + std::to_string(type) : name;
}

const char* kind_name(NodeKind kind) {
  constexpr const char* kNames[] = {"op", "part", "call", "device row", "delay", "host node"};
  return kNames[static_cast<std::size_t>(kind)];
}

void count_communication(const WireNode& node, ChakraSummary& summary) {
  if (is_unrecorded_communication(node)) ++summary.communications[{"not recorded", ""}].count;
  if (!is_communication(node)) return;
  auto& row = summary.communications[{communication_name(node), std::string(node.pg_name)}];
  ++row.count;
  row.bytes = wrapping_sum(row.bytes, node.get(WireNumber::kCommSize, 0));
}

/// Times of all nodes and what they depend on: what is unexplained is known at the end.
class NodeTimes {
 public:
  void add(const WireNode& node, const GraphLane& lane, bool is_delay, LaneCount& count) {
    const Ns start = start_ns_of(node), length = duration_ns_of(node);
    tells_starts_ |= tells_start(node);
    std::int64_t& sum = is_delay ? count.delay_ns : count.busy_ns;
    sum = wrapping_sum(sum, length);
    times_.push_back({node.id, start, wrapping_sum(start, length), sources_.size(), lane, is_delay,
                      is_delay && is_of_device(node.edge_evidence)});
    sources_.insert(sources_.end(), node.data_deps.begin(), node.data_deps.end());
    sources_.insert(sources_.end(), node.ctrl_deps.begin(), node.ctrl_deps.end());
  }

  void finish(ChakraSummary& summary) {
    summary.tells_starts = tells_starts_;
    if (!tells_starts_) return;
    sources_end_ = sources_.size();
    find_origin(summary);
    index_ids();
    std::map<GraphLane, LaneSweep> sweeps;
    for (const auto& [start, since, position] : work_by_start()) {
      const Times& node = times_[position];
      LaneCount& lane = summary.lanes[node.lane];
      LaneSweep& sweep = sweeps.try_emplace(node.lane, origin_).first->second;
      const LaneStretch added = sweep.next(start, node.end, since);
      lane.until_ns = std::max(lane.until_ns, wrapping_difference(node.end, origin_));
      lane.unexplained_ns = wrapping_sum(lane.unexplained_ns,
                                         wrapping_difference(added.start, added.explained_until));
    }
  }

 private:
  struct Times {
    std::uint64_t id;
    std::int64_t start, end;
    std::size_t first_source;
    GraphLane lane;
    bool is_delay;
    bool is_of_device;  ///< a delay in which the device itself was at work
  };

  /// What the device itself took explains the time it takes.
  bool is_of_device(std::string_view edge_evidence) {
    edges_.clear();
    append_recorded_edges(edge_evidence, edges_);
    return std::any_of(edges_.begin(), edges_.end(), [](const RecordedEdge& recorded) {
      return nadi::is_of_device(recorded.edge.evidence);
    });
  }

  /// Start, until when it is explained, and position of all nodes but delays.
  std::vector<std::tuple<std::int64_t, std::int64_t, std::size_t>> work_by_start() const {
    std::vector<std::tuple<std::int64_t, std::int64_t, std::size_t>> work;
    work.reserve(times_.size());
    for (std::size_t position = 0; position < times_.size(); ++position)
      if (!times_[position].is_delay)
        work.emplace_back(times_[position].start, explained_until(position), position);
    std::sort(work.begin(), work.end());
    return work;
  }

  void find_origin(ChakraSummary& summary) {
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    origin_ = std::numeric_limits<std::int64_t>::max();
    for (const Times& node : times_) {
      if (node.is_delay) continue;
      origin_ = std::min(origin_, node.start);
      last = std::max(last, node.end);
    }
    if (origin_ <= last) summary.span_ns = wrapping_difference(last, origin_);
  }

  void index_ids() {
    position_of_.reserve(times_.size());
    for (std::size_t position = 0; position < times_.size(); ++position)
      position_of_.emplace_back(times_[position].id, position);
    std::sort(position_of_.begin(), position_of_.end());
  }

  std::size_t position_of(std::uint64_t id) const {
    const auto found =
        std::lower_bound(position_of_.begin(), position_of_.end(), std::pair{id, std::size_t{0}});
    return found == position_of_.end() || found->first != id ? times_.size() : found->second;
  }

  std::span<const std::uint64_t> sources_of(std::size_t position) const {
    const std::size_t end =
        position + 1 < times_.size() ? times_[position + 1].first_source : sources_end_;
    return std::span(sources_).subspan(times_[position].first_source,
                                       end - times_[position].first_source);
  }

  /// The latest end of what the node depends on, else the graph's first start. A delay of its lane
  /// stands for what it depends on itself; delays of others explain nothing.
  std::int64_t explained_until(std::size_t position) const {
    std::int64_t until = std::max(latest_end_before(position), origin_);
    for (const std::uint64_t id : sources_of(position)) {
      const std::size_t source = position_of(id);
      if (source < times_.size() && times_[source].is_delay &&
          times_[source].lane == times_[position].lane)
        until = std::max(until, latest_end_before(source));
    }
    return until;
  }

  /// Of what explains time among the sources of a node.
  std::int64_t latest_end_before(std::size_t position) const {
    std::int64_t latest = std::numeric_limits<std::int64_t>::min();
    for (const std::uint64_t id : sources_of(position)) {
      const std::size_t source = position_of(id);
      if (source < times_.size() && (!times_[source].is_delay || times_[source].is_of_device))
        latest = std::max(latest, times_[source].end);
    }
    return latest;
  }

  std::vector<RecordedEdge> edges_;  // of one node; kept for its memory
  std::vector<Times> times_;
  std::vector<std::uint64_t> sources_;
  std::size_t sources_end_ = 0;
  std::vector<std::pair<std::uint64_t, std::size_t>> position_of_;
  std::int64_t origin_ = 0;
  bool tells_starts_ = false;
};

}  // namespace

ChakraSummary summarize_chakra(ChakraReader& reader) {
  ChakraSummary summary;
  NodeTimes times;
  WireNode node;
  while (reader.next(node)) {
    const NodeKind kind = kind_of(node);
    const GraphLane lane = lane_of(node);
    const bool is_delay = kind == NodeKind::kDelay;
    ++summary.nodes;
    summary.data_edges += node.data_deps.size();
    summary.ctrl_edges += node.ctrl_deps.size();
    ++summary.types[type_name(node)];
    ++summary.kinds[kind_name(kind)];
    count_communication(node, summary);
    LaneCount& count = summary.lanes[lane];
    count.nodes += is_delay ? 0 : 1;
    times.add(node, lane, is_delay, count);
  }
  times.finish(summary);
  return summary;
}

}  // namespace nadi
