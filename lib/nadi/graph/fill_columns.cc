#include "nadi/graph/fill_columns.h"

#include <algorithm>
#include <map>

#include "nadi/base/utf8.h"

namespace nadi {
namespace {

/// Texts of a trace in the graph's own table, as UTF-8; each is looked for once.
class TextMover {
 public:
  TextMover(const StringTable& from, StringTable& to)
      : from_(from), to_(to), moved_(from.size(), StringId::kEmpty) {}

  StringId operator()(StringId text) {
    StringId& moved = moved_[static_cast<std::size_t>(text)];
    if (moved == StringId::kEmpty && text != StringId::kEmpty)
      moved = to_.intern(as_utf8(from_[text], repaired_));
    return moved;
  }

 private:
  const StringTable& from_;
  StringTable& to_;
  std::vector<StringId> moved_;
  std::string repaired_;
};

// -1 is unknown; what a file's int32 cannot hold comes from a broken trace.
std::int64_t known_or_unknown(std::int64_t rank_or_tag) {
  const bool is_known = rank_or_tag >= 0 && rank_or_tag <= 0x7fffffff;
  return is_known ? rank_or_tag : GraphCommunication::kUnknown;
}

class ColumnFiller {
 public:
  ColumnFiller(const GraphDraft& draft, const ByRow<DeviceRows, MemoryAccess>& access,
               BuiltGraph& graph)
      : draft_(draft), access_(access), graph_(graph), text_(draft.linked.strings, graph.strings) {}

  void fill(const std::vector<NodeIndex>& order) {
    fill_lanes(order);
    const StringId delay_name = graph_.strings.intern("delay");
    reserve(order.size());
    for (const NodeIndex index : order) {
      const Node& node = draft_.nodes[index];
      const bool is_delay = node.kind == NodeKind::kDelay;
      graph_.node_name.push_back(is_delay ? delay_name : text_(node.name));
      graph_.type.push_back(type_of(node));
      graph_.kind.push_back(node.kind);
      graph_.start_ns.push_back(node.start_ns - graph_.origin_ns);
      graph_.duration_ns.push_back(node.duration_ns);
      graph_.lane.push_back(graph_.lane_of[node.lane].value);
      graph_.step.push_back(node.step);
      graph_.communication.push_back(add_communication(node.communication).value);
      graph_.comm_unrecorded.push_back(node.is_unrecorded_communication ? 1 : 0);
      graph_.row.push_back(node.row());
      if (!is_delay)
        graph_.last_end_ns = std::max(graph_.last_end_ns, graph_.end_ns(graph_.size() - 1));
    }
  }

 private:
  void reserve(std::size_t nodes) {
    graph_.node_name.reserve(nodes);
    graph_.type.reserve(nodes);
    graph_.kind.reserve(nodes);
    graph_.start_ns.reserve(nodes);
    graph_.duration_ns.reserve(nodes);
    graph_.lane.reserve(nodes);
    graph_.step.reserve(nodes);
    graph_.communication.reserve(nodes);
    graph_.comm_unrecorded.reserve(nodes);
    graph_.row.reserve(nodes);
  }

  /// The lanes that nodes are on, ascending, and where each lane of the trace stands.
  void fill_lanes(const std::vector<NodeIndex>& order) {
    const auto& lanes = draft_.linked.lanes;
    graph_.lane_of.assign(lanes.size(), {});
    for (const NodeIndex node : order) graph_.lane_of[draft_.nodes[node].lane] = GraphLaneIndex(0);
    std::map<GraphLane, LaneIndex> in_use;  // of equal ones the first
    for (const LaneIndex lane : rows_of(graph_.lane_of))
      if (graph_.lane_of[lane]) in_use.try_emplace(attributes_of(lanes[lane]), lane);
    for (const auto& [attributes, lane] : in_use) {
      graph_.lanes.push_back(attributes);
      graph_.trace_lane.push_back(lane);
    }
    for (const LaneIndex lane : rows_of(graph_.lane_of))
      if (graph_.lane_of[lane]) graph_.lane_of[lane] = position_of(attributes_of(lanes[lane]));
  }

  GraphLaneIndex position_of(const GraphLane& lane) const {
    const auto at = std::lower_bound(graph_.lanes.begin(), graph_.lanes.end(), lane);
    return GraphLaneIndex(static_cast<std::size_t>(at - graph_.lanes.begin()));
  }

  static GraphLane attributes_of(const Lane& lane) {
    if (lane.is_device) return {true, -1, lane.device, lane.stream};
    return {false, lane.tid, -1, -1};
  }

  Index<GraphCommunication> add_communication(CommunicationIndex index) {
    if (!index) return {};
    const Communication& drafted = draft_.communications[index];
    GraphCommunication communication = drafted;
    if (drafted.kind <= CommKind::kBarrier)
      communication.type = static_cast<std::int64_t>(drafted.kind);
    for (std::int64_t* end : {&communication.src, &communication.dst, &communication.tag})
      *end = known_or_unknown(*end);
    communication.group = text_(drafted.group);
    communication.dtype = text_(drafted.dtype);
    graph_.communications.push_back(communication);
    return Index<GraphCommunication>(graph_.communications.size() - 1);
  }

  NodeType type_of(const Node& node) const {
    const MemoryAccess access = node.kind == NodeKind::kDeviceRow && !access_.empty()
                                    ? access_[node.device_row()]
                                    : MemoryAccess::kNone;
    if (access == MemoryAccess::kLoad) return NodeType::kMemoryLoad;
    if (access == MemoryAccess::kStore) return NodeType::kMemoryStore;
    if (!node.communication) return NodeType::kCompute;
    const CommKind kind = draft_.communications[node.communication].kind;
    if (kind == CommKind::kSend) return NodeType::kSend;
    return kind == CommKind::kRecv ? NodeType::kReceive : NodeType::kCollective;
  }

  const GraphDraft& draft_;
  const ByRow<DeviceRows, MemoryAccess>& access_;
  BuiltGraph& graph_;
  TextMover text_;
};

}  // namespace

void fill_columns(const GraphDraft& draft, const std::vector<NodeIndex>& order,
                  const ByRow<DeviceRows, MemoryAccess>& access, BuiltGraph& graph) {
  ColumnFiller(draft, access, graph).fill(order);
}

}  // namespace nadi
