#include "nadi/link/stream_calls.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "nadi/base/mix.h"
#include "nadi/base/sort_rows.h"
#include "nadi/model/op_relations.h"

namespace nadi {
namespace {

/// How many ops up from a launch the op that records a communication may be.
constexpr int kMostCommLevels = 4;
/// Queries in a row are a loop that asks until something is done if two thirds of the times between
/// them differ by no more than this factor.
constexpr Ns kAlike = 4;

bool is_stream_call(CallEffect effect) {
  switch (effect) {
    case CallEffect::kSyncStream:
    case CallEffect::kSyncEvent:
    case CallEffect::kEventRecord:
    case CallEffect::kStreamWaitEvent:
      return true;
    default:
      return false;
  }
}

bool names_communication(std::string_view op) {
  return op.starts_with("nccl:") || op.starts_with("rccl:");
}

/// A thread that was stopped for a while asks later, so some may be further apart.
bool are_spaced_alike(std::span<const CallIndex> queries, const RuntimeCalls& all) {
  std::vector<Ns> times;
  for (std::size_t i = 1; i < queries.size(); ++i)
    times.push_back(all.start_ns[queries[i]] - all.start_ns[queries[i - 1]]);
  std::sort(times.begin(), times.end());
  return times[times.size() * 2 / 3] / kAlike <= times[times.size() / 6];
}

/// What was current around ops, as those see it who stand outside of them: where they launch; of an
/// op that forks to another stream what was current before; of a backward op the stream of its
/// forward op, where autograd runs it.
class StreamsOfOps {
 public:
  StreamsOfOps(const LinkedTrace& linked, StreamCalls& calls)
      : linked_(linked),
        calls_(calls),
        stream_of_(linked.ops.size()),
        forward_of_(linked.ops.size()) {
    for (const ForwardBackwardPair& pair : linked.forward_backward)
      if (!forward_of_[pair.backward]) forward_of_[pair.backward] = pair.forward;
    for (const LinkedOpIndex op : rows_of(forward_of_))  // parents come first
      if (!forward_of_[op] && calls.outermost_op[op] != op)
        forward_of_[op] = forward_of_[linked.ops.parent[op]];
    index_launches();
  }

  void find() {
    for (const bool is_backward : {false, true})
      for (const LaneIndex lane : rows_of(linked_.lanes))
        if (linked_.lanes[lane].is_backward == is_backward) find_on(calls_.of_thread(lane));
  }

 private:
  /// A thread's calls inside one outermost op, or one call outside every op.
  struct OpCalls {
    LinkedOpIndex op;  ///< none = the call is outside every op
    std::span<StreamCall> calls = {};
    bool is_fork = false;    ///< launches on several streams
    LaneIndex stream = {};   ///< that outsiders see; none = it launches nothing
    LaneIndex forward = {};  ///< of its forward op
    LaneIndex outer = {};    ///< current where it begins
  };

  void index_launches() {
    for (const StreamCallIndex index : rows_of(calls_.calls))
      if (const StreamCall& call = calls_.calls[index]; is_launch(call)) {
        launches_.push_back(index);
        launches_of_lane_.emplace_back(linked_.rows.lane[call.row], index);
      }
    std::sort(launches_of_lane_.begin(), launches_of_lane_.end());
  }

  void find_on(std::span<StreamCall> thread) {
    std::vector<OpCalls> ops = split(thread);
    find_outer_streams(ops);
    LaneIndex before;
    for (OpCalls& op : ops) {
      look_from_outside(op, before);
      for (StreamCall& call : op.calls) {
        call.stream_before = op.outer;
        if (is_launch(call)) break;
      }
      if (op.stream) before = op.stream;
    }
    LaneIndex after;
    for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
      const LaneIndex outer = op->forward ? op->forward : after;
      for (auto call = op->calls.rbegin(); call != op->calls.rend(); ++call) {
        call->stream_after = outer;
        if (is_launch(*call)) break;
      }
      if (op->stream) after = op->stream;
    }
  }

