#include <algorithm>
#include <unordered_map>

#include "nadi/link/inferred_waits.h"
#include "nadi/link/waits.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// A communication that some thread launched, and whether a wait for it is known.
struct Work {
  std::uint32_t launch;  ///< into StreamCalls::calls
  std::int64_t seq = -1;
  StringId group{};
  bool is_p2p = false;
  bool is_waited_for = false;
  std::uint32_t first_wait = kNoIndex;  ///< of its stream for the current one
};

/// Of a hundred waits at one place so many may seem contradicted by damaged stamps.
constexpr std::size_t kMostContradicted = 5;
/// Of an op so many calls on either side of a wait are looked at.
constexpr std::size_t kMostCallsOfOp = 256;
/// So many works before a wait are looked at: of one number, each of another group.
constexpr int kMostGroups = 64;

class Patterns {
 public:
  Patterns(LinkedTrace& linked, StreamCalls& calls)
      : linked_(linked), calls_(calls), is_covered_(linked.ops.size()) {
    for (std::size_t op = 0; op < is_covered_.size(); ++op) {
      const std::uint32_t parent = linked_.ops.parent[op];
      is_covered_[op] =
          linked_.ops.is_annotation[op] == 0 || (parent != kNoIndex && is_covered_[parent]);
    }
  }

  void add_certain() {
    for (std::size_t lane = 0; lane + 1 < calls_.thread_begin.size(); ++lane) {
      thread_ = calls_.of_thread(lane);
      keeps_current_ = calls_.keeps_current_stream(lane);
      add_copies();
      if (keeps_current_ && !tells_stream_waits(linked_)) {
        propose_waits_for_streams();
        settle();
        switch_streams();
      }
      propose_waits_of_launches();
    }
    index_works();
    add_waits(true);
  }

  /// Waits that are for one of several works of one stream are at least for the first of them.
  void add_least() { add_waits(false); }

 private:
  void add_waits(bool is_certain) {
    is_certain_ = is_certain;
    settle();
    for (std::size_t lane = 0; lane + 1 < calls_.thread_begin.size(); ++lane) {
      if (!calls_.keeps_current_stream(lane)) continue;
      thread_ = calls_.of_thread(lane);
      add_waits_for_works();
      if (linked_.lanes[lane].is_backward) add_reducer_waits();
    }
    settle();
  }

  Ns begin_of(std::uint32_t place) const { return calls_.begin_ns(calls_.calls[place]); }
  std::uint32_t parent_of(const StreamCall& call) const { return linked_.calls.parent[call.call]; }
  LaneIndex lane_of_row(const StreamCall& call) const { return linked_.rows.lane[call.row]; }
  bool is_communication(const StreamCall& call) const {
    return call.comm_op != kNoIndex && call.row != kNoIndex;
  }

  /// Where the thread launches before and after the call is what was current.
  static LaneIndex current_stream(const StreamCall& call) {
    return call.stream_before == call.stream_after ? call.stream_before : LaneIndex();
  }

  /// `.item()`, `.cpu()`, `copy_`: a copy and the synchronisation behind it, of one op, are of one
  /// stream.
  void add_copies() {
    for (std::size_t i = 1; i < thread_.size(); ++i) {
      StreamCall& wait = thread_[i];
      const StreamCall& copy = thread_[i - 1];
      const bool is_pair = wait.is_open && wait.kind == CallKind::kSyncStream &&
                           copy.row != kNoIndex && parent_of(wait) != kNoIndex &&
                           parent_of(wait) == parent_of(copy) &&
                           linked_.device.rows.kind[copy.row] == DeviceRowKind::kMemcpy;
      if (!is_pair || !(keeps_current_ || is_copy(parent_of(wait))) ||
          row_end_ns(linked_, copy.row) > calls_.end_ns(wait) + linked_.clock_resolution_ns)
        continue;
      StreamAction action;
      action.kind = StreamActionKind::kHostWaitStream;
      action.lane = lane_of_row(copy);
      action.inferred = Inference::kPattern;
      add_host_wait(linked_, action, wait.call);
      wait.is_open = false;
    }
  }

  /// PyTorch's ops that copy, and then wait for the copy.
  bool is_copy(std::uint32_t op) const {
    const std::string_view name = linked_.strings[linked_.ops.name[op]];
    return name == "aten::copy_" || name == "aten::_local_scalar_dense";
  }

