#include "nadi/link/wait_patterns.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "nadi/link/inferred_waits.h"
#include "nadi/link/prefetches.h"
#include "nadi/link/wait_timing.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// A communication that some thread launched, and whether a wait for it is known.
struct Work;
using WorkIndex = Index<Work>;
struct Work {
  StreamCallIndex launch;
  std::int64_t seq = -1;
  StringId group{};
  bool is_p2p = false;
  bool is_waited_for = false;
};

/// On so many streams a thread launches at the most that is looked at.
constexpr std::size_t kMostStreams = 16;
/// How copies between devices are named.
constexpr std::string_view kPeerCopy = "Memcpy PtoP";
/// So many works before a wait are looked at; where there are more, nothing is known.
constexpr int kMostGroups = 64;

class Patterns {
 public:
  Patterns(WaitList& waits, const LinkedTrace& linked, const StreamCalls& calls)
      : waits_(waits),
        linked_(linked),
        calls_(calls),
        records_waits_(records_stream_waits(linked)) {
    decisions_.stream_before.reserve(calls.calls.size());
    for (const StreamCall& call : calls.calls)
      decisions_.stream_before.push_back(call.stream_before);
  }

  void add_certain() {
    for (const LaneIndex lane : rows_of(calls_.keeps_current_stream)) {
      thread_ = calls_.of_thread(lane);
      keeps_current_ = calls_.keeps_current_stream[lane];
      add_copies();
      if (!records_waits_) {
        propose_waits_for_streams();
        settle();
        switch_streams();
      }
    }
    find_prefetches(waits_, linked_, calls_, decisions_);
    for (const LaneIndex lane : rows_of(calls_.keeps_current_stream)) {
      thread_ = calls_.of_thread(lane);
      keeps_current_ = calls_.keeps_current_stream[lane];
      propose_waits_of_launches();
    }
    index_works();
    tells_messages_ =
        std::any_of(calls_.stream_waits.begin(), calls_.stream_waits.end(),
                    [&](StreamCallIndex wait) { return record_of(calls_.calls[wait]).is_p2p; });
    add_waits(true);
  }

  /// Waits that are for one of several works of one stream are at least for the first of them.
  void add_least() { add_waits(false); }

  CallDecisions take() { return std::move(decisions_); }

 private:
  void add_waits(bool is_certain) {
    is_certain_ = is_certain;
    settle();
    for (const StreamCallIndex wait : calls_.stream_waits) add_wait_for_work(wait);
    for (const LaneIndex lane : rows_of(calls_.keeps_current_stream)) {
      thread_ = calls_.of_thread(lane);
      if (linked_.lanes[lane].is_backward && calls_.keeps_current_stream[lane]) add_reducer_waits();
    }
    settle();
  }

  Ns begin_of(StreamCallIndex call) const { return calls_.begin_ns(calls_.calls[call]); }
  LinkedOpIndex parent_of(const StreamCall& call) const { return linked_.calls.parent[call.call]; }
  LaneIndex lane_of_row(const StreamCall& call) const { return linked_.rows.lane[call.row]; }
  bool is_communication(const StreamCall& call) const { return call.comm_op && call.row; }

  /// Where the thread launches before and after the call is what was current.
  LaneIndex current_stream(const StreamCall& call) const {
    return stream_before(call) == call.stream_after ? call.stream_after : LaneIndex();
  }
  LaneIndex stream_before(const StreamCall& call) const {
    return decisions_.stream_before[index_of(call)];
  }
  bool is_open(const StreamCall& call) const { return waits_.is_open(call.call); }

