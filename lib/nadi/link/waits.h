// Finds what waited for what: waits of streams and of the host, from sync rows, event rows, or
// runtime calls.
#pragma once

#include <initializer_list>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/link/call_names.h"
#include "nadi/link/lanes.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Work that ended sooner after the begin of a call does not show that the call waited for it: the
/// call may have found all done, while that work happened to end.
inline constexpr Ns kLeastBlocked = 5'000;
/// A copy or a launch whose call takes longer may have waited inside it.
inline constexpr Ns kLongCall = 20'000;

/// The waits found so far: each stage adds to them, and leaves alone what those before it found.
class WaitList {
 public:
  /// The calls must outlive the list.
  explicit WaitList(const RuntimeCalls& calls) : calls_(calls), blocks_(calls.size(), 0) {}

  /// In the order in which they were added; records are referred to by their index here.
  const ByRow<StreamAction>& actions() const { return actions_; }
  /// True once some wait made the call a blocking one.
  bool is_blocking(CallIndex call) const { return blocks_[call] != 0; }

  StreamActionIndex add(const StreamAction& action);
  /// Adds a wait of the host in the call, which blocks.
  void add_host_wait(StreamAction wait, CallIndex call);
  /// Marks the call as one that blocks, whether or not it is known for what.
  void mark_blocking(CallIndex call) { blocks_[call] = 1; }

  /// Returns all actions in API order: by time, then by correlation. References to records are
  /// those of the new order.
  ByRow<StreamAction> in_api_order() const;

 private:
  const RuntimeCalls& calls_;
  ByRow<StreamAction> actions_;
  ByRow<RuntimeCalls, std::uint8_t> blocks_;
};

/// Adds the waits that `cuda_sync` rows record (K16-K19). The event record that a wait is for is
/// found by the correlation that the row names, else by the `cuda_event` rows. Where a stream's
/// wait names the other stream only, it is inferred to be for all work that this stream had been
/// given by the last event record before the wait. Returns linked.lanes; lanes of streams that ran
/// no rows are added behind the others.
ByRow<Lane> add_sync_row_waits(WaitList& waits, const LinkedTrace& linked, LaneTable& lanes,
                               const CallEffects& effects, Diagnostics& diagnostics);

/// Adds the waits that calls imply by themselves: of device-wide synchronisations, of copies that
/// block or wait for their stream, of launches that find the queue full, and of allocations during
/// which the last of all pending rows ended.
void add_implied_waits(WaitList& waits, const LinkedTrace& linked, const CallEffects& effects,
                       Diagnostics& diagnostics);

/// Adds guesses for copies whose device row is lost (K24). The known copies that the same thread
/// made by calls of the same name must all have waited for one stream. A call of over 20 us waited
/// for that stream, too, if the last work of the stream ended inside the call, and no longer before
/// its return than the longest of the known copies took.
void add_waits_of_lost_copies(WaitList& waits, const LinkedTrace& linked,
                              const CallEffects& effects, Diagnostics& diagnostics);

/// Adds guesses, marked as inferred, for waits of which the trace records only the call (K20),
/// where there is one answer alone. Marks every synchronisation with a stream or an event as
/// blocking.
void add_inferred_waits(WaitList& waits, const LinkedTrace& linked, const CallEffects& effects,
                        Diagnostics& diagnostics);

/// Returns the calls of the given effects by start time.
std::vector<CallIndex> calls_in_time_order(const RuntimeCalls& calls, const CallEffects& effects,
                                           std::initializer_list<CallEffect> wanted);

}  // namespace nadi