  /// `a.wait_stream(b)` records an event on b and lets a wait for it, inside an op that launches on
  /// two streams, or outside every op of a thread that launches on two.
  void propose_waits_for_streams() {
    const bool has_two = lanes_launched_on(0, thread_.size()).size() == 2;
    for (std::size_t i = 0; i < thread_.size(); ++i) {
      StreamCall& wait = thread_[i];
      const bool is_wait =
          wait.is_open && wait.kind == CallKind::kStreamWaitEvent && wait.comm_op == kNoIndex;
      if (!is_wait || calls_.recorded_before(place_of(wait)) == kNoIndex) continue;
      const bool is_in_op = parent_of(wait) != kNoIndex && !is_outside(wait);
      if (is_in_op)
        add_wait_in_op(i);
      else if (!calls_.records.empty())
        add_wait_outside(i, has_two);
    }
  }

  std::uint32_t place_of(const StreamCall& call) const { return calls_.place_of_call[call.call]; }

  bool is_launch(const StreamCall& call) const {
    return call.row != kNoIndex && call.comm_op == kNoIndex;
  }

  /// Streams that calls [begin, end) of the thread launched on, communication left out; of more
  /// than two the first three.
  std::vector<LaneIndex> lanes_launched_on(std::size_t begin, std::size_t end) const {
    std::vector<LaneIndex> lanes;
    for (std::size_t i = begin; i < end && lanes.size() < 3; ++i)
      if (is_launch(thread_[i]) &&
          std::find(lanes.begin(), lanes.end(), lane_of_row(thread_[i])) == lanes.end())
        lanes.push_back(lane_of_row(thread_[i]));
    return lanes;
  }

  /// What was current before the op began forks to the op's other stream, or joins it at its end.
  void add_wait_in_op(std::size_t place) {
    const std::uint32_t op = parent_of(thread_[place]);
    const Ns begin = linked_.ops.start_ns[op], end = begin + linked_.ops.duration_ns[op];
    std::size_t first = place, last = place + 1;
    while (first > 0 && place - first < kMostCallsOfOp &&
           calls_.begin_ns(thread_[first - 1]) >= begin)
      --first;
    while (last < thread_.size() && last - place < kMostCallsOfOp &&
           calls_.begin_ns(thread_[last]) < end)
      ++last;
    const LaneIndex outer = thread_[first].stream_before;
    std::vector<LaneIndex> lanes = lanes_launched_on(first, last);
    std::erase(lanes, outer);
    if (!outer || lanes.size() != 1) return;
    const auto launches = [&](std::size_t from, std::size_t to) {
      const std::vector<LaneIndex> found = lanes_launched_on(from, to);
      return std::find(found.begin(), found.end(), lanes.front()) != found.end();
    };
    const bool is_before = launches(first, place), is_after = launches(place, last);
    if (is_before == is_after) return;
    if (is_after)
      add_wait_for_stream(place, lanes.front(), outer);
    else
      add_wait_for_stream(place, outer, lanes.front());
  }

  /// Of two waits in a row, which nobody would make alike, the second lets the stream launched on
  /// next wait for the one before, the first the other way round. A wait alone is taken for such a
  /// second one where the thread has no third stream.
  void add_wait_outside(std::size_t place, bool has_two) {
    const StreamCall& wait = thread_[place];
    const LaneIndex before = wait.stream_before, after = wait.stream_after;
    if (!before || !after || before == after) return;
    if (are_two(place, place + 2))
      add_wait_for_stream(place, before, after);
    else if (has_two || (place >= 2 && are_two(place - 2, place)))
      add_wait_for_stream(place, after, before);
  }

  /// Waits of streams with nothing between them but the record of the second.
  bool are_two(std::size_t first, std::size_t second) const {
    if (second >= thread_.size()) return false;
    const auto is_wait = [](const StreamCall& call) {
      return call.kind == CallKind::kStreamWaitEvent && call.comm_op == kNoIndex;
    };
    return is_wait(thread_[first]) && is_wait(thread_[second]) &&
           calls_.recorded_before(place_of(thread_[second])) == thread_[second - 1].call;
  }

  void add_wait_for_stream(std::size_t place, LaneIndex waiting, LaneIndex source) {
    StreamCall& wait = thread_[place];
    propose(wait, waiting, given_by(linked_, source, calls_.recorded_before(place_of(wait))),
            first_given(linked_, waiting, calls_.begin_ns(wait)));
    if (wait.stream_after == waiting) switches_.push_back(place);
  }