  /// `.item()`, `.cpu()`, `copy_`: a copy and the synchronisation behind it, of one op, are of one
  /// stream.
  void add_copies() {
    if (!linked_.hypotheses.has(Hypothesis::kSyncBehindCopy)) return;
    for (std::size_t i = 1; i < thread_.size(); ++i) {
      const StreamCall& wait = thread_[i];
      const StreamCall& copy = thread_[i - 1];
      const bool is_pair = is_open(wait) && wait.effect == CallEffect::kSyncStream && copy.row &&
                           parent_of(wait) && parent_of(wait) == parent_of(copy) &&
                           linked_.device.rows.kind[copy.row] == DeviceRowKind::kMemcpy;
      if (!is_pair || !(keeps_current_ || is_copy(parent_of(wait))) ||
          row_end_ns(linked_, copy.row) > calls_.end_ns(wait) + linked_.clock_resolution_ns)
        continue;
      add_stream_sync(waits_, wait.call, lane_of_row(copy),
                      info(Hypothesis::kSyncBehindCopy).inferred);
      waits_.close(wait.call);
    }
  }

  /// PyTorch's ops that copy, and then wait for the copy.
  bool is_copy(LinkedOpIndex op) const {
    const std::string_view name = linked_.strings[linked_.ops.name[op]];
    return name == "aten::copy_" || name == "aten::_local_scalar_dense";
  }

  /// `a.wait_stream(b)` records an event on b and lets a wait for it, inside an op that launches on
  /// two streams, or outside every op of a thread that launches on two.
  void propose_waits_for_streams() {
    streams_ = calls_.streams_of(thread_, kMostStreams);
    const bool has_two = streams_.size() == 2;
    ordered_at_.clear();
    exchanges_.clear();
    for (std::size_t i = 1; i < thread_.size(); ++i)
      if (const StreamCall& call = thread_[i];
          call.effect == CallEffect::kSyncStream && !is_open(call) && is_launch(thread_[i - 1]))
        ordered_at_[{LaneIndex(), lane_of_row(thread_[i - 1])}].insert(calls_.begin_ns(call));
    for (std::size_t i = 0; i < thread_.size(); ++i)
      if (may_be_for_stream(i) && !calls_.is_outside(thread_[i])) add_wait_in_op(i);
    if (!keeps_current_) return;
    for (std::size_t i = 0; i < thread_.size(); ++i)
      if (may_be_for_stream(i) && calls_.is_outside(thread_[i])) add_exchange(i);
    if (calls_.records.empty()) return;
    for (std::size_t i = 0; i < thread_.size(); ++i)
      if (may_be_for_stream(i) && calls_.is_outside(thread_[i])) add_wait_alone(i, has_two);
  }

  bool may_be_for_stream(std::size_t i) const {
    const StreamCall& wait = thread_[i];
    return is_open(wait) && wait.effect == CallEffect::kStreamWaitEvent && !wait.comm_op &&
           calls_.recorded_before(index_of(wait));
  }

  StreamCallIndex index_of(const StreamCall& call) const { return calls_.index_of[call.call]; }

  /// The outer stream forks to the op's other stream, or joins it at its end.
  void add_wait_in_op(std::size_t i) {
    if (!linked_.hypotheses.has(Hypothesis::kForkInOp)) return;
    const std::span<const StreamCall> calls = calls_.of_op(parent_of(thread_[i]), thread_, i);
    std::vector<LaneIndex> lanes = calls_.streams_of(calls);
    const LaneIndex outer = outer_stream(calls, lanes);
    std::erase(lanes, outer);
    if (!outer || lanes.size() != 1) return;
    const auto launches = [&](std::span<const StreamCall> some) {
      const std::vector<LaneIndex> found = calls_.streams_of(some);
      return std::find(found.begin(), found.end(), lanes.front()) != found.end();
    };
    const auto own = static_cast<std::size_t>(&thread_[i] - calls.data());
    const bool is_before = launches(calls.first(own)), is_after = launches(calls.subspan(own));
    if (is_before == is_after) return;
    if (is_after)
      add_wait_for_stream(Hypothesis::kForkInOp, i, lanes.front(), outer);
    else
      add_wait_for_stream(Hypothesis::kForkInOp, i, outer, lanes.front());
  }