  std::vector<OpCalls> split(std::span<StreamCall> thread) const {
    std::vector<OpCalls> ops;
    while (!thread.empty()) {
      OpCalls op{outermost_op(thread.front())};
      std::size_t size = 1;
      while (op.op && size < thread.size() && outermost_op(thread[size]) == op.op) ++size;
      op.calls = thread.first(size);
      op.is_fork = launches_on_several(op.calls);
      ops.push_back(op);
      thread = thread.subspan(size);
    }
    return ops;
  }

  void find_outer_streams(const std::vector<OpCalls>& ops) {
    std::unordered_map<std::uint64_t, std::map<LaneIndex, std::size_t>> counts;
    for (const OpCalls& op : ops)
      if (const StreamCall& first = op.calls.front();
          op.is_fork && first.stream_before && first.position_in_op != 0)
        ++counts[first.position_in_op][first.stream_before];
    const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
    outer_of_.clear();
    for (const auto& [position, streams] : counts)
      outer_of_[position] = std::max_element(streams.begin(), streams.end(), fewer)->first;
  }

  LinkedOpIndex outermost_op(const StreamCall& call) const {
    return calls_.is_outside(call) ? LinkedOpIndex()
                                   : calls_.outermost_op[linked_.calls.parent[call.call]];
  }

  /// before: what was current when the op began, as far as the ops before it show.
  void look_from_outside(OpCalls& op, LaneIndex before) {
    const StreamCall& first = op.calls.front();
    if (op.op) op.forward = forward_stream(linked_.calls.parent[first.call]);
    op.outer = op.forward ? op.forward : before;
    if (const auto outer = outer_of_.find(first.position_in_op);
        op.is_fork && !op.forward && outer != outer_of_.end())
      op.outer = outer->second;
    op.stream = stream_of(op.calls, op.outer);
    if (op.op) stream_of_[op.op] = op.stream;
  }

  bool launches_on_several(std::span<const StreamCall> calls) const {
    LaneIndex first;
    for (const StreamCall& call : calls) {
      if (!is_launch(call)) continue;
      if (!first) first = linked_.rows.lane[call.row];
      if (linked_.rows.lane[call.row] != first) return true;
    }
    return false;
  }

  /// outer: what is current where they launch on several.
  LaneIndex stream_of(std::span<const StreamCall> calls, LaneIndex outer) const {
    LaneIndex last;
    bool has_outer = false;
    for (const StreamCall& call : calls) {
      if (!is_launch(call)) continue;
      last = linked_.rows.lane[call.row];
      has_outer |= last == outer;
    }
    return has_outer ? outer : last;
  }

  /// The stream of the op's forward op.
  LaneIndex forward_stream(LinkedOpIndex op) {
    const LinkedOpIndex forward = forward_of_[op];
    if (!forward) return {};
    const auto [stream, is_new] = stream_of_forward_.try_emplace(forward);
    if (is_new) stream->second = stream_inside(forward);
    return stream->second;
  }

  /// As stream_of its calls, without a walk over them: ops nest.
  LaneIndex stream_inside(LinkedOpIndex op) const {
    const Ns begin = linked_.ops.start_ns[op], end = op_end_ns(linked_.ops, op);
    const LaneIndex lane = linked_.ops.lane[op];
    const StreamCallIndex first = first_from(lane, begin), after = first_from(lane, end);
    const auto next = std::lower_bound(launches_.begin(), launches_.end(), after);
    if (next == launches_.begin() || *std::prev(next) < first) return {};
    const LaneIndex outer = stream_of_[calls_.outermost_op[op]];
    const auto on_outer = std::lower_bound(launches_of_lane_.begin(), launches_of_lane_.end(),
                                           std::pair(outer, first));
    const bool has_outer =
        on_outer != launches_of_lane_.end() && on_outer->first == outer && on_outer->second < after;
    return has_outer ? outer : linked_.rows.lane[calls_.calls[*std::prev(next)].row];
  }

  /// The thread's first call from the time on.
  StreamCallIndex first_from(LaneIndex thread, Ns time) const {
    const std::span<const StreamCall> calls = calls_.of_thread(thread);
    const auto first =
        std::partition_point(calls.begin(), calls.end(),
                             [&](const StreamCall& call) { return calls_.begin_ns(call) < time; });
    return calls_.thread_begin[thread] + static_cast<std::size_t>(first - calls.begin());
  }

