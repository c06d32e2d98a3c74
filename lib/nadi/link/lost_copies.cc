#include "nadi/link/lost_copies.h"

#include <algorithm>
#include <map>
#include <utility>

#include "nadi/link/inferred_waits.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// What is known of the copies that a thread makes by one call and that block.
struct BlockingCopies {
  LaneIndex lane;  ///< whose work the first of them waited for
  bool is_one_lane = true;
  std::size_t count = 0;
  Ns longest_ns = 0;  ///< from the begin of a row to the return of its call
};

/// By thread and name of the call. Guesses say nothing of other copies.
class BlockingCopiesOfCallers {
 public:
  BlockingCopiesOfCallers(const WaitList& waits, const LinkedTrace& linked) : linked_(linked) {
    for (const StreamAction& action : waits.actions()) {
      if (action.kind != StreamActionKind::kHostWaitRow || is_guess(action.inferred)) continue;
      if (linked.rows.launch[action.row] == action.call) take(action.call, action.row);
    }
  }

  /// Null where the copies of this caller wait for several streams, or few are known.
  const BlockingCopies* like(CallIndex call) const {
    const auto known = copies_.find(caller(call));
    if (known == copies_.end()) return nullptr;
    const BlockingCopies& copies = known->second;
    const ClassCounts counts{copies.count, 0, copies.is_one_lane ? 0U : 1U};
    return linked_.hypotheses.hold(Hypothesis::kLostCopyWaits, counts) ? &copies : nullptr;
  }

 private:
  std::pair<LaneIndex, StringId> caller(CallIndex call) const {
    return {linked_.calls.lane[call], linked_.device.calls.name[call]};
  }

  void take(CallIndex call, DeviceRowIndex row) {
    BlockingCopies& copies = copies_[caller(call)];
    const LaneIndex lane = linked_.rows.lane[row];
    if (copies.count++ == 0) copies.lane = lane;
    copies.is_one_lane = copies.is_one_lane && copies.lane == lane;
    copies.longest_ns = std::max(
        copies.longest_ns, call_end_ns(linked_.device.calls, call) - row_start_ns(linked_, row));
  }

  const LinkedTrace& linked_;
  std::map<std::pair<LaneIndex, StringId>, BlockingCopies> copies_;
};

/// True if the work ended inside the call no longer before its return than a copy takes.
bool has_held_up(const LinkedTrace& linked, DeviceRowIndex work, CallIndex call,
                 Ns longest_copy_ns) {
  const RuntimeCalls& calls = linked.device.calls;
  const Ns end = row_end_ns(linked, work), returned = call_end_ns(calls, call);
  return end - calls.start_ns[call] >= kLeastBlocked && end <= returned &&
         returned - end <= longest_copy_ns + kRowFollows;
}

}  // namespace

void add_waits_of_lost_copies(WaitList& waits, const LinkedTrace& linked,
                              const StreamTimeline& timeline, const CallEffects& effects,
                              Diagnostics& diagnostics) {
  const BlockingCopiesOfCallers known(waits, linked);
  const RuntimeCalls& calls = linked.device.calls;
  for (const CallIndex call :
       calls_in_time_order(calls, effects, {CallEffect::kCopyAndWait, CallEffect::kCopyMayWait})) {
    if (linked.calls.is_row_lost[call] == 0 || waits.is_blocking(call) ||
        calls.duration_ns[call] <= info(Hypothesis::kLostCopyWaits).evident_ns)
      continue;
    const BlockingCopies* copies = known.like(call);
    if (copies == nullptr) continue;
    const DeviceRowIndex work = timeline.last_to_end(copies->lane, calls.start_ns[call]);
    if (!work || !has_held_up(linked, work, call, copies->longest_ns)) continue;
    add_stream_sync(waits, call, copies->lane, info(Hypothesis::kLostCopyWaits).inferred);
    diagnostics.report(Finding::kLostCopyWaited, linked.strings[calls.name[call]]);
  }
}

}  // namespace nadi