  /// The stream that was current before the op began. It must be current behind the op, too, as far
  /// as that is known: else the thread may have gone to another stream before the op; but behind an
  /// op that launches on it, a stream may be current that the op does not launch on (own: on which
  /// it launches). For a copy between devices it is the current stream of the other device, which
  /// is known if the other devices have one stream in all.
  LaneIndex outer_stream(std::span<const StreamCall> calls,
                         const std::vector<LaneIndex>& own) const {
    const auto copy = std::find_if(calls.begin(), calls.end(), [&](const StreamCall& call) {
      return call.row && linked_.strings[linked_.device.rows.name[call.row]].starts_with(kPeerCopy);
    });
    if (copy == calls.end()) {
      const LaneIndex before = keeps_current_ ? stream_before(calls.front()) : LaneIndex();
      const LaneIndex after = calls.back().stream_after;
      const auto is_own = [&](LaneIndex lane) {
        return std::find(own.begin(), own.end(), lane) != own.end();
      };
      return !after || after == before || (is_own(before) && !is_own(after)) ? before : LaneIndex();
    }
    LaneIndex other;
    for (const LaneIndex stream : calls_.timeline.streams) {
      if (linked_.lanes[stream].device == linked_.lanes[lane_of_row(*copy)].device) continue;
      if (other) return {};
      other = stream;
    }
    return other;
  }

  /// Two waits in a row, of two streams that were both given something new, are an exchange: the
  /// first lets the stream before wait for the stream launched on next, the second the reverse. No
  /// third stream may have anything new that is not waited for later.
  void add_exchange(std::size_t first) {
    const StreamCall& wait = thread_[first];
    const LaneIndex before = stream_before(wait), after = wait.stream_after;
    const std::size_t second = first + calls_of_wait();
    if (!linked_.hypotheses.has(Hypothesis::kExchange) || !before || !after || before == after ||
        exchanges_.contains(first) || !are_two(first, second) ||
        !is_exchange(before, after, calls_.begin_ns(wait)))
      return;
    exchanges_.insert({first, second});
    add_wait_for_stream(Hypothesis::kExchange, first, before, after);
    add_wait_for_stream(Hypothesis::kExchange, second, after, before);
  }

  /// A single wait lets the stream that the thread launches on next wait for the stream that it
  /// launched on before, if
  /// - the thread has no third stream; or
  /// - the stream before was given something new, no third stream was, and the reverse wait would
  ///   be for nothing new, or for work that is waited for later anyway. The second does not hold
  ///   right before communication, which may run on a stream without rows.
  void add_wait_alone(std::size_t i, bool has_two) {
    const StreamCall& wait = thread_[i];
    const LaneIndex before = stream_before(wait), after = wait.stream_after;
    if (!linked_.hypotheses.has(Hypothesis::kWaitAlone) || !before || !after || before == after ||
        exchanges_.contains(i))
      return;
    const Ns time = calls_.begin_ns(wait);
    const bool is_before_communication = i + 1 < thread_.size() && thread_[i + 1].comm_op;
    const bool has_one_reason =
        !is_before_communication && has_new(before, after, time) &&
        (!has_new(after, before, time) || is_ordered_later(after, before, time)) &&
        !is_new_elsewhere(before, after, time);
    if (has_two || has_one_reason) add_wait_for_stream(Hypothesis::kWaitAlone, i, after, before);
  }

  /// The thread itself launched the row.
  bool is_own(DeviceRowIndex row) const {
    return row && linked_.rows.launch_lane[row] == linked_.calls.lane[thread_.front().call];
  }

  bool is_exchange(LaneIndex before, LaneIndex after, Ns time) const {
    return has_new(before, after, time) && has_new(after, before, time) &&
           !is_new_elsewhere(before, after, time);
  }

  /// A third stream was given something by this thread that neither of the two has waited for, nor
  /// will.
  bool is_new_elsewhere(LaneIndex before, LaneIndex after, Ns time) const {
    return streams_.size() >= kMostStreams ||
           std::any_of(streams_.begin(), streams_.end(), [&](LaneIndex other) {
             return other != before && other != after &&
                    is_own(calls_.timeline.last_given(other, time)) &&
                    has_new(other, before, time) && has_new(other, after, time) &&
                    !is_ordered_later(other, before, time) && !is_ordered_later(other, after, time);
           });
  }