  /// From such a wait on the thread's current stream is the one that it launches on next.
  void switch_streams() {
    for (const std::size_t place : switches_) {
      if (thread_[place].is_open) continue;
      const LaneIndex next = thread_[place].stream_after;
      for (std::size_t i = place;
           i < thread_.size() && !is_launch(thread_[i]) && thread_[i].stream_before != next; ++i)
        thread_[i].stream_before = next;
    }
    switches_.clear();
  }

  /// Inside `record_param_comms`: the first wait is that of the communication's stream for the
  /// current one, all others are of streams without rows.
  void propose_waits_of_launches() {
    for (std::size_t i = 0; i < thread_.size(); ++i) {
      if (!is_communication(thread_[i])) continue;
      const StreamCall launch = thread_[i];
      note_work(launch);
      std::size_t first = i;
      while (first > 0 && belongs(thread_[first - 1], launch)) --first;
      const bool is_inside = is_record(launch.comm_op);
      bool has_first_wait = false;
      for (std::size_t k = first; k < i; ++k) {
        if (thread_[k].kind != CallKind::kStreamWaitEvent || !thread_[k].is_open) continue;
        if (is_inside && !has_first_wait)
          propose_wait_for_current(k, launch);
        else
          thread_[k].is_open = false;
        has_first_wait = true;
      }
      for (std::size_t k = i + 1; k < thread_.size() && belongs(thread_[k], launch); ++k)
        if (thread_[k].kind == CallKind::kStreamWaitEvent) thread_[k].is_open = false;
      if (!is_inside) add_wait_before_coalesced(first, launch);
    }
  }

  bool is_record(std::uint32_t op) const {
    return linked_.strings[linked_.ops.name[op]] == "record_param_comms";
  }

  /// A call of the same communication that launches none itself.
  static bool belongs(const StreamCall& call, const StreamCall& launch) {
    return call.comm_op == launch.comm_op && call.row == kNoIndex;
  }

  /// A group of messages is launched outside the ops that record it, right behind its wait.
  void add_wait_before_coalesced(std::size_t first, const StreamCall& launch) {
    if (first == 0) return;
    StreamCall& wait = thread_[first - 1];
    const bool is_sibling = wait.kind == CallKind::kStreamWaitEvent && wait.is_open &&
                            parent_of(wait) == linked_.ops.parent[launch.comm_op];
    if (is_sibling) propose_wait_for_current(first - 1, launch);
  }

  void propose_wait_for_current(std::size_t place, const StreamCall& launch) {
    const StreamCall& wait = thread_[place];
    works_.back().first_wait = place_of(wait);
    const LaneIndex current = keeps_current_ ? current_stream(launch) : LaneIndex();
    if (!current || is_prefetched(launch)) return;
    const bool is_recorded = place > 0 && thread_[place - 1].kind == CallKind::kEventRecord;
    const std::uint32_t record = is_recorded ? thread_[place - 1].call : wait.call;
    propose(wait, lane_of_row(launch), given_by(linked_, current, record), launch.row);
  }

  /// What a wait may be for, unless times contradict it.
  struct Proposal {
    std::uint32_t wait;  ///< into StreamCalls::calls
    LaneIndex waiting;
    WaitSource source;
    bool is_contradicted;
  };

  void propose(const StreamCall& wait, LaneIndex waiting, const WaitSource& source,
               std::uint32_t target) {
    const std::uint32_t row = last_given(linked_, source.lane, source.time_ns + 1);
    const bool may_be = source.lane == waiting || may_wait_for(linked_, row, target);
    proposals_.push_back({place_of(wait), waiting, source, !may_be});
  }

  /// A place whose waits are contradicted now and then follows another pattern.
  void settle() {
    struct Count {
      std::size_t all = 0, contradicted = 0;
    };
    std::unordered_map<std::uint64_t, Count> counts;
    const auto count_of = [&](const Proposal& one) -> Count& {
      return counts[calls_.calls[one.wait].place_in_op];
    };
    for (const Proposal& one : proposals_) {
      ++count_of(one).all;
      count_of(one).contradicted += one.is_contradicted ? 1 : 0;
    }
    for (const Proposal& one : proposals_) {
      StreamCall& wait = calls_.calls[one.wait];
      const Count& count = count_of(one);
      const bool is_other =
          wait.place_in_op != 0 && count.contradicted * 100 > count.all * kMostContradicted;
      if (one.is_contradicted || is_other) continue;
      if (one.source.lane != one.waiting)
        add_stream_wait(linked_, wait.call, one.waiting, one.source, Inference::kPattern);
      wait.is_open = false;
    }
    proposals_.clear();
  }