  const LinkedTrace& linked_;
  StreamCalls& calls_;
  ByRow<LinkedOps, LaneIndex> stream_of_;       // of outermost ops
  ByRow<LinkedOps, LinkedOpIndex> forward_of_;  // its own, else of the innermost op around it
  std::vector<StreamCallIndex> launches_;
  std::vector<std::pair<LaneIndex, StreamCallIndex>> launches_of_lane_;  // by device lane
  std::unordered_map<LinkedOpIndex, LaneIndex> stream_of_forward_;
  /// By position of the first call of an op that forks: where its thread launched before most
  /// often.
  std::unordered_map<std::uint64_t, LaneIndex> outer_of_;
};

}  // namespace

StreamCalls::StreamCalls(const LinkedTrace& linked, const StreamTimeline& given,
                         const CallEffects& effects)
    : timeline(given),
      api(linked.device),
      outermost_op(outermost_cpu_ops(linked.ops)),
      linked_(linked) {
  collect(effects);
  find_communication();
  find_communication_on_current();
  find_waiting_streams();
  find_call_sites();
  find_current_streams();
  StreamsOfOps(linked, *this).find();
}

void StreamCalls::collect(const CallEffects& effects) {
  const RuntimeCalls& all = linked_.device.calls;
  ByRow<RuntimeCalls, DeviceRowIndex> first_row(all.size());
  for (auto row = linked_.rows_in_api_order.rbegin(); row != linked_.rows_in_api_order.rend();
       ++row)
    if (const CallIndex call = linked_.rows.launch[*row]) first_row[call] = *row;
  const RowRange rows = rows_of(all);
  const auto is_wanted = [&](CallIndex call) {
    return first_row[call] || is_stream_call(effects[call]);
  };
  calls.reserve(static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), is_wanted)));
  for (const CallIndex call : rows) {
    if (!is_wanted(call)) continue;
    StreamCall added;
    added.call = call;
    added.effect = effects[call];
    added.row = first_row[call];
    calls.push_back(added);
  }
  sort_by_thread();
  add_query_loops(effects);
  const StreamCallIndex end(calls.size());
  thread_begin.reserve(linked_.lanes.size() + 1);
  StreamCallIndex next(0);
  for (const LaneIndex lane : rows_of(linked_.lanes)) {
    thread_begin.push_back(next);
    while (next < end && linked_.calls.lane[calls[next].call] == lane) ++next;
  }
  thread_begin.push_back(end);
  index_of.assign(all.size(), {});
  for (const StreamCallIndex i : rows_of(calls)) index_of[calls[i].call] = i;
  const auto with = [&](CallEffect effect) {
    return in_time_order([&](const StreamCall& call) { return call.effect == effect; });
  };
  stream_waits = with(CallEffect::kStreamWaitEvent);
  records = with(CallEffect::kEventRecord);
}

void StreamCalls::sort_by_thread() {
  sort_rows(calls, [&](const StreamCall& a, const StreamCall& b) {
    const LaneIndex left = linked_.calls.lane[a.call], right = linked_.calls.lane[b.call];
    if (left != right) return left < right;
    if (begin_ns(a) != begin_ns(b)) return begin_ns(a) < begin_ns(b);
    return a.call < b.call;
  });
}

