#include <algorithm>
#include <span>

#include "nadi/link/report_at.h"
#include "nadi/link/waits.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// How soon after the work it waited for a call returns.
constexpr Ns kCallReturns = 20'000;
/// A usual gap is known from so many; what is usual differs from it by a part of it.
constexpr std::size_t kLeastToldGaps = 4;
constexpr Ns kToldGapParts = 20;

/// Guesses for K20, one pass in API order. A host wait is guessed where exactly one lane's work
/// ended inside the call, shortly before it returned; or, of an event, long before it returned
/// (K28), where the thread recorded one behind that very work since its last launch. A stream wait
/// is guessed where the next row of the waiting stream started right after work that ended later
/// than anything else it waited for, and only one lane had such work at the time of the record; or
/// where only one other lane has any work.
class InferredWaits {
 public:
  InferredWaits(LinkedTrace& linked, const std::vector<CallKind>& kinds)
      : linked_(linked),
        kinds_(kinds),
        rows_(linked.rows.in_api_order),
        lane_rows_(linked.rows.by_lane),
        tail_(linked.lanes.size(), kNoIndex),
        thread_lane_(linked.lanes.size()),
        record_of_thread_(linked.lanes.size()) {
    find_next_launches();
  }

  void run(Diagnostics& diagnostics) {
    find_told_stream_waits();
    std::size_t next_row = 0;
    for (std::uint32_t call : ordered_calls_) {
      const Ns time = linked_.device.calls.start_ns[call];
      for (; next_row < rows_.size() && enqueue_ns(linked_, rows_[next_row]) < time; ++next_row)
        enqueue(rows_[next_row]);
      const bool blocks = is_blocking(linked_, call);
      bool is_resolved = true;
      switch (kinds_[call]) {
        case CallKind::kEventRecord:
          note_record(call);
          break;
        case CallKind::kSyncStream:
          is_resolved = blocks || guess_stream_sync(call);
          break;
        case CallKind::kSyncEvent:
          is_resolved = blocks || guess_event_sync(call, diagnostics);
          break;
        case CallKind::kStreamWaitEvent:
          is_resolved = is_told_[call] || guess_stream_wait(call) || tells_stream_waits_;
          break;
        default:
          break;
      }
      // A call that blocks is a node even where nobody knows for what: all of it is work then.
      if (kinds_[call] == CallKind::kSyncStream || kinds_[call] == CallKind::kSyncEvent)
        mark_blocking(linked_, call);
      if (!is_resolved)
        report_at(diagnostics, "sync-unresolved", linked_,
                  linked_.strings[linked_.device.calls.name[call]], time,
                  linked_.device.calls.correlation[call]);
    }
  }

 private:
  struct Gaps {
    Ns least, most;
  };
  struct Record {
    std::uint32_t call = kNoIndex;
    LaneIndex launched_on;             ///< where the thread launched last; none = nowhere yet
    std::vector<std::uint32_t> tails;  ///< by lane: row that ends last of those enqueued before it
  };

  Ns end_of(std::uint32_t row) const { return row_end_ns(linked_, row); }
  Ns call_end(std::uint32_t call) const {
    return linked_.device.calls.start_ns[call] + linked_.device.calls.duration_ns[call];
  }
  LaneIndex thread_of(std::uint32_t call) const { return linked_.calls.lane[call]; }

  void find_next_launches() {
    ordered_calls_ = calls_in_time_order(linked_.device.calls, kinds_,
                                         {CallKind::kSyncStream, CallKind::kSyncEvent,
                                          CallKind::kEventRecord, CallKind::kStreamWaitEvent});
    next_launch_.assign(kinds_.size(), kNoIndex);
    std::vector<std::uint32_t> next(linked_.lanes.size(), kNoIndex);  // by thread: row
    std::size_t row = rows_.size();
    for (auto call = ordered_calls_.rbegin(); call != ordered_calls_.rend(); ++call) {
      const Ns time = linked_.device.calls.start_ns[*call];
      for (; row > 0 && enqueue_ns(linked_, rows_[row - 1]) >= time; --row)
        if (const LaneIndex thread = linked_.rows.launch_lane[rows_[row - 1]])
          next[thread.value] = rows_[row - 1];
      next_launch_[*call] = next[thread_of(*call).value];
      // Beyond a record or a host wait the stream that is current may be another.
      if (kinds_[*call] != CallKind::kStreamWaitEvent) next[thread_of(*call).value] = kNoIndex;
    }
  }