  void note_work(const StreamCall& launch) {
    Work work;
    work.launch = calls_.place_of_call[launch.call];
    const std::uint32_t first = linked_.rows.first_carried[launch.row];
    if (linked_.rows.first_carried[launch.row + 1] > first) {
      const CommRecord& comm = linked_.comms[linked_.carried[first].value];
      work.seq = comm.seq;
      work.group = comm.pg_name;
      work.is_p2p = comm.is_p2p;
    }
    works_.push_back(work);
  }

  /// `wait()` of a communication's work records itself: the current stream waits for it.
  void add_waits_for_works() {
    for (std::size_t i = 0; i < thread_.size(); ++i) {
      StreamCall& wait = thread_[i];
      if (!wait.is_open || wait.kind != CallKind::kStreamWaitEvent || wait.comm_op == kNoIndex ||
          !is_record(wait.comm_op) || !is_alone(i))
        continue;
      Work* const work = work_of(wait);
      if (work == nullptr) continue;
      if (is_prefetch(i))
        work->is_waited_for = true;
      else
        propose_wait_for(wait, *work);
    }
  }

  /// FSDP gathers parameters on a stream of its own, which runs no rows: the thread records an
  /// event there right behind the wait, for the current stream to wait for later.
  bool is_prefetch(std::size_t wait) const {
    return wait + 1 < thread_.size() && thread_[wait + 1].kind == CallKind::kEventRecord &&
           thread_[wait + 1].comm_op == kNoIndex &&
           (wait + 2 == thread_.size() || thread_[wait + 2].kind != CallKind::kStreamWaitEvent ||
            calls_.recorded_before(place_of(thread_[wait + 2])) != thread_[wait + 1].call);
  }

  /// True where what the thread does right behind the launch is such a wait.
  bool is_prefetched(const StreamCall& launch) const {
    const auto at = static_cast<std::size_t>(&calls_.calls[place_of(launch)] - thread_.data());
    for (std::size_t i = at + 1; i < thread_.size() && i - at < kMostCallsOfOp; ++i) {
      if (thread_[i].row != kNoIndex) return false;
      const bool is_wait = thread_[i].kind == CallKind::kStreamWaitEvent &&
                           thread_[i].comm_op != kNoIndex && thread_[i].comm_op != launch.comm_op;
      if (is_wait) return is_prefetch(i);
    }
    return false;
  }

  /// No other call of its op launches, records or waits.
  bool is_alone(std::size_t place) const {
    const std::uint32_t op = thread_[place].comm_op;
    return (place == 0 || thread_[place - 1].comm_op != op) &&
           (place + 1 == thread_.size() || thread_[place + 1].comm_op != op);
  }