  /// The source was given something that neither the waiting stream nor the thread has waited for.
  bool has_new(LaneIndex source, LaneIndex waiting, Ns time) const {
    const DeviceRowIndex last = calls_.timeline.last_given(source, time);
    if (!last) return false;
    const auto is_ordered = [&](LaneIndex by) {
      const auto times = ordered_at_.find({by, source});
      if (times == ordered_at_.end()) return false;
      const auto next = times->second.upper_bound(enqueue_ns(linked_, last));
      return next != times->second.end() && *next < time;
    };
    return !is_ordered(waiting) && !is_ordered(LaneIndex());
  }

  bool is_ordered_later(LaneIndex source, LaneIndex waiting, Ns time) const {
    const auto times = ordered_at_.find({waiting, source});
    return times != ordered_at_.end() && *times->second.rbegin() > time;
  }

  /// Waits of streams with nothing between them but the record of the second, if there are records.
  bool are_two(std::size_t first, std::size_t second) const {
    if (second >= thread_.size()) return false;
    const auto is_wait = [](const StreamCall& call) {
      return call.effect == CallEffect::kStreamWaitEvent && !call.comm_op;
    };
    return is_wait(thread_[first]) && is_wait(thread_[second]) &&
           (calls_.records.empty() ||
            calls_.recorded_before(index_of(thread_[second])) == thread_[second - 1].call);
  }

  /// `wait_stream` records an event, and lets a stream wait for it.
  std::size_t calls_of_wait() const { return calls_.records.empty() ? 1 : 2; }

  void add_wait_for_stream(Hypothesis why, std::size_t i, LaneIndex waiting, LaneIndex source) {
    const StreamCall& wait = thread_[i];
    propose(why, wait, waiting, given_by(linked_, source, calls_.recorded_before(index_of(wait))),
            calls_.timeline.first_given(waiting, calls_.begin_ns(wait)));
    ordered_at_[{waiting, source}].insert(calls_.begin_ns(wait));
    if (wait.stream_after == waiting) switches_.push_back(i);
  }

  /// From such a wait on the thread's current stream is the one that it launches on next.
  void switch_streams() {
    if (!linked_.hypotheses.has(Hypothesis::kSwitchAtWait)) switches_.clear();
    for (const std::size_t wait : switches_) {
      if (is_open(thread_[wait])) continue;
      const LaneIndex next = thread_[wait].stream_after;
      for (std::size_t i = wait;
           i < thread_.size() && !is_launch(thread_[i]) && stream_before(thread_[i]) != next; ++i)
        decisions_.stream_before[index_of(thread_[i])] = next;
    }
    switches_.clear();
  }

  /// Inside `record_param_comms`: the first wait is that of the communication's stream for the
  /// current one, all others are of streams without rows.
  void propose_waits_of_launches() {
    for (std::size_t i = 0; i < thread_.size(); ++i) {
      if (!is_communication(thread_[i])) continue;
      const StreamCall& launch = thread_[i];
      if (!launch.is_on_current) note_work(launch);
      std::size_t first = i;
      while (first > 0 && belongs(thread_[first - 1], launch)) --first;
      const bool is_inside = calls_.is_comm_record(launch.comm_op);
      bool has_first_wait = false;
      for (std::size_t k = first; k < i; ++k) {
        if (thread_[k].effect != CallEffect::kStreamWaitEvent || !is_open(thread_[k])) continue;
        if (is_inside && !has_first_wait && !launch.is_on_current)
          propose_wait_for_current(Hypothesis::kCommunicationBehindCurrent, k, launch);
        else
          waits_.close(thread_[k].call);
        has_first_wait = true;
      }
      for (std::size_t k = i + 1; k < thread_.size() && belongs(thread_[k], launch); ++k)
        if (thread_[k].effect == CallEffect::kStreamWaitEvent) waits_.close(thread_[k].call);
      if (!is_inside) add_waits_before_coalesced(first, launch);
    }
  }