  /// Where sync rows tell most waits of streams, they also tell how soon a row starts that waited;
  /// a wait whose sync row is lost is guessed for work that ended as long before (K24).
  void find_told_stream_waits() {
    is_told_.assign(kinds_.size(), false);
    std::vector<Ns> gaps;
    for (const StreamAction& action : linked_.actions) {
      if (action.kind != StreamActionKind::kStreamWaitEvent) continue;
      if (action.call) is_told_[action.call.value] = true;
      if (const Ns gap = gap_after(action); gap != kNoTime) gaps.push_back(gap);
    }
    const auto& kinds = linked_.device.syncs.kind;
    tells_stream_waits_ =
        std::find(kinds.begin(), kinds.end(), SyncKind::kStreamWaitEvent) != kinds.end();
    if (tells_stream_waits_) row_follows_ = usual_gaps(std::move(gaps));
  }

  static Gaps usual_gaps(std::vector<Ns> gaps) {
    if (gaps.size() < kLeastToldGaps) return {kNoTime, kNoTime};
    const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
    std::nth_element(gaps.begin(), middle, gaps.end());
    return {*middle - *middle / kToldGapParts, *middle + *middle / kToldGapParts};
  }

  /// None of a lane that only sync rows name.
  std::span<const std::uint32_t> rows_of(LaneIndex lane) const {
    if (lane.value >= lane_rows_.size()) return {};
    return lane_rows_[lane.value];
  }

  /// From the end of the work a told wait was for to the start of the row that waited; kNoTime
  /// where it is not alone what held that row up.
  Ns gap_after(const StreamAction& wait) const {
    const StreamAction& record = linked_.actions[wait.record];
    const std::span<const std::uint32_t> waiting = rows_of(wait.lane),
                                         recorded = rows_of(record.lane);
    const std::size_t next = enqueued_before(waiting, wait.time_ns);
    const std::size_t done = enqueued_before(recorded, record.time_ns);
    if (next == waiting.size() || done == 0) return kNoTime;
    Ns explained = enqueue_ns(linked_, waiting[next]);
    if (next > 0) explained = std::max(explained, end_of(waiting[next - 1]));
    const Ns end = end_of(recorded[done - 1]);
    const Ns gap = row_start_ns(linked_, waiting[next]) - end;
    return end > explained && gap >= 0 && gap <= kRowFollows ? gap : kNoTime;
  }

  /// How many rows of a lane were enqueued before the time.
  std::size_t enqueued_before(std::span<const std::uint32_t> rows, Ns time) const {
    return static_cast<std::size_t>(
        std::partition_point(rows.begin(), rows.end(),
                             [&](std::uint32_t row) { return enqueue_ns(linked_, row) < time; }) -
        rows.begin());
  }

  void enqueue(std::uint32_t row) {
    std::uint32_t& tail = tail_[linked_.rows.lane[row].value];
    if (tail == kNoIndex || end_of(row) >= end_of(tail)) tail = row;
    if (const LaneIndex thread = linked_.rows.launch_lane[row]) {
      thread_lane_[thread.value] = linked_.rows.lane[row];
      record_of_thread_[thread.value].call = kNoIndex;
    }
  }

  void note_record(std::uint32_t call) {
    record_times_.push_back(linked_.device.calls.start_ns[call]);
    const std::uint32_t thread = thread_of(call).value;
    latest_record_ = {call, thread_lane_[thread], tail_};
    record_of_thread_[thread] = latest_record_;
  }

  bool ended_inside(std::uint32_t row, std::uint32_t call) const {
    return end_of(row) > linked_.device.calls.start_ns[call] && end_of(row) <= call_end(call);
  }

  /// The one lane whose enqueued work ended inside the call.
  bool guess_stream_sync(std::uint32_t call) {
    std::uint32_t found = kNoIndex;
    for (std::uint32_t tail : tail_) {
      if (tail == kNoIndex || !ended_inside(tail, call)) continue;
      if (found != kNoIndex) return false;
      found = tail;
    }
    return add_host_guess(call, found);
  }

