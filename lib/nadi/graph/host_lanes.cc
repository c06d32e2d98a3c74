#include "nadi/graph/host_lanes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "nadi/base/sort_rows.h"
#include "nadi/graph/launch_times.h"
#include "nadi/model/call_names.h"

namespace nadi {
namespace {

/// Where a host lane is cut besides the begin and end of ops.
struct LaneCut {
  enum Kind : std::uint8_t {
    kLaunch,  ///< of a call that began earlier: before all that begins at that time
    kCall,    ///< a launching call begins
    kBlock,   ///< a blocking call begins
    kWork,    ///< any other call begins, but for queries
    kFlow,    ///< a row was launched, says a flow
  };
  Ns time_ns = 0;
  CallIndex call;      ///< none with kFlow
  DeviceRowIndex row;  ///< with kFlow alone
  Kind kind = kCall;
  LinkedOpIndex next_op = {};  ///< see LinkedCalls
};

ByRow<Lane, std::vector<LaneCut>> cuts_by_lane(const GraphDraft& draft) {
  const LinkedTrace& linked = draft.linked;
  const CallEffects effects = call_effects(linked.device.calls, linked.strings);
  ByRow<Lane, std::vector<LaneCut>> cuts(linked.lanes.size());
  for (const CallIndex call : rows_of(linked.calls)) {
    if (!linked.calls.lane[call]) continue;
    const CallRole role = linked.calls.role[call];
    std::vector<LaneCut>& lane = cuts[linked.calls.lane[call]];
    const Ns begin = linked.device.calls.start_ns[call], launch = draft.call_submit_ns[call];
    if (role == CallRole::kNone) {
      if (is_query(effects[call])) continue;  // who asks whether something is done waits for it
      lane.push_back({begin, call, {}, LaneCut::kWork, linked.calls.next_op[call]});
      continue;
    }
    const auto kind = role == CallRole::kLaunches ? LaneCut::kCall : LaneCut::kBlock;
    lane.push_back({begin, call, {}, kind, linked.calls.next_op[call]});
    if (launch > begin) lane.push_back({launch, call, {}, LaneCut::kLaunch});
  }
  for (const DeviceRowIndex row : rows_of(linked.rows))
    if (linked.rows.evidence[row] == LinkEvidence::kFlow)
      cuts[linked.rows.launch_lane[row]].push_back(
          {linked.rows.launch_ns[row], {}, row, LaneCut::kFlow});
  for (auto& lane : cuts)
    sort_rows(lane, [](const LaneCut& a, const LaneCut& b) {
      const auto key = [](const LaneCut& m) {
        return std::tuple(m.time_ns, m.kind != LaneCut::kLaunch, m.kind == LaneCut::kFlow,
                          m.next_op, m.call, m.row);
      };
      return key(a) < key(b);
    });
  return cuts;
}

/// A thread that runs no ops, launches nothing and waits for nothing: nobody waits for it.
bool has_work_alone(const std::vector<LaneCut>& lane) {
  return std::all_of(lane.begin(), lane.end(),
                     [](const LaneCut& cut) { return cut.kind == LaneCut::kWork; });
}

/// Is the cut reached before the op begins?
bool is_before(const LaneCut& cut, LinkedOpIndex op, Ns begin) {
  if (cut.time_ns != begin) return cut.time_ns < begin;
  return cut.kind == LaneCut::kLaunch || cut.next_op <= op;
}

/// Walks one lane in time and gives every moment of work to the innermost op or call open then, so
/// that nodes of a lane never overlap, whatever the trace says of its ops.
class HostLaneWalk {
 public:
  HostLaneWalk(GraphDraft& draft, LaneIndex lane)
      : draft_(draft), linked_(draft.linked), lane_(lane), nodes_(draft.lane_nodes[lane]) {}

  void begin_op(LinkedOpIndex op) {
    const Ns start = linked_.ops.start_ns[op];
    advance_to(start);
    is_cut_ = false;  // the op's node begins behind a launch at this time
    const bool is_work = linked_.ops.is_annotation[op] == 0;
    draft_.op_node[op] = add_op_node(NodeKind::kOp, op, start);
    draft_.op_last[op] = draft_.op_node[op];
    push({op, {}, op_end_ns(linked_.ops, op), draft_.op_node[op]}, is_work);
  }

  void reach(const LaneCut& cut) {
    advance_to(cut.time_ns);
    const bool is_outside = work_until() <= cut.time_ns;
    if (cut.kind == LaneCut::kWork) {
      if (is_outside) begin_call(cut.call, cut.time_ns);
      return;
    }
    const NodeIndex before = nodes_.empty() ? NodeIndex() : nodes_.back();
    if (cut.kind == LaneCut::kFlow)
      draft_.row_predecessor[cut.row] = before;
    else
      draft_.call_predecessor[cut.call] = before;
    const bool is_node = cut.kind == LaneCut::kBlock || (cut.kind == LaneCut::kCall && is_outside);
    if (is_node) begin_call(cut.call, cut.time_ns);
    // What a long call does before it launches goes on with the op around it.
    const bool launches_later =
        cut.kind == LaneCut::kCall && draft_.call_submit_ns[cut.call] > cut.time_ns;
    if (is_node || !launches_later) is_cut_ = true;
  }