  /// A call of the same communication that launches none itself.
  static bool belongs(const StreamCall& call, const StreamCall& launch) {
    return call.comm_op == launch.comm_op && !call.row;
  }

  /// A group of messages is launched outside the ops that record it, right behind its wait or those
  /// of each of its messages.
  void add_waits_before_coalesced(std::size_t first, const StreamCall& launch) {
    for (std::size_t i = first; i-- > 0 && !thread_[i].row;) {
      const StreamCall& wait = thread_[i];
      if (wait.effect == CallEffect::kEventRecord) continue;
      const bool is_sibling =
          i + 1 == first && parent_of(wait) == linked_.ops.parent[launch.comm_op];
      const bool is_of_message = wait.comm_op && calls_.is_comm_record(wait.comm_op) &&
                                 !is_wait_for_work(i) && calls_.recorded_before(index_of(wait));
      if (wait.effect != CallEffect::kStreamWaitEvent || !is_open(wait) ||
          !(is_sibling || is_of_message))
        break;
      propose_wait_for_current(Hypothesis::kMessagesBehindCurrent, i, launch);
    }
  }

  void propose_wait_for_current(Hypothesis why, std::size_t i, const StreamCall& launch) {
    const StreamCall& wait = thread_[i];
    if (is_prefetched(launch)) waits_.close(wait.call);
    const LaneIndex current = keeps_current_ ? current_stream(launch) : LaneIndex();
    if (!current || !is_open(wait)) return;
    const bool is_recorded = i > 0 && thread_[i - 1].effect == CallEffect::kEventRecord;
    const CallIndex record = is_recorded ? thread_[i - 1].call : wait.call;
    propose(why, wait, lane_of_row(launch), given_by(linked_, current, record), launch.row);
  }

  /// What a wait may be for, unless times contradict it.
  struct Proposal {
    Hypothesis why;
    StreamCallIndex wait;
    LaneIndex waiting;
    WaitSource source;
    bool is_contradicted;
  };

  void propose(Hypothesis why, const StreamCall& wait, LaneIndex waiting, const WaitSource& source,
               DeviceRowIndex target) {
    if (!linked_.hypotheses.has(why)) return;
    if (wait.waiting && wait.waiting != waiting) return;
    const DeviceRowIndex row = calls_.timeline.last_given(source.lane, source.time_ns + 1);
    const bool may_be = source.lane == waiting || may_wait_for(linked_, row, target);
    proposals_.push_back({why, index_of(wait), waiting, source, !may_be});
  }

  /// A position whose waits are contradicted now and then follows another pattern.
  void settle() {
    std::unordered_map<std::uint64_t, ClassCounts> counts;
    const auto count_of = [&](const Proposal& one) -> ClassCounts& {
      return counts[calls_.calls[one.wait].position_in_op];
    };
    for (const Proposal& one : proposals_) {
      ++count_of(one).possible;
      count_of(one).contradicted += one.is_contradicted ? 1 : 0;
    }
    for (const Proposal& one : proposals_) {
      const StreamCall& wait = calls_.calls[one.wait];
      const bool holds =
          wait.position_in_op == 0 || linked_.hypotheses.hold(one.why, count_of(one));
      if (one.is_contradicted || !holds) continue;
      if (one.source.lane != one.waiting)
        add_stream_wait(waits_, linked_, wait.call, one.waiting, one.source,
                        info(one.why).inferred);
      waits_.close(wait.call);
    }
    proposals_.clear();
  }

  void note_work(const StreamCall& launch) {
    Work work;
    work.launch = index_of(launch);
    if (const auto carried = linked_.carried_by(launch.row); !carried.empty()) {
      const CommRecord& comm = linked_.comms[carried.front()];
      work.seq = comm.seq;
      work.group = comm.pg_name;
      work.is_p2p = comm.is_p2p;
    }
    works_.push_back(work);
  }