  /// The one lane with a row that ended inside the call and was the last before a record.
  bool guess_event_sync(std::uint32_t call, Diagnostics& diagnostics) {
    const LaneRow recorded = lane_row_ended_inside(
        call, [&](const auto& rows, std::size_t place) { return is_recorded(rows, place, call); });
    if (!recorded.is_only_one) return false;
    if (add_host_guess(call, recorded.row)) return true;
    return guess_late_return(call, diagnostics);
  }

  /// A call that waits for an interrupt returns long after its work has ended (K28): that work is
  /// what the thread recorded an event behind, if no other lane's work ended inside the call.
  bool guess_late_return(std::uint32_t call, Diagnostics& diagnostics) {
    const Record& record = record_of_thread_[thread_of(call).value];
    if (record.call == kNoIndex || !record.launched_on) return false;
    const LaneRow ended =
        lane_row_ended_inside(call, [](const auto&, std::size_t) { return true; });
    const std::uint32_t row = record.tails[record.launched_on.value];
    if (!ended.is_only_one || ended.row == kNoIndex || ended.row != row) return false;
    if (!has_blocked(call, row)) return false;
    add_host_wait_for(call, row);
    diagnostics.report("late-returns-inferred", Severity::kInfo,
                       linked_.strings[linked_.device.calls.name[call]]);
    return true;
  }

  /// Of the lanes with rows that were enqueued before the call, ended inside it and are accepted.
  struct LaneRow {
    std::uint32_t row = kNoIndex;  ///< the last of them on the first such lane; kNoIndex = none
    bool is_only_one = true;       ///< no other lane has such rows
  };
  /// accepts(rows of the lane, place in them).
  template <class Accepts>
  LaneRow lane_row_ended_inside(std::uint32_t call, const Accepts& accepts) const {
    LaneRow found;
    for (const auto& rows : lane_rows_) {
      const std::uint32_t row = last_ended_inside(rows, call, accepts);
      if (row == kNoIndex) continue;
      if (found.row != kNoIndex) return {found.row, false};
      found.row = row;
    }
    return found;
  }

  template <class Accepts>
  std::uint32_t last_ended_inside(const std::vector<std::uint32_t>& rows, std::uint32_t call,
                                  const Accepts& accepts) const {
    const Ns begin = linked_.device.calls.start_ns[call];
    const auto after = std::partition_point(rows.begin(), rows.end(), [&](std::uint32_t row) {
      return row_start_ns(linked_, row) < call_end(call);
    });
    for (auto place = static_cast<std::size_t>(after - rows.begin()); place-- > 0;) {
      const std::uint32_t row = rows[place];
      if (end_of(row) <= begin) return kNoIndex;
      if (end_of(row) <= call_end(call) && enqueue_ns(linked_, row) < begin && accepts(rows, place))
        return row;
    }
    return kNoIndex;
  }

  /// True where some thread recorded an event before the call and before the lane's next row.
  bool is_recorded(const std::vector<std::uint32_t>& rows, std::size_t place,
                   std::uint32_t call) const {
    const Ns begin = linked_.device.calls.start_ns[call];
    const Ns next =
        place + 1 == rows.size() ? begin : std::min(begin, enqueue_ns(linked_, rows[place + 1]));
    const auto record = std::upper_bound(record_times_.begin(), record_times_.end(),
                                         enqueue_ns(linked_, rows[place]));
    return record != record_times_.end() && *record <= next;
  }

  /// A call that found nothing to wait for is no puzzle if it returned at once.
  bool nothing_pending(std::uint32_t call) const {
    const Ns begin = linked_.device.calls.start_ns[call];
    return std::none_of(tail_.begin(), tail_.end(), [&](std::uint32_t tail) {
      return tail != kNoIndex && end_of(tail) > begin;
    });
  }

  bool add_host_guess(std::uint32_t call, std::uint32_t row) {
    if (row == kNoIndex) return nothing_pending(call);
    if (!has_blocked(call, row) || call_end(call) - end_of(row) > kCallReturns) return false;
    add_host_wait_for(call, row);
    return true;
  }

  bool has_blocked(std::uint32_t call, std::uint32_t row) const {
    return end_of(row) - linked_.device.calls.start_ns[call] >= kLeastBlocked;
  }

