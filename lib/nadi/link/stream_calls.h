// The calls that order streams, as each thread made them: what waits are inferred from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "nadi/base/sort_rows.h"
#include "nadi/link/api_order.h"
#include "nadi/link/stream_timeline.h"
#include "nadi/model/call_names.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// A call that launches, records, waits or synchronises, or the last query of a loop: what the
/// trace tells of it. What is decided about it stands in WaitList and CallDecisions.
struct StreamCall;
using StreamCallIndex = Index<StreamCall>;
struct StreamCall {
  CallIndex call;
  CallEffect effect = CallEffect::kOther;
  DeviceRowIndex row;     ///< the first row it launched
  LinkedOpIndex comm_op;  ///< the `record_param_comms` around it, else a "nccl:…" op
  LaneIndex waiting;      ///< the stream that waits, where a sync row names it
  /// A sync row names the stream that waits, which ran nothing: for what does not matter.
  bool is_of_idle_stream = false;
  /// Of the last query of a loop: when the loop's first query began, and when the one before the
  /// last began.
  Ns asked_since_ns = kNoTime, not_done_ns = kNoTime;
  bool is_loop() const { return asked_since_ns != kNoTime; }
  bool is_of_nccl = false;  ///< inside a "nccl:…" op: a record or wait there is NCCL's own
  /// A communication was launched on the current stream itself. Since PyTorch 2.8 that is so for
  /// collectives for which nobody waits later: no stream of its own has to wait before the launch.
  bool is_on_current = false;
  /// The stream on which its thread launched last before the call, and the one on which it launched
  /// first after the call. Communication does not count, nor, of an op that launches on several
  /// streams, those but the current one. Where both are one stream, it is the current one.
  LaneIndex stream_before, stream_after;
  /// Equal for calls of one name in ops of one path, by thread.
  std::uint64_t path = 0;
  /// Equal for calls by the same line of the program in different iterations; 0 = unknown.
  std::uint64_t call_site = 0;
  /// Equal for calls at the same position in an op, wherever the thread runs ops of the same path;
  /// calls right behind a record have positions of their own. 0 = unknown.
  std::uint64_t position_in_op = 0;
  /// Equal for calls at the same position in the same piece of code (CodeOfOps), wherever and on
  /// whichever thread it runs; 0 = unknown, as of calls outside all ops and of communication.
  std::uint64_t position_in_code = 0;
};

/// A call that records; StreamCalls::records.
struct RecordCall;
using RecordCallIndex = Index<RecordCall>;

/// True for launches on the stream that is current: of all but communication on a stream of its
/// own.
inline bool is_launch(const StreamCall& call) {
  return call.row && (!call.comm_op || call.is_on_current);
}

/// True for calls by which the host waits.
inline bool is_wait_of_host(const StreamCall& call) {
  return call.effect == CallEffect::kSyncStream || call.effect == CallEffect::kSyncEvent ||
         call.is_loop();
}

/// The calls that launch, record, wait or synchronise, and the last query of each loop that asks
/// until something is done: by thread, in time order within one.
class StreamCalls {
 public:
  StreamCalls(const LinkedTrace& linked, const StreamTimeline& given, const CallEffects& effects);

  /// What the calls gave to streams.
  const StreamTimeline& timeline;
  /// All calls of the trace by correlation.
  const ApiOrder api;

  ByRow<StreamCall> calls;
  /// The begin of each host lane's calls, and one end more.
  ByRow<Lane, StreamCallIndex> thread_begin;
  /// Waits of streams, in time order.
  std::vector<StreamCallIndex> stream_waits;
  /// Records, in time order.
  ByRow<RecordCall, StreamCallIndex> records;
  /// None = the call is none of them.
  ByRow<RuntimeCalls, StreamCallIndex> index_of;
  /// By thread: it launches all that one op does on one stream, the current one, as PyTorch does.
  /// Where it is false, nothing follows from where the thread launched.
  ByRow<Lane, bool> keeps_current_stream;
  /// See outermost_cpu_ops.
  ByRow<LinkedOps, LinkedOpIndex> outermost_op;