  /// `wait()` of a communication's work records itself: the current stream waits for it.
  void add_wait_for_work(StreamCallIndex index) {
    const StreamCall& wait = calls_.calls[index];
    const LaneIndex lane = linked_.calls.lane[wait.call];
    thread_ = calls_.of_thread(lane);
    const bool is_for_work =
        is_open(wait) && calls_.keeps_current_stream[lane] && calls_.is_wait_for_work(index);
    Work* const work = is_for_work ? work_of(wait) : nullptr;
    if (work == nullptr) return;
    const Hypothesis why = is_certain_ ? Hypothesis::kWorkOfWait : Hypothesis::kOldestWork;
    const auto prefetch = decisions_.prefetches.find(index);
    if (prefetch == decisions_.prefetches.end())
      return propose_wait_for(why, wait, current_stream(wait), *work);
    work->is_waited_for = true;
    if (!prefetch->second) return;
    waits_.close(wait.call);
    const StreamCall& use = calls_.calls[prefetch->second];
    propose_wait_for(why, use, use.stream_after, *work);
  }

  bool is_wait_for_work(std::size_t i) const {
    return calls_.is_wait_for_work(index_of(thread_[i]));
  }

  /// True where what the thread does right behind the launch is to wait for it on such a stream.
  bool is_prefetched(const StreamCall& launch) const {
    const auto at = static_cast<std::size_t>(&calls_.calls[index_of(launch)] - thread_.data());
    for (std::size_t i = at + 1; i < thread_.size() && i - at < StreamCalls::kMostCallsOfOp; ++i) {
      if (thread_[i].row) return false;
      if (thread_[i].comm_op != launch.comm_op && is_wait_for_work(i))
        return decisions_.prefetches.contains(index_of(thread_[i]));
    }
    return false;
  }

  /// Works by number, those of one number in time order: a wait records the number, seldom the
  /// group.
  void index_works() {
    std::sort(works_.begin(), works_.end(), [&](const Work& a, const Work& b) {
      return a.seq != b.seq ? a.seq < b.seq : begin_of(a.launch) < begin_of(b.launch);
    });
    work_of_launch_.assign(calls_.calls.size(), {});
    for (const WorkIndex work : rows_of(works_)) {
      work_of_launch_[works_[work].launch] = work;
      in_time_order_.push_back(work);
    }
    std::sort(in_time_order_.begin(), in_time_order_.end(), [&](WorkIndex a, WorkIndex b) {
      return begin_of(works_[a].launch) < begin_of(works_[b].launch);
    });
  }

  /// What is recorded of the communication around a wait.
  CommRecord record_of(const StreamCall& wait) const {
    const CommIndex comm = wait.comm_op ? linked_.ops.comm[wait.comm_op] : CommIndex();
    return comm ? linked_.comms[comm] : CommRecord{};
  }

  Work* work_of(const StreamCall& wait) {
    const CommRecord recorded = record_of(wait);
    return recorded.seq < 0 ? oldest_work(wait) : work_of_number(wait, recorded);
  }

  /// By the number that the wait records, the only work of it that nobody has waited for yet; each
  /// group counts on its own.
  Work* work_of_number(const StreamCall& wait, const CommRecord& recorded) {
    auto work = std::partition_point(works_.begin(), works_.end(), [&](const Work& one) {
      const bool is_before = begin_of(one.launch) < calls_.begin_ns(wait);
      return one.seq != recorded.seq ? one.seq < recorded.seq : is_before;
    });
    Work* found = nullptr;
    for (int i = 0; i < kMostGroups && work != works_.begin(); ++i) {
      --work;
      if (work->seq != recorded.seq) break;
      const bool may_be = recorded.pg_name == StringId::kEmpty || work->group == recorded.pg_name;
      const bool is_other = recorded.is_p2p ? !work->is_p2p : work->is_p2p && tells_messages_;
      if (!may_be || is_other || work->is_waited_for) continue;
      if (found != nullptr) return nullptr;
      found = &*work;
    }
    return found;
  }