/// Queries of one place in a row on one thread, with none of `calls` between them.
void StreamCalls::add_query_loops(const CallEffects& effects) {
  const RuntimeCalls& all = linked_.device.calls;
  std::vector<CallIndex> queries;
  for (const CallIndex call : rows_of(all))
    if (effects[call] == CallEffect::kQueryEvent) queries.push_back(call);
  if (queries.empty()) return;
  const auto at = [&](CallIndex call) {
    return std::tuple(linked_.calls.lane[call], all.start_ns[call], call);
  };
  std::sort(queries.begin(), queries.end(),
            [&](CallIndex a, CallIndex b) { return at(a) < at(b); });
  const auto calls_before = [&](CallIndex call) {
    return std::partition_point(calls.begin(), calls.end(),
                                [&](const StreamCall& one) { return at(one.call) < at(call); });
  };
  // Of a loop only the last query finds that the event has happened, and it alone has a row.
  std::unordered_set<std::int64_t> happened;
  for (const SyncRowIndex row : rows_of(linked_.device.syncs))
    if (linked_.device.syncs.kind[row] == SyncKind::kEvent)
      happened.insert(linked_.device.syncs.correlation[row]);
  const auto has_happened = [&](CallIndex call) {
    return all.correlation[call] >= 0 && happened.contains(all.correlation[call]);
  };
  std::vector<StreamCall> loops;
  for (auto first = queries.begin(); first != queries.end();) {
    const auto next_call = calls_before(*first);
    auto last = first;
    while (std::next(last) != queries.end()) {
      const CallIndex next = *std::next(last);
      const bool is_same = linked_.calls.lane[next] == linked_.calls.lane[*first] &&
                           all.name[next] == all.name[*first] &&
                           linked_.calls.parent[next] == linked_.calls.parent[*first] &&
                           (next_call == calls.end() || at(next) < at(next_call->call));
      if (!is_same) break;
      ++last;
    }
    const std::span<const CallIndex> loop_of(first, std::next(last));
    if (linked_.hypotheses.hold(Hypothesis::kQueryLoop, {loop_of.size()}) &&
        are_spaced_alike(loop_of, all) && std::none_of(first, last, has_happened)) {
      StreamCall loop;
      loop.call = *last;
      loop.effect = CallEffect::kQueryEvent;
      loop.asked_since_ns = all.start_ns[*first];
      loop.not_done_ns = all.start_ns[*std::prev(last)];
      loops.push_back(loop);
    }
    first = std::next(last);
  }
  if (loops.empty()) return;
  calls.insert(calls.end(), loops.begin(), loops.end());
  sort_by_thread();
}

void StreamCalls::find_communication() {
  const StringId record = linked_.strings.find("record_param_comms");
  for (StreamCall& call : calls) {
    LinkedOpIndex op = linked_.calls.parent[call.call];
    for (int level = 0; level < kMostCommLevels && op; ++level) {
      const StringId name = linked_.ops.name[op];
      const bool is_record = name == record && record != StringId::kEmpty;
      const bool is_nccl = !is_record && names_communication(linked_.strings[name]);
      call.is_of_nccl |= is_nccl;
      if (is_record || is_nccl) call.comm_op = op;
      if (is_record) break;
      op = linked_.ops.parent[op];
    }
  }
}

void StreamCalls::find_communication_on_current() {
  for (auto first = calls.begin(); first != calls.end();) {
    const auto last = std::find_if(
        first, calls.end(), [&](const StreamCall& call) { return call.comm_op != first->comm_op; });
    const bool is_on_own = !first->comm_op || !is_comm_record(first->comm_op) ||
                           std::any_of(first, last, [](const StreamCall& call) {
                             return call.effect == CallEffect::kStreamWaitEvent && !call.is_of_nccl;
                           });
    if (!is_on_own)
      for (auto call = first; call != last; ++call)
        call->is_on_current = call->row && call->is_of_nccl;
    first = last;
  }
}

/// Sync rows name the stream that waits even where they do not say for what (K17).
void StreamCalls::find_waiting_streams() {
  const SyncRows& syncs = linked_.device.syncs;
  std::map<std::pair<std::int64_t, std::int64_t>, LaneIndex> lanes;
  for (const LaneIndex lane : timeline.streams)
    lanes[{linked_.lanes[lane].device, linked_.lanes[lane].stream}] = lane;
  for (const SyncRowIndex row : rows_of(syncs)) {
    if (syncs.kind[row] != SyncKind::kStreamWaitEvent || syncs.stream[row] < 0) continue;
    const StreamCallIndex call = of(api.call_with(syncs.correlation[row]));
    if (!call) continue;
    const auto lane = lanes.find({syncs.device[row], syncs.stream[row]});
    if (lane == lanes.end())
      calls[call].is_of_idle_stream = true;
    else
      calls[call].waiting = lane->second;
  }
}

