#include "truth_lanes.h"

#include <algorithm>
#include <map>
#include <utility>

namespace nadi::vm {

namespace {

bool blocks(CallKind kind) {
  return kind == CallKind::kBlockingCopy || kind == CallKind::kEventSynchronize ||
         kind == CallKind::kStreamSynchronize || kind == CallKind::kDeviceSynchronize;
}

// The last node before a signal, the first after its await, and the call that node begins with.
struct HandOff {
  int from = -1, to = -1, launch = -1;
  /// The last before the signal that is no call that neither launches nor blocks: between these
  /// nothing shows where an item was put into a queue.
  int queued_from = -1;
  bool is_queue = false;
  bool is_binding = false;  // the awaiting thread stood still
};

class LaneWalk {
 public:
  LaneWalk(const RankProgram& program, const RankRun& run, std::size_t thread, Truth& truth,
           HostLanes& lanes, std::map<int, HandOff>& hand_offs)
      : program_(program),
        run_(run),
        thread_(thread),
        truth_(truth),
        lanes_(lanes),
        hand_offs_(hand_offs) {}

  void walk() {
    const auto& code = program_.threads[thread_].code;
    for (std::size_t i = 0; i < code.size(); ++i) {
      const Instruction& what = code[i];
      const Span span = run_.threads[thread_][i];
      switch (what.action) {
        case Action::kOpBegin:
          begin_op(what.index, span.start);
          break;
        case Action::kOpEnd:
          end_op(what.index, span.end);
          break;
        case Action::kWork:
          break;
        case Action::kCall:
          call(what.index, span);
          break;
        case Action::kSignal:
          hand_offs_[what.index].from = last_;
          hand_offs_[what.index].queued_from = last_but_other_calls_;
          break;
        case Action::kAwait:
          awaited_.push_back(what.index);
          hand_offs_[what.index].is_queue = what.is_queue;
          hand_offs_[what.index].is_binding = span.end > span.start;
          break;
      }
    }
    emit_unseen_waits();
  }

 private:
  // One node of the lane, in lane order.
  int emit(TruthNode node) {
    node.tid = static_cast<std::int64_t>(thread_) + 1;
    truth_.nodes.push_back(std::move(node));
    const int index = static_cast<int>(truth_.nodes.size()) - 1;
    if (last_ >= 0) truth_.edges.push_back({last_, index, EdgeKind::kThreadOrder, true});
    for (int token : std::exchange(awaited_, {})) hand_offs_[token].to = index;
    for (int loop : std::exchange(loops_, {})) lanes_.call_node[u(loop)] = index;
    return last_ = last_but_other_calls_ = index;
  }

  // Ends the stretch of own time that is open; a part of no time is none.
  void close(Ns now) {
    close_stretch(now);
    emit_unseen_waits();
  }

  void close_stretch(Ns now) {
    if (stretch_op_ < 0) return;
    TruthNode node;
    node.kind = stretch_is_op_ ? TruthKind::kOp : TruthKind::kPart;
    node.name = program_.ops[u(stretch_op_)].name;
    node.rf_id = run_.ops[u(stretch_op_)].rf_id;
    node.start_ns = stretch_start_;
    node.duration_ns = now - stretch_start_;
    const int op = std::exchange(stretch_op_, -1);
    if (!stretch_is_op_) {
      if (node.duration_ns == 0) return;
      node.part = ++parts_[op];
    }
    emit(std::move(node));
  }

  // Is op, or a recorded op around it, a cpu_op? Only there own time is work.
  bool is_covered(int op) const {
    for (op = recorded(op); op >= 0; op = recorded(at(program_.ops, op).parent))
      if (!at(program_.ops, op).is_annotation) return true;
    return false;
  }

  int recorded(int op) const { return recorded_op(program_, run_, op); }

  void open(int op, bool is_op, Ns now) {
    if (!is_covered(op)) return;
    stretch_op_ = op;
    stretch_is_op_ = is_op;
    stretch_start_ = now;
  }

  void instant_op(int op, Ns now) {
    TruthNode node;
    node.name = program_.ops[u(op)].name;
    node.rf_id = run_.ops[u(op)].rf_id;
    node.start_ns = now;
    emit(std::move(node));
  }

  void begin_op(int op, Ns now) {
    if (program_.ops[u(op)].is_host_only) {
      untimed_.push_back(op);
      return;
    }
    if (!at(run_.ops, op).is_recorded) return;
    close(now);
    for (int untimed : std::exchange(untimed_, {})) instant_op(untimed, now);
    if (is_covered(op)) {
      open(op, true, now);
    } else {
      instant_op(op, now);  // an annotation's own time outside every cpu_op is nobody's work
    }
  }

  void end_op(int op, Ns now) {
    if (program_.ops[u(op)].is_host_only || !at(run_.ops, op).is_recorded) return;
    close(now);
    open(recorded(program_.ops[u(op)].parent), false, now);
  }