  void finish() { advance_to(std::numeric_limits<Ns>::max()); }

 private:
  void begin_call(CallIndex call, Ns begin) {
    draft_.call_node[call] = add_call_node(call, begin);
    push({{}, call, call_end_ns(linked_.device.calls, call), draft_.call_node[call]}, true);
  }

  struct Open {
    LinkedOpIndex op;
    CallIndex call;  ///< set: a call, and no op
    Ns end_ns;
    NodeIndex node;     ///< last node of its own time
    Ns work_until = 0;  ///< latest end of the ops (no annotations) and calls up to here
  };

  Ns work_until() const {
    return open_.empty() ? std::numeric_limits<Ns>::min() : open_.back().work_until;
  }

  void push(Open open, bool is_work) {
    open.work_until = is_work ? std::max(work_until(), open.end_ns) : work_until();
    open_.push_back(open);
  }

  /// Spends the time from the cursor to `time` on whatever is open, closing what ends on the way.
  void advance_to(Ns time) {
    while (!open_.empty() && open_.back().end_ns <= time) {
      spend(open_.back().end_ns);
      open_.pop_back();
    }
    if (!open_.empty()) spend(time);
    cursor_ = std::max(cursor_, time);
  }

  void spend(Ns until) {
    if (until <= cursor_) return;
    Open& top = open_.back();
    const Ns time = until - cursor_;
    if (const LinkedOpIndex op = top.call ? linked_.calls.parent[top.call] : top.op)
      draft_.exclusive_ns[op] += time;
    if (top.work_until > cursor_) add_work(top, std::min(until, top.work_until) - cursor_);
    is_cut_ = false;
    cursor_ = until;
  }

  /// Own time from the cursor on: more of the lane's last node, or a node of its own.
  void add_work(Open& top, Ns time) {
    const bool goes_on = !nodes_.empty() && nodes_.back() == top.node &&
                         draft_.end_ns(top.node) == cursor_ && !must_cut(top);
    if (!goes_on)
      top.node = top.call ? add_call_node(top.call, cursor_)
                          : add_op_node(NodeKind::kPart, top.op, cursor_);
    draft_.nodes[top.node].duration_ns += time;
    if (!top.call) draft_.op_last[top.op] = top.node;
  }

  /// A launch cuts the own time of the op around it, but not a call node that begins with it.
  bool must_cut(const Open& top) const {
    return is_cut_ && !(top.call && draft_.nodes[top.node].duration_ns == 0);
  }

  NodeIndex add_call_node(CallIndex call, Ns start) {
    Node node;
    node.set_call(call);
    node.name = linked_.device.calls.name[call];
    node.step = linked_.calls.step[call];
    return add_node(node, start);
  }

  NodeIndex add_op_node(NodeKind op_or_part, LinkedOpIndex op, Ns start) {
    Node node;
    node.set_op(op_or_part, op);
    node.name = linked_.ops.name[op];
    node.step = linked_.ops.step[op];
    return add_node(node, start);
  }

  NodeIndex add_node(Node node, Ns start) {
    node.start_ns = start;
    node.lane = lane_;
    nodes_.emplace_back(draft_.nodes.size());
    draft_.nodes.push_back(node);
    return nodes_.back();
  }