void StreamCalls::find_current_streams() {
  keeps_current_stream.assign(linked_.lanes.size(), false);
  for (const LaneIndex lane : rows_of(linked_.lanes)) {
    const std::span<StreamCall> thread = of_thread(lane);
    LaneIndex stream;
    LinkedOpIndex op;
    std::size_t in_op = 0, switches_in_op = 0;
    for (StreamCall& call : thread) {
      call.stream_before = stream;
      if (!is_launch(call)) continue;
      const LaneIndex launched = linked_.rows.lane[call.row];
      const LinkedOpIndex parent = linked_.calls.parent[call.call];
      const bool is_same_op = parent && parent == op;
      in_op += is_same_op ? 1 : 0;
      switches_in_op += is_same_op && launched != stream ? 1 : 0;
      stream = launched;
      op = parent;
    }
    stream = LaneIndex();
    for (std::size_t i = thread.size(); i-- > 0;) {
      thread[i].stream_after = stream;
      if (is_launch(thread[i])) stream = linked_.rows.lane[thread[i].row];
    }
    keeps_current_stream[lane] =
        linked_.hypotheses.hold(Hypothesis::kOneStreamInOp, {in_op, 0, switches_in_op}) &&
        has_streams_by_path(thread);
  }
}

/// The same code launches on the same stream: calls of one path do, wherever they stand.
bool StreamCalls::has_streams_by_path(std::span<const StreamCall> thread) const {
  std::unordered_map<std::uint64_t, LaneIndex> stream_of_path;
  std::unordered_set<std::uint64_t> seen;
  ClassCounts of_path, of_most;  // of call sites, and where these are few of launches
  for (const StreamCall& call : thread) {
    if (!is_launch(call)) continue;
    ++of_most.possible;
    const bool is_switch = call.stream_before && linked_.rows.lane[call.row] != call.stream_before;
    of_most.contradicted += is_switch ? 1 : 0;
    if (call.call_site == 0 || !seen.insert(call.call_site).second) continue;
    const LaneIndex launched = linked_.rows.lane[call.row];
    const auto [known, is_new] = stream_of_path.try_emplace(call.path, launched);
    if (is_new) continue;
    ++of_path.possible;
    of_path.contradicted += launched == known->second ? 0 : 1;
  }
  const bool are_few = of_path.possible < info(Hypothesis::kOneStreamOfPath).least;
  return are_few ? linked_.hypotheses.hold(Hypothesis::kOneStreamOfMost, of_most)
                 : linked_.hypotheses.hold(Hypothesis::kOneStreamOfPath, of_path);
}

/// A call site is the thread, the names of the ops around the call, what the call is, and which
/// such call of the iteration it is; where the trace has no iterations, of its outermost op.
void StreamCalls::find_call_sites() {
  const LinkedOps& ops = linked_.ops;
  const auto path = paths_of_ops(linked_);
  ByRow<LinkedOps, LinkedOpIndex> outermost(ops.size());
  for (const LinkedOpIndex op : rows_of(ops))
    outermost[op] = ops.parent[op] ? outermost[ops.parent[op]] : op;
  CodeOfOps code(linked_);
  const bool has_steps = std::any_of(linked_.calls.step.begin(), linked_.calls.step.end(),
                                     [](auto s) { return s >= 0; });
  for (const LaneIndex lane : rows_of(linked_.lanes)) {
    std::unordered_map<std::uint64_t, std::uint64_t> count, count_in_op;
    std::int64_t iteration = -1;
    for (StreamCall& call : of_thread(lane)) {
      const LinkedOpIndex op = linked_.calls.parent[call.call];
      const std::int64_t now = has_steps ? linked_.calls.step[call.call]
                               : op      ? static_cast<std::int64_t>(outermost[op].value)
                                         : -1;
      if (now != iteration) {
        count.clear();
        count_in_op.clear();
      }
      iteration = now;
      std::uint64_t key = mixed(lane.value + 1, op ? path[op] : 1);
      key = mixed(key, static_cast<std::uint64_t>(linked_.device.calls.name[call.call]));
      call.path = key | 1;
      if (now < 0) continue;
      call.call_site = mixed(key, count[key]++) | 1;
      call.position_in_op = call.call_site;
      if (!op) continue;
      // Programs leave out waits for earlier events while nothing is recorded yet: the others,
      // which are counted apart, keep their positions.
      const bool is_behind_record = static_cast<bool>(recorded_before(index_of[call.call]));
      const std::uint64_t position =
          mixed(is_behind_record, count_in_op[mixed(mixed(key, op.value), is_behind_record)]++);
      call.position_in_op = mixed(key, position) | 1;
      if (call.comm_op) continue;  // its launch and the wait for it are in ops of one name
      const auto name = static_cast<std::uint64_t>(linked_.device.calls.name[call.call]);
      call.position_in_code = mixed(mixed(code.of(op), name), position) | 1;
    }
  }
}