  void call(int index, Span span) {
    const Call& what = program_.calls[u(index)];
    const CallRun& call = run_.calls[u(index)];
    if (call.correlation == 0) return;
    if (what.kind == CallKind::kEventQuery && !call.waited.empty()) loops_.push_back(index);
    const int op = recorded(call.op);
    const bool is_covered_here = is_covered(op);
    const bool is_blocking = blocks(what.kind);
    if (!is_blocking && call.rows.empty()) {
      if (is_covered_here || what.kind == CallKind::kEventQuery || !call.is_recorded)
        return;  // own time of whatever is open, or maybe a wait
      close(span.start);
      const int last = last_but_other_calls_;
      emit_call(index, span);
      last_but_other_calls_ = last;
      return;
    }
    if (!is_seen(what, call, is_covered_here)) return unseen_call(index, span);
    const bool is_late = launches_at_return(what);
    if (is_late && is_covered_here) return launch(index, op, span.end);
    close(span.start);
    if (!is_late) note_launch(index);
    if (!is_blocking && is_covered_here) return open(op, false, span.start);
    emit_call(index, span);
    if (is_late) note_launch(index);
    if (is_covered_here) open(op, false, span.end);
  }

  // A launch is seen where call and row are recorded. A wait whose runtime row is lost is told by
  // its sync row, that of a copy that blocks by the copy's row; its thread by the op around it.
  bool is_seen(const Call& what, const CallRun& call, bool is_covered_here) const {
    const bool is_told =
        call.rows.empty() ? call.is_sync_recorded : what.kind == CallKind::kBlockingCopy;
    const bool is_call_seen = call.is_recorded || (is_told && is_covered_here);
    return is_call_seen && (call.rows.empty() ||
                            std::any_of(call.rows.begin(), call.rows.end(),
                                        [&](int row) { return at(run_.rows, row).is_recorded; }));
  }

  void emit_call(int index, Span span) {
    const CallRun& call = at(run_.calls, index);
    TruthNode node;
    node.kind = TruthKind::kCall;
    node.name = at(program_.calls, index).name;
    node.correlation = call.correlation;
    node.start_ns = span.start;
    for (const RowDependency& item : call.waited)
      node.start_ns = std::max(node.start_ns, run_.rows[u(item.row)].span.end);
    node.duration_ns = span.end - node.start_ns;
    lanes_.call_node[u(index)] = emit(std::move(node));
  }

  // A call that no record tells of cuts no own time: what it launched follows what came before the
  // stretch it was made in, and who waits in it waits before what comes after that stretch.
  void unseen_call(int index, Span span) {
    if (!at(run_.calls, index).rows.empty()) note_launch(index);
    if (blocks(at(program_.calls, index).kind)) unseen_waits_.emplace_back(index, span);
    if (stretch_op_ < 0) emit_unseen_waits();
  }

  void emit_unseen_waits() {
    for (const auto& [call, span] : std::exchange(unseen_waits_, {})) emit_call(call, span);
  }

  // The op's own time is cut where the call launches.
  void launch(int call, int op, Ns now) {
    close(now);
    note_launch(call);
    open(op, false, now);
  }

  void note_launch(int call) {
    if (last_ >= 0) lanes_.launch_sources[u(call)].push_back({last_, EdgeKind::kLaunch});
    for (int token : awaited_) hand_offs_[token].launch = call;
  }

  const RankProgram& program_;
  const RankRun& run_;
  std::size_t thread_;
  Truth& truth_;
  HostLanes& lanes_;
  std::map<int, HandOff>& hand_offs_;  // by token
  int last_ = -1, last_but_other_calls_ = -1;
  int stretch_op_ = -1;
  bool stretch_is_op_ = false;
  Ns stretch_start_ = 0;
  std::map<int, int> parts_;
  std::vector<int> untimed_;                        // ops without time, until the next op begins
  std::vector<int> awaited_;                        // tokens, until the next node
  std::vector<int> loops_;                          // last queries of loops, until the next node
  std::vector<std::pair<int, Span>> unseen_waits_;  // calls, until the stretch ends
};

}  // namespace

HostLanes add_host_lanes(const RankProgram& program, const RankRun& run, Truth& truth) {
  HostLanes lanes;
  lanes.launch_sources.resize(program.calls.size());
  lanes.call_node.resize(program.calls.size(), -1);
  std::map<int, HandOff> hand_offs;
  for (std::size_t thread = 0; thread < program.threads.size(); ++thread)
    LaneWalk(program, run, thread, truth, lanes, hand_offs).walk();
  for (auto& [token, hand_off] : hand_offs) {
    if (hand_off.is_queue) hand_off.from = hand_off.queued_from;
    if (hand_off.from < 0 || hand_off.to < 0) continue;
    const EdgeKind kind = hand_off.is_queue ? EdgeKind::kQueue : EdgeKind::kThreadHandOff;
    truth.edges.push_back(
        {hand_off.from, hand_off.to, kind, !hand_off.is_queue, hand_off.is_binding});
    if (hand_off.launch >= 0)
      lanes.launch_sources[u(hand_off.launch)].push_back({hand_off.from, kind});
  }
  return lanes;
}

}  // namespace nadi::vm