  /// Works by number, those of one number in time order: a wait tells the number, seldom the group.
  void index_works() {
    std::sort(works_.begin(), works_.end(), [&](const Work& a, const Work& b) {
      return a.seq != b.seq ? a.seq < b.seq : begin_of(a.launch) < begin_of(b.launch);
    });
    work_of_launch_.assign(calls_.calls.size(), kNoIndex);
    for (std::uint32_t work = 0; work < works_.size(); ++work) {
      work_of_launch_[works_[work].launch] = work;
      in_time_order_.push_back(work);
    }
    std::sort(in_time_order_.begin(), in_time_order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return begin_of(works_[a].launch) < begin_of(works_[b].launch);
    });
  }

  Work* work_of(const StreamCall& wait) {
    const CommIndex comm = linked_.ops.comm[wait.comm_op];
    const CommRecord told = comm ? linked_.comms[comm.value] : CommRecord{};
    return told.seq < 0 ? oldest_work(wait) : work_of_number(wait, told);
  }

  /// By the number that the wait tells, the only work of it that nobody has waited for yet; each
  /// group counts on its own.
  Work* work_of_number(const StreamCall& wait, const CommRecord& told) {
    auto work = std::partition_point(works_.begin(), works_.end(), [&](const Work& one) {
      const bool is_before = begin_of(one.launch) < calls_.begin_ns(wait);
      return one.seq != told.seq ? one.seq < told.seq : is_before;
    });
    Work* found = nullptr;
    for (int i = 0; i < kMostGroups && work != works_.begin(); ++i) {
      --work;
      if (work->seq != told.seq) break;
      const bool may_be = told.pg_name == StringId::kEmpty || work->group == told.pg_name;
      if (!may_be || work->is_p2p != told.is_p2p || work->is_waited_for) continue;
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
        [&](std::uint32_t work) { return begin_of(works_[work].launch) < calls_.begin_ns(wait); });
    Work* found = nullptr;
    for (int i = 0; i < kMostGroups && end != in_time_order_.begin(); ++i) {
      Work& work = works_[*--end];
      if (work.is_waited_for) continue;
      if (found != nullptr && (is_certain_ || lane_of(work) != lane_of(*found))) return nullptr;
      found = &work;
    }
    return found;
  }

  LaneIndex lane_of(const Work& work) const { return lane_of_row(calls_.calls[work.launch]); }

  void propose_wait_for(const StreamCall& wait, Work& work) {
    work.is_waited_for = true;
    const LaneIndex current = current_stream(wait);
    if (!current || is_on_unknown_stream(wait, work)) return;
    propose(wait, current, given_with_row(linked_, calls_.calls[work.launch].row),
            first_given(linked_, current, calls_.begin_ns(wait)));
  }

  /// Where times contradict that the work was launched on the thread's stream, so does what comes
  /// right behind it.
  bool is_on_unknown_stream(const StreamCall& wait, const Work& work) const {
    if (work.first_wait == kNoIndex || !calls_.calls[work.first_wait].is_open) return false;
    const std::uint32_t end = place_of(wait);
    if (end < work.launch || end - work.launch > kMostCallsOfOp) return false;
    for (std::uint32_t i = work.launch; i < end; ++i)
      if (is_launch(calls_.calls[i])) return false;
    return true;
  }

  /// DDP's reducer waits for its works in the order in which it launched them, outside every op of
  /// the backward thread. Where there are fewer waits than works of one stream, the n-th wait is
  /// at least for the n-th work.
  void add_reducer_waits() {
    std::vector<Work*> open_works;
    std::vector<StreamCall*> open_waits;
    for (StreamCall& call : thread_) {
      if (is_communication(call)) {
        if (!open_waits.empty()) pair_up(open_waits, open_works);
        open_works.push_back(&works_[work_of_launch_[calls_.place_of_call[call.call]]]);
      } else if (call.is_open && call.kind == CallKind::kStreamWaitEvent && is_outside(call)) {
        open_waits.push_back(&call);
      }
    }
    pair_up(open_waits, open_works);
  }

  void pair_up(std::vector<StreamCall*>& waits, std::vector<Work*>& works) {
    std::erase_if(works, [](const Work* work) { return work->is_waited_for; });
    const bool is_one_lane = std::all_of(works.begin(), works.end(), [&](const Work* work) {
      return lane_of(*work) == lane_of(*works.front());
    });
    const bool may_be_later = !is_certain_ && waits.size() < works.size() && is_one_lane;
    if (waits.size() == works.size() || may_be_later)
      for (std::size_t i = 0; i < waits.size(); ++i) propose_wait_for(*waits[i], *works[i]);
    waits.clear();
    works.clear();
  }

  /// Outside every op but annotations.
  bool is_outside(const StreamCall& call) const {
    return parent_of(call) == kNoIndex || !is_covered_[parent_of(call)];
  }

  LinkedTrace& linked_;
  StreamCalls& calls_;
  std::vector<bool> is_covered_;  // by op: it, or an op around it, is no annotation
  std::span<StreamCall> thread_;
  bool keeps_current_ = false, is_certain_ = true;
  std::vector<Proposal> proposals_;
  std::vector<std::size_t> switches_;          // waits after which another stream is current
  std::vector<Work> works_;                    // by number and time once all threads are seen
  std::vector<std::uint32_t> in_time_order_;   // into works_
  std::vector<std::uint32_t> work_of_launch_;  // by place in StreamCalls::calls
};

}  // namespace

void add_stream_waits(LinkedTrace& linked, StreamCalls& calls) {
  Patterns patterns(linked, calls);
  patterns.add_certain();
  if (streams_with_rows(linked) > 1) add_timed_stream_waits(linked, calls);
  patterns.add_least();
}

}  // namespace nadi