std::span<const StreamCall> StreamCalls::of_op(LinkedOpIndex op, std::span<const StreamCall> thread,
                                               std::size_t at) const {
  const Ns begin = linked_.ops.start_ns[op], end = op_end_ns(linked_.ops, op);
  std::size_t first = at, last = at + 1;
  while (first > 0 && at - first < kMostCallsOfOp && begin_ns(thread[first - 1]) >= begin) --first;
  while (last < thread.size() && last - at < kMostCallsOfOp && begin_ns(thread[last]) < end) ++last;
  return thread.subspan(first, last - first);
}

std::vector<LaneIndex> StreamCalls::streams_of(std::span<const StreamCall> some,
                                               std::size_t most) const {
  std::vector<LaneIndex> lanes;
  for (const StreamCall& call : some) {
    if (!is_launch(call) || lanes.size() == most) continue;
    const LaneIndex lane = linked_.rows.lane[call.row];
    if (std::find(lanes.begin(), lanes.end(), lane) == lanes.end()) lanes.push_back(lane);
  }
  return lanes;
}

bool StreamCalls::is_comm_record(LinkedOpIndex op) const {
  return linked_.strings[linked_.ops.name[op]] == "record_param_comms";
}

bool StreamCalls::is_wait_for_work(StreamCallIndex call) const {
  const StreamCall& wait = calls[call];
  const auto shares_op = [&](StreamCallIndex other) {
    return other < StreamCallIndex(calls.size()) && calls[other].comm_op == wait.comm_op;
  };
  return wait.effect == CallEffect::kStreamWaitEvent && wait.comm_op &&
         is_comm_record(wait.comm_op) && !shares_op(call - 1) && !shares_op(call + 1);
}

std::uint64_t StreamCalls::call_site_of(DeviceRowIndex row) const {
  const StreamCallIndex call = launch_of(row);
  return call ? calls[call].call_site : 0;
}

std::size_t StreamCalls::records_before(Ns time) const {
  const auto after =
      std::partition_point(records.begin(), records.end(),
                           [&](StreamCallIndex record) { return begin_ns(calls[record]) < time; });
  return static_cast<std::size_t>(after - records.begin());
}

bool StreamCalls::has_record_behind(DeviceRowIndex row, Ns by) const {
  const Ns given = linked_.rows.enqueue_ns[row], given_next = timeline.next_given_ns(row);
  if (given >= by) return false;
  if (records.empty()) return given_next >= by;
  const RecordCallIndex next(records_before(given + 1));
  return next < RecordCallIndex(records.size()) &&
         begin_ns(calls[records[next]]) <= std::min(given_next, by);
}

CallIndex StreamCalls::recorded_before(StreamCallIndex wait) const {
  if (records.empty()) return calls[wait].call;
  if (wait == StreamCallIndex(0)) return {};
  const StreamCall& record = calls[wait - 1];
  const bool is_pair = record.effect == CallEffect::kEventRecord &&
                       linked_.calls.lane[record.call] == linked_.calls.lane[calls[wait].call] &&
                       linked_.calls.parent[record.call] == linked_.calls.parent[calls[wait].call];
  return is_pair ? record.call : CallIndex();
}

}  // namespace nadi
