#include <algorithm>
#include <limits>

#include "nadi/graph/stages.h"

namespace nadi {
namespace {

/// Where a host lane is cut besides the begin and end of ops: a launch or a blocking call.
struct Mark {
  Ns time_ns, end_ns;
  std::uint32_t call = kNoIndex;  ///< the call, or
  std::uint32_t row = kNoIndex;   ///< the row that a flow says was launched here
  bool blocks = false;
};

std::vector<std::vector<Mark>> marks_by_lane(const LinkedTrace& linked) {
  std::vector<std::vector<Mark>> marks(linked.lanes.size());
  const Calls& calls = linked.device.calls;
  for (std::uint32_t call = 0; call < calls.size(); ++call) {
    const CallRole role = linked.calls.role[call];
    if (role == CallRole::kNone) continue;
    marks[linked.calls.lane[call].value].push_back({calls.start_ns[call],
                                                    calls.start_ns[call] + calls.duration_ns[call],
                                                    call, kNoIndex, role != CallRole::kLaunches});
  }
  for (std::uint32_t row = 0; row < linked.rows.launch.size(); ++row)
    if (linked.rows.evidence[row] == LinkEvidence::kFlow)
      marks[linked.rows.launch_lane[row].value].push_back(
          {linked.rows.launch_ns[row], linked.rows.launch_ns[row], kNoIndex, row, false});
  for (auto& lane : marks)
    std::sort(lane.begin(), lane.end(), [](const Mark& a, const Mark& b) {
      if (a.time_ns != b.time_ns) return a.time_ns < b.time_ns;
      return a.call != b.call ? a.call < b.call : a.row < b.row;
    });
  return marks;
}

/// Walks one lane in time and gives every moment of work to the innermost op or call open then, so
/// that nodes of a lane never overlap, whatever the trace says of its ops.
class LaneSweep {
 public:
  LaneSweep(Draft& draft, LaneIndex lane)
      : draft_(draft), linked_(draft.linked), lane_(lane), nodes_(draft.lane_nodes[lane.value]) {}

  void begin_op(std::uint32_t op) {
    const Ns start = linked_.ops.start_ns[op];
    advance_to(start);
    const bool is_work = linked_.ops.is_annotation[op] == 0;
    draft_.op_node[op] = add_node(NodeKind::kOp, op, start);
    draft_.op_last[op] = draft_.op_node[op];
    push(op, start + linked_.ops.duration_ns[op], draft_.op_node[op], false, is_work);
  }

  void reach(const Mark& mark) {
    advance_to(mark.time_ns);
    const std::uint32_t source = nodes_.empty() ? kNoIndex : nodes_.back();
    if (mark.row != kNoIndex) {
      draft_.row_source[mark.row] = source;
    } else {
      draft_.call_source[mark.call] = source;
      const bool is_outside = work_until() <= mark.time_ns;
      if (mark.blocks || is_outside) {
        draft_.call_node[mark.call] = add_node(NodeKind::kCall, mark.call, mark.time_ns);
        push(mark.call, mark.end_ns, draft_.call_node[mark.call], true, true);
      }
    }
    is_cut_ = true;
  }

  void finish() { advance_to(std::numeric_limits<Ns>::max()); }

 private:
  struct Open {
    std::uint32_t source;  ///< op or call
    Ns end_ns;
    std::uint32_t node;  ///< last node of its own time
    bool is_call;
    Ns work_until;  ///< latest end of the ops (no annotations) and calls up to here on the stack
  };

  Ns work_until() const {
    return open_.empty() ? std::numeric_limits<Ns>::min() : open_.back().work_until;
  }

  void push(std::uint32_t source, Ns end, std::uint32_t node, bool is_call, bool is_work) {
    open_.push_back(
        {source, end, node, is_call, is_work ? std::max(work_until(), end) : work_until()});
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
    if (!top.is_call)
      draft_.exclusive_ns[top.source] += time;
    else if (const std::uint32_t op = linked_.calls.parent[top.source]; op != kNoIndex)
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
      top.node = add_node(top.is_call ? NodeKind::kCall : NodeKind::kPart, top.source, cursor_);
    draft_.nodes[top.node].duration_ns += time;
    if (!top.is_call) draft_.op_last[top.source] = top.node;
  }