  GraphDraft& draft_;
  const LinkedTrace& linked_;
  LaneIndex lane_;
  std::vector<NodeIndex>& nodes_;
  std::vector<Open> open_;
  Ns cursor_ = std::numeric_limits<Ns>::min();
  bool is_cut_ = false;  // a launch stands at the cursor
};

/// By op: itself, or of an annotation the innermost op around it that is none.
ByRow<LinkedOps, LinkedOpIndex> ops_around_annotations(const LinkedOps& ops) {
  ByRow<LinkedOps, LinkedOpIndex> around(ops.size());
  for (const LinkedOpIndex op : rows_of(ops)) {
    if (ops.is_annotation[op] == 0)
      around[op] = op;
    else if (ops.parent[op])
      around[op] = around[ops.parent[op]];
  }
  return around;
}

/// Own nodes of the ops of which rows are known to have been launched in them, but not when. An
/// `External id` seldom names an annotation, so the time of those in an op counts as the op's.
std::map<LinkedOpIndex, std::vector<NodeIndex>> own_nodes_of_launching_ops(
    const GraphDraft& draft) {
  const LinkedRows& rows = draft.linked.rows;
  std::map<LinkedOpIndex, std::vector<NodeIndex>> nodes;
  for (const DeviceRowIndex row : rows_of(rows))
    if (rows.evidence[row] == LinkEvidence::kExternalId && rows.parent[row])
      nodes.try_emplace(rows.parent[row]);
  if (nodes.empty()) return nodes;
  const ByRow<LinkedOps, LinkedOpIndex> op_around = ops_around_annotations(draft.linked.ops);
  for (const NodeIndex node : rows_of(draft.nodes)) {
    const NodeKind kind = draft.nodes[node].kind;
    if (kind != NodeKind::kOp && kind != NodeKind::kPart) continue;
    const LinkedOpIndex source = draft.nodes[node].op();
    auto op = nodes.find(source);
    if (op == nodes.end()) op = nodes.find(op_around[source]);
    if (op != nodes.end()) op->second.push_back(node);
  }
  return nodes;
}

/// A row of which only the op is known (`External id`) was launched in the op's own time, after the
/// call before it if that is known: after all that came before the first own node it can be in.
void set_sources_by_op(GraphDraft& draft) {
  const LinkedRows& rows = draft.linked.rows;
  const auto own_nodes = own_nodes_of_launching_ops(draft);
  if (own_nodes.empty()) return;
  for (const DeviceRowIndex row : rows_of(rows)) {
    const LinkedOpIndex op = rows.parent[row];
    if (rows.evidence[row] != LinkEvidence::kExternalId || !op) continue;
    const std::vector<NodeIndex>& own = own_nodes.at(op);
    const Ns after = rows.launched_after_ns[row];
    auto first = std::partition_point(own.begin(), own.end(), [&](NodeIndex node) {
      return after != kNoTime && draft.end_ns(node) <= after;
    });
    if (first == own.end()) first = own.begin();
    const auto& lane = draft.lane_nodes[draft.linked.ops.lane[op]];
    const auto position = std::lower_bound(lane.begin(), lane.end(), *first);
    if (position != lane.begin()) draft.row_predecessor[row] = *std::prev(position);
  }
}

}  // namespace

void make_host_nodes(GraphDraft& draft) {
  const LinkedTrace& linked = draft.linked;
  const std::size_t op_count = linked.ops.size(), call_count = linked.device.calls.size();
  draft.lane_nodes.resize(linked.lanes.size());
  draft.op_node.assign(op_count, {});
  draft.op_last.assign(op_count, {});
  draft.exclusive_ns.assign(op_count, 0);
  draft.call_node.assign(call_count, {});
  draft.call_predecessor.assign(call_count, {});
  draft.call_submit_ns = launch_times(linked);
  draft.row_predecessor.assign(linked.rows.launch.size(), {});
  const ByRow<Lane, std::vector<LaneCut>> cuts = cuts_by_lane(draft);
  // More than most traces need, which costs no memory before it is written to.
  draft.nodes.reserve(3 * op_count + 2 * call_count + linked.rows.launch.size());
  const RowRange ops = rows_of(linked.ops);
  auto op = ops.begin();
  for (const LaneIndex lane : rows_of(linked.lanes)) {
    if (linked.lanes[lane].is_device) continue;
    const bool has_ops = op != ops.end() && linked.ops.lane[*op] == lane;
    if (!has_ops && has_work_alone(cuts[lane])) continue;
    HostLaneWalk sweep(draft, lane);
    auto cut = cuts[lane].begin();
    for (; op != ops.end() && linked.ops.lane[*op] == lane; ++op) {
      for (; cut != cuts[lane].end() && is_before(*cut, *op, linked.ops.start_ns[*op]); ++cut)
        sweep.reach(*cut);
      sweep.begin_op(*op);
    }
    for (; cut != cuts[lane].end(); ++cut) sweep.reach(*cut);
    sweep.finish();
  }
  set_sources_by_op(draft);
}

void add_thread_order(const GraphDraft& draft, EdgeList& edges) {
  for (const auto& lane : draft.lane_nodes)
    for (std::size_t i = 1; i < lane.size(); ++i)
      edges.add({lane[i - 1], lane[i], Evidence::kThreadOrder});
}

void add_nesting(const GraphDraft& draft, EdgeList& edges) {
  const LinkedTrace& linked = draft.linked;
  // Where the call is lost, the op's first node may be what the call was made in.
  const auto was_over = [&](LinkedOpIndex op, DeviceRowIndex row) {
    return linked.rows.evidence[row] != LinkEvidence::kExternalId ||
           (draft.row_predecessor[row] && draft.op_node[op] <= draft.row_predecessor[row]);
  };
  for (const NodeIndex node : rows_of(draft.nodes)) {
    const Node& own = draft.nodes[node];
    LinkedOpIndex parent;
    switch (own.kind) {
      case NodeKind::kOp:
        parent = linked.ops.parent[own.op()];
        break;
      case NodeKind::kPart:
        parent = own.op();
        break;
      case NodeKind::kCall:
        parent = linked.calls.parent[own.call()];
        break;
      case NodeKind::kDeviceRow:
        parent = linked.rows.parent[own.device_row()];
        if (parent && !was_over(parent, own.device_row())) parent = {};
        break;
      case NodeKind::kDelay:
      case NodeKind::kHostOther:
        break;
    }
    if (parent) edges.add({draft.op_node[parent], node, Evidence::kNesting});
  }
}

}  // namespace nadi