  /// Without numbers the only one that nobody has waited for; else, as the least that is waited
  /// for, the oldest, where all of those ran on one stream.
  Work* oldest_work(const StreamCall& wait) {
    auto end = std::partition_point(
        in_time_order_.begin(), in_time_order_.end(),
        [&](WorkIndex work) { return begin_of(works_[work].launch) < calls_.begin_ns(wait); });
    Work* found = nullptr;
    for (int i = 0; i < kMostGroups && end != in_time_order_.begin(); ++i) {
      Work& work = works_[*--end];
      if (work.is_waited_for) continue;
      if (found != nullptr && (is_certain_ || lane_of(work) != lane_of(*found))) return nullptr;
      found = &work;
    }
    return end == in_time_order_.begin() ? found : nullptr;
  }

  LaneIndex lane_of(const Work& work) const { return lane_of_row(calls_.calls[work.launch]); }

  void propose_wait_for(Hypothesis why, const StreamCall& wait, LaneIndex current, Work& work) {
    work.is_waited_for = true;
    if (!current) return;
    propose(why, wait, current, given_with_row(linked_, calls_.calls[work.launch].row),
            calls_.timeline.first_given(current, calls_.begin_ns(wait)));
  }

  /// DDP's reducer waits for its works in the order in which it launched them, outside every op of
  /// the backward thread. Where there are fewer waits than works of one stream, the n-th wait is
  /// at least for the n-th work.
  void add_reducer_waits() {
    std::vector<Work*> open_works;
    std::vector<const StreamCall*> open_waits;
    for (const StreamCall& call : thread_) {
      if (is_communication(call) && !call.is_on_current) {
        if (!open_waits.empty()) pair_up(open_waits, open_works);
        open_works.push_back(&works_[work_of_launch_[index_of(call)]]);
      } else if (is_open(call) && call.effect == CallEffect::kStreamWaitEvent &&
                 calls_.is_outside(call)) {
        open_waits.push_back(&call);
      }
    }
    pair_up(open_waits, open_works);
  }

  void pair_up(std::vector<const StreamCall*>& waits, std::vector<Work*>& works) {
    std::erase_if(works, [](const Work* work) { return work->is_waited_for; });
    const bool is_one_lane = std::all_of(works.begin(), works.end(), [&](const Work* work) {
      return lane_of(*work) == lane_of(*works.front());
    });
    const bool may_be_later = !is_certain_ && waits.size() < works.size() && is_one_lane;
    if (waits.size() == works.size() || may_be_later)
      for (std::size_t i = 0; i < waits.size(); ++i)
        propose_wait_for(Hypothesis::kWorksInOrder, *waits[i], current_stream(*waits[i]),
                         *works[i]);
    waits.clear();
    works.clear();
  }

  WaitList& waits_;
  const LinkedTrace& linked_;
  const StreamCalls& calls_;
  CallDecisions decisions_;
  std::span<const StreamCall> thread_;
  const bool records_waits_;  // sync rows say which streams wait for which
  bool keeps_current_ = false, is_certain_ = true;
  bool tells_messages_ = false;  // numbers of waits say whether they are of messages
  std::vector<Proposal> proposals_;
  std::vector<LaneIndex> streams_;   // that the thread launched on
  std::set<std::size_t> exchanges_;  // calls of the thread
  /// By waiting and source stream, of one thread: when it let one wait for the other; by no stream
  /// and a source, when it waited for that itself.
  std::map<std::pair<LaneIndex, LaneIndex>, std::set<Ns>> ordered_at_;
  std::vector<std::size_t> switches_;  // waits after which another stream is current
  ByRow<Work> works_;                  // by number and time once all threads are seen
  std::vector<WorkIndex> in_time_order_;
  ByRow<StreamCall, WorkIndex> work_of_launch_;
};

}  // namespace

CallDecisions infer_stream_waits(WaitList& waits, const LinkedTrace& linked,
                                 const StreamCalls& calls) {
  Patterns patterns(waits, linked, calls);
  patterns.add_certain();
  if (calls.timeline.streams.size() > 1) infer_timed_stream_waits(waits, linked, calls);
  patterns.add_least();
  return patterns.take();
}

}  // namespace nadi