  std::span<const StreamCall> of_thread(LaneIndex lane) const {
    return std::span(calls).subspan(thread_begin[lane].value,
                                    thread_begin[lane + 1] - thread_begin[lane]);
  }
  /// The same for whoever makes them.
  std::span<StreamCall> of_thread(LaneIndex lane) {
    return std::span(calls).subspan(thread_begin[lane].value,
                                    thread_begin[lane + 1] - thread_begin[lane]);
  }
  /// Returns where the call stands in `calls`; none = it is not among them, or there is no call.
  StreamCallIndex of(CallIndex call) const { return call ? index_of[call] : StreamCallIndex(); }
  /// Returns where the call that launched the row stands; none = its call is unknown.
  StreamCallIndex launch_of(DeviceRowIndex row) const { return of(linked_.rows.launch[row]); }
  /// True where an event was recorded behind the row, before its lane was given more and before
  /// `by`. Where the trace has no records (K26): where the lane was given no more before `by`.
  bool has_record_behind(DeviceRowIndex row, Ns by) const;
  /// Returns how many records began before the time.
  std::size_t records_before(Ns time) const;
  /// Returns the call that recorded what the wait is for: the record right before it on its thread,
  /// as `Stream.wait_stream` has it; the wait itself where the trace has no records (K26); none =
  /// unknown.
  CallIndex recorded_before(StreamCallIndex wait) const;
  /// The call site that launched the row; 0 = unknown.
  std::uint64_t call_site_of(DeviceRowIndex row) const;
  /// The order of the calls of all threads.
  bool is_earlier(StreamCallIndex a, StreamCallIndex b) const {
    const Ns left = begin_ns(calls[a]), right = begin_ns(calls[b]);
    return left != right ? left < right : a < b;
  }
  /// The second may be outside `calls`.
  bool is_of_one_thread(StreamCallIndex a, StreamCallIndex b) const {
    return b < StreamCallIndex(calls.size()) &&
           linked_.calls.lane[calls[a].call] == linked_.calls.lane[calls[b].call];
  }
  /// A place of the program: path of a call, and of the one before it on its thread, 0 = none is.
  using Place = std::pair<std::uint64_t, std::uint64_t>;
  Place place_of(StreamCallIndex call) const {
    return {calls[call].path, is_of_one_thread(call, call - 1) ? calls[call - 1].path : 0};
  }
  /// Returns the calls that `wanted` accepts, in this order.
  template <class Wanted>
  std::vector<StreamCallIndex> in_time_order(const Wanted& wanted) const {
    std::vector<StreamCallIndex> found;
    for (const StreamCallIndex call : rows_of(calls))
      if (wanted(calls[call])) found.push_back(call);
    sort_rows(found, [&](StreamCallIndex a, StreamCallIndex b) { return is_earlier(a, b); });
    return found;
  }
  /// At most so many calls of an op are looked at on either side of one.
  static constexpr std::size_t kMostCallsOfOp = 256;
  /// Returns the calls inside the op, which is around the call at `at` of its thread; of very many
  /// (kMostCallsOfOp) the nearest.
  std::span<const StreamCall> of_op(LinkedOpIndex op, std::span<const StreamCall> thread,
                                    std::size_t at) const;
  /// Returns the streams on which the calls launched, communication left out; the first `most` of
  /// them.
  std::vector<LaneIndex> streams_of(std::span<const StreamCall> some, std::size_t most = 3) const;
  /// True where the op is a `record_param_comms`.
  bool is_comm_record(LinkedOpIndex op) const;
  /// True for the `wait()` of a communication's work: a wait alone in a `record_param_comms`.
  bool is_wait_for_work(StreamCallIndex call) const;
  /// True for calls outside every op but annotations.
  bool is_outside(const StreamCall& call) const {
    const LinkedOpIndex op = linked_.calls.parent[call.call];
    return !op || linked_.ops.is_annotation[outermost_op[op]] != 0;
  }
  Ns begin_ns(const StreamCall& call) const { return linked_.device.calls.start_ns[call.call]; }
  Ns end_ns(const StreamCall& call) const { return call_end_ns(linked_.device.calls, call.call); }

 private:
  void collect(const CallEffects& effects);
  void sort_by_thread();
  void add_query_loops(const CallEffects& effects);
  void find_communication();
  void find_communication_on_current();
  void find_waiting_streams();
  void find_current_streams();
  bool has_streams_by_path(std::span<const StreamCall> thread) const;
  void find_call_sites();

  const LinkedTrace& linked_;
};

}  // namespace nadi