  /// A launch cuts the own time of the op around it, but not a call node that begins with it.
  bool must_cut(const Open& top) const {
    return is_cut_ && !(top.is_call && draft_.nodes[top.node].duration_ns == 0);
  }

  std::uint32_t add_node(NodeKind kind, std::uint32_t source, Ns start) {
    Node node;
    node.start_ns = start;
    node.kind = kind;
    node.lane = lane_;
    node.source = source;
    if (kind == NodeKind::kCall) {
      node.name = linked_.device.calls.name[source];
      node.step = linked_.calls.step[source];
    } else {
      node.name = linked_.ops.name[source];
      node.step = linked_.ops.step[source];
      node.is_untimed = linked_.ops.profiler[source] == kNoIndex;
    }
    nodes_.push_back(static_cast<std::uint32_t>(draft_.nodes.size()));
    draft_.nodes.push_back(node);
    return nodes_.back();
  }

  Draft& draft_;
  const LinkedTrace& linked_;
  LaneIndex lane_;
  std::vector<std::uint32_t>& nodes_;
  std::vector<Open> open_;
  Ns cursor_ = std::numeric_limits<Ns>::min();
  bool is_cut_ = false;  // a launch stands at the cursor
};

}  // namespace

void make_host_nodes(Draft& draft) {
  const LinkedTrace& linked = draft.linked;
  const std::size_t ops = linked.ops.size(), calls = linked.device.calls.size();
  draft.lane_nodes.resize(linked.lanes.size());
  draft.op_node.assign(ops, kNoIndex);
  draft.op_last.assign(ops, kNoIndex);
  draft.exclusive_ns.assign(ops, 0);
  draft.call_node.assign(calls, kNoIndex);
  draft.call_source.assign(calls, kNoIndex);
  draft.row_source.assign(linked.rows.launch.size(), kNoIndex);
  const std::vector<std::vector<Mark>> marks = marks_by_lane(linked);
  std::uint32_t op = 0;
  for (std::uint32_t lane = 0; lane < linked.lanes.size(); ++lane) {
    if (linked.lanes[lane].is_device) continue;
    LaneSweep sweep(draft, LaneIndex(lane));
    auto mark = marks[lane].begin();
    for (; op < ops && linked.ops.lane[op].value == lane; ++op) {
      for (; mark != marks[lane].end() && mark->time_ns < linked.ops.start_ns[op]; ++mark)
        sweep.reach(*mark);
      sweep.begin_op(op);
    }
    for (; mark != marks[lane].end(); ++mark) sweep.reach(*mark);
    sweep.finish();
  }
}

void add_thread_order(Draft& draft, Diagnostics& diagnostics) {
  for (const auto& lane : draft.lane_nodes)
    for (std::size_t i = 1; i < lane.size(); ++i)
      draft.add_edge({lane[i - 1], lane[i], Evidence::kThreadOrder}, diagnostics);
}

void add_nesting(Draft& draft, Diagnostics& diagnostics) {
  const LinkedTrace& linked = draft.linked;
  for (std::uint32_t node = 0; node < draft.nodes.size(); ++node) {
    const std::uint32_t source = draft.nodes[node].source;
    std::uint32_t parent = kNoIndex;
    switch (draft.nodes[node].kind) {
      case NodeKind::kOp:
        parent = linked.ops.parent[source];
        break;
      case NodeKind::kPart:
        parent = source;
        break;
      case NodeKind::kCall:
        parent = linked.calls.parent[source];
        break;
      case NodeKind::kDeviceRow:
        parent = linked.rows.parent[source];
        break;
      case NodeKind::kDelay:
        break;
    }
    if (parent != kNoIndex)
      draft.add_edge({draft.op_node[parent], node, Evidence::kNesting}, diagnostics);
  }
}

}  // namespace nadi
