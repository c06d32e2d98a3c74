#include "nadi/linked_json/node_order.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace nadi {
namespace {

using Kind = LinkedJsonNode::Kind;

struct Event {
  Ns time;
  Kind kind;
  std::uint32_t number;  // as LinkedJsonNode::number
  friend auto operator<=>(const Event&, const Event&) = default;
};

bool is_process_root(std::string_view name) { return name.ends_with("|process]"); }

class Orderer {
 public:
  Orderer(const LinkedTrace& trace, const BuiltGraph& graph, Diagnostics& diagnostics)
      : trace_(trace), graph_(graph), diagnostics_(diagnostics) {}

  LinkedJsonOrder run() {
    add_roots();
    add_events();
    set_callers();
    index_lanes();
    add_waits();
    return std::move(order_);
  }

 private:
  // New id of a thread root; made if the thread has none yet. Before anything else has an id.
  void add_root(LinkedJsonRoot root) {
    if (!root.is_process && !thread_root_.try_emplace(root.tid, order_.nodes.size() + 1).second)
      return;
    LinkedJsonNode node;
    node.number = static_cast<std::uint32_t>(order_.roots.size());
    order_.roots.push_back(root);
    order_.nodes.push_back(std::move(node));
  }

  void add_roots() {
    const HostOps& host = trace_.host.ops;
    LinkedJsonRoot process{{}, 0, true};
    std::vector<LinkedJsonRoot> threads;
    for (const HostOpIndex row : rows_of(host.name)) {
      const std::string_view name = trace_.strings[host.name[row]];
      if (!is_root(name)) continue;
      if (is_process_root(name))
        process.host = row;
      else
        threads.push_back({row, static_cast<std::int64_t>(host.tid[row]), false});
    }
    add_root(process);
    for (const LinkedJsonRoot& thread : threads) add_root(thread);
    for (const Lane& lane : trace_.lanes)
      if (!lane.is_device && !lane.is_of_host_nodes) add_root({{}, lane.tid, false});
    if (thread_root_.empty()) add_root({{}, 0, false});
  }

  /// Where it is unknown but for the call before it, the launch stands there, yet not before its
  /// op.
  Ns launch_time(std::uint32_t vertex) const {
    const LinkedRows& rows = trace_.rows;
    const DeviceRowIndex row = graph_.device_row(vertex);
    if (rows.launch_ns[row] != kNoTime) return rows.launch_ns[row];
    const Ns after = rows.launched_after_ns[row];
    if (after == kNoTime) return graph_.trace_ns(vertex);
    const LinkedOpIndex op = rows.parent[row];
    return op ? std::max(after, trace_.ops.start_ns[op]) : after;
  }

  void add_events() {
    std::vector<Event> events;
    for (const LinkedOpIndex op : rows_of(graph_.op_node))
      if (graph_.op_node[op] != kNoIndex)
        events.push_back({trace_.ops.start_ns[op], Kind::kOp, op.value});
    for (std::uint32_t vertex = 0; vertex < graph_.size(); ++vertex)
      if (graph_.kind[vertex] == NodeKind::kDeviceRow)
        events.push_back({launch_time(vertex), Kind::kDeviceRow, vertex});
    std::sort(events.begin(), events.end());
    order_.op_id.assign(trace_.ops.size(), 0);
    order_.row_id.assign(graph_.size(), 0);
    for (const Event& event : events) {
      LinkedJsonNode node;
      node.kind = event.kind;
      node.number = event.number;
      order_.nodes.push_back(std::move(node));
      (event.kind == Kind::kOp ? order_.op_id : order_.row_id)[event.number] = order_.nodes.size();
    }
  }

  std::uint64_t root_of(LaneIndex lane) const {
    const bool is_host = lane && !trace_.lanes[lane].is_device;
    const auto found = is_host ? thread_root_.find(trace_.lanes[lane].tid) : thread_root_.begin();
    return found->second;
  }

  // The nearest caller that is in the graph, else the thread's root.
  std::uint64_t caller_of(LinkedOpIndex op, LaneIndex lane) const {
    while (op && order_.op_id[op] == 0) op = trace_.ops.parent[op];
    return op ? order_.op_id[op] : root_of(lane);
  }

  void set_callers() {
    for (LinkedJsonNode& node : order_.nodes) {
      if (node.kind == Kind::kOp) {
        node.caller = caller_of(trace_.ops.parent[node.op()], trace_.ops.lane[node.op()]);
      } else if (node.kind == Kind::kDeviceRow) {
        const DeviceRowIndex row = graph_.device_row(node.vertex());
        node.caller = caller_of(trace_.rows.parent[row], trace_.rows.launch_lane[row]);
      }
    }
  }