  void add_host_wait_for(std::uint32_t call, std::uint32_t row) {
    StreamAction wait;
    wait.kind = StreamActionKind::kHostWaitRow;
    wait.inferred = true;
    wait.row = DeviceRowIndex(row);
    add_host_wait(linked_, wait, call);
  }

  bool guess_stream_wait(std::uint32_t call) {
    const std::uint32_t target = next_launch_[call];
    const Record& adjacent = record_of_thread_[thread_of(call).value];
    const bool is_adjacent = adjacent.call != kNoIndex;
    const Record& record = is_adjacent ? adjacent : latest_record_;
    if (target == kNoIndex || record.call == kNoIndex) return false;
    const std::uint32_t lane = lane_waited_for(record, target, is_adjacent);
    if (lane == kNoIndex) return false;
    add_stream_wait(call, linked_.rows.lane[target], record.call, LaneIndex(lane));
    return true;
  }

  /// The lane whose work at the time of the record held up the target row; kNoIndex = several could
  /// have, or none.
  std::uint32_t lane_waited_for(const Record& record, std::uint32_t target,
                                bool is_adjacent) const {
    const std::uint32_t own = linked_.rows.lane[target].value;
    const Ns start = row_start_ns(linked_, target);
    Ns explained = enqueue_ns(linked_, target);
    if (tail_[own] != kNoIndex) explained = std::max(explained, end_of(tail_[own]));
    std::uint32_t binding = kNoIndex, other = kNoIndex;
    int bindings = 0, others = 0;
    for (std::uint32_t lane = 0; lane < record.tails.size(); ++lane) {
      if (lane == own || record.tails[lane] == kNoIndex) continue;
      const Ns end = end_of(record.tails[lane]);
      ++others;
      other = lane;
      if (end <= explained || start - end < row_follows_.least || start - end > row_follows_.most)
        continue;
      ++bindings;
      binding = lane;
    }
    if (bindings == 1) return binding;
    if (tells_stream_waits_) return kNoIndex;
    const bool is_only_one = bindings == 0 && others == 1 && is_adjacent &&
                             record.launched_on.value == other &&
                             end_of(record.tails[other]) <= start;
    return is_only_one ? other : kNoIndex;
  }

  void add_stream_wait(std::uint32_t call, LaneIndex waiting, std::uint32_t record_call,
                       LaneIndex recorded_lane) {
    const Calls& calls = linked_.device.calls;
    StreamAction recorded;
    recorded.kind = StreamActionKind::kEventRecord;
    recorded.inferred = true;
    recorded.call = CallIndex(record_call);
    recorded.time_ns = calls.start_ns[record_call];
    recorded.correlation = calls.correlation[record_call];
    recorded.lane = recorded_lane;
    StreamAction wait = recorded;
    wait.kind = StreamActionKind::kStreamWaitEvent;
    wait.call = CallIndex(call);
    wait.time_ns = calls.start_ns[call];
    wait.correlation = calls.correlation[call];
    wait.lane = waiting;
    wait.record = static_cast<std::uint32_t>(linked_.actions.size());
    linked_.actions.push_back(recorded);
    linked_.actions.push_back(wait);
  }

  LinkedTrace& linked_;
  const std::vector<CallKind>& kinds_;
  const std::vector<std::uint32_t>& rows_;                    // API order
  const std::vector<std::vector<std::uint32_t>>& lane_rows_;  // start order
  std::vector<std::uint32_t> ordered_calls_;
  std::vector<std::uint32_t> next_launch_;  // by call: row its thread launches next
  std::vector<std::uint32_t> tail_;         // by device lane: enqueued row that ends last
  std::vector<LaneIndex> thread_lane_;      // by thread: device lane it launched on last
  std::vector<Record> record_of_thread_;    // since the thread's last launch; else call = kNoIndex
  Record latest_record_;                    // of any thread
  std::vector<Ns> record_times_;
  std::vector<bool> is_told_;         // by call: its sync row tells which stream waited for what
  bool tells_stream_waits_ = false;   // some sync row does
  Gaps row_follows_{0, kRowFollows};  // from the end of work to the start of a row that waited
};

}  // namespace

void add_inferred_waits(LinkedTrace& linked, const std::vector<CallKind>& kinds,
                        Diagnostics& diagnostics) {
  InferredWaits(linked, kinds).run(diagnostics);
}

}  // namespace nadi