  void index_lanes() {
    lane_ops_.resize(trace_.lanes.size());
    for (const LinkedOpIndex op : rows_of(order_.op_id))
      if (order_.op_id[op] != 0 && trace_.ops.lane[op])
        lane_ops_[trace_.ops.lane[op]].push_back(op);
  }

  // First op of the lane that starts at `time` or later, and the last one before it; 0 = none.
  struct Neighbours {
    std::uint64_t before = 0, from = 0;
  };
  Neighbours neighbours(LaneIndex lane, Ns time) const {
    if (!lane) return {};
    const auto& ops = lane_ops_[lane];
    const auto next = std::partition_point(
        ops.begin(), ops.end(), [&](LinkedOpIndex op) { return trace_.ops.start_ns[op] < time; });
    return {next == ops.begin() ? 0 : order_.op_id[*(next - 1)],
            next == ops.end() ? 0 : order_.op_id[*next]};
  }

  // New id of what stands for the vertex as the end of a wait; 0 = nothing does.
  std::uint64_t source_id(std::uint32_t vertex) const {
    switch (graph_.kind[vertex]) {
      case NodeKind::kOp:
      case NodeKind::kPart:
        return order_.op_id[graph_.op(vertex)];
      case NodeKind::kDeviceRow:
        return order_.row_id[vertex];
      case NodeKind::kCall:
        return neighbours(lane_of(vertex), graph_.trace_ns(vertex)).before;
      case NodeKind::kDelay:
      case NodeKind::kHostOther:
        return 0;
    }
    return 0;
  }

  // … and as its begin. A part or a call: see order_linked_nodes.
  std::uint64_t target_id(std::uint32_t vertex, std::uint64_t source) const {
    const NodeKind kind = graph_.kind[vertex];
    if (kind == NodeKind::kOp || kind == NodeKind::kDeviceRow) return source_id(vertex);
    if (kind == NodeKind::kDelay) return 0;
    const Ns start_ns = graph_.trace_ns(vertex);
    const Neighbours ops = neighbours(lane_of(vertex), start_ns);
    const bool holds = ops.before != 0 && ops.before > source && is_inside(start_ns, ops.before);
    return holds ? ops.before : ops.from;
  }

  LaneIndex lane_of(std::uint32_t vertex) const { return graph_.trace_lane[graph_.lane[vertex]]; }

  bool is_inside(Ns time, std::uint64_t op_id) const {
    const LinkedOpIndex op = order_.nodes[op_id - 1].op();
    return time < trace_.ops.start_ns[op] + trace_.ops.duration_ns[op];
  }

  void add_waits() {
    for (std::uint32_t v = 0; v < graph_.size(); ++v) {
      const Sources sources = graph_.data_dependencies(v);
      for (auto source = sources.begin(); source != sources.end(); ++source) {
        const Evidence evidence = source.edge().evidence;
        const bool is_hand_off = evidence == Evidence::kThreadHandOff;
        if (!is_hand_off && evidence != Evidence::kSynchronisation &&
            evidence != Evidence::kEventWait)
          continue;
        add_wait({source_id(*source), source.edge().inferred}, v, is_hand_off);
      }
    }
    for (LinkedJsonNode& node : order_.nodes) {
      const auto is_same = [](const NodeWait& a, const NodeWait& b) { return a.id == b.id; };
      std::sort(node.waits.begin(), node.waits.end());  // of one node the certain wait is first
      node.waits.erase(std::unique(node.waits.begin(), node.waits.end(), is_same),
                       node.waits.end());
    }
  }

  void add_wait(NodeWait wait, std::uint32_t vertex, bool is_hand_off) {
    const std::uint64_t to = wait.id == 0 ? 0 : target_id(vertex, wait.id);
    if (to == 0 || wait.id >= to) {
      diagnostics_.report(Finding::kLinkedWaitDropped, "node " + std::to_string(node_id(vertex)));
      return;
    }
    LinkedJsonNode& node = order_.nodes[to - 1];
    NodeWait& hand_off = node.inter_thread;
    if (!is_hand_off)
      node.waits.push_back(wait);
    else if (hand_off.id < wait.id || (hand_off.id == wait.id && !is_guess(wait.inferred)))
      hand_off = wait;
  }

  const LinkedTrace& trace_;
  const BuiltGraph& graph_;
  Diagnostics& diagnostics_;
  LinkedJsonOrder order_;
  std::map<std::int64_t, std::uint64_t> thread_root_;  // tid -> new id
  ByRow<Lane, std::vector<LinkedOpIndex>> lane_ops_;   // by start
};

}  // namespace

LinkedJsonOrder order_linked_nodes(const LinkedTrace& trace, const BuiltGraph& graph,
                                   Diagnostics& diagnostics) {
  return Orderer(trace, graph, diagnostics).run();
}

}  // namespace nadi
