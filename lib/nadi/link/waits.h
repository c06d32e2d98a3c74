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

/// A shorter wait may be a call that found all done, beside work that happened to end then.
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

  /// Returns all of them by time, then correlation (API order), their references to records kept
  /// right.
  ByRow<StreamAction> in_api_order() const;

 private:
  const RuntimeCalls& calls_;
  ByRow<StreamAction> actions_;
  ByRow<RuntimeCalls, std::uint8_t> blocks_;
};

/// Adds what the `cuda_sync` rows say (K16-K19), events resolved by the recorded correlation or by
/// the `cuda_event` rows. A stream's wait that records only the other stream is for all work of
/// that stream by the last event record before it, inferred. Returns linked.lanes with the lanes of
/// streams that ran no rows behind them.
ByRow<Lane> add_sync_row_waits(WaitList& waits, const LinkedTrace& linked, LaneTable& lanes,
                               const CallEffects& effects, Diagnostics& diagnostics);

/// Adds what calls imply by themselves: device-wide synchronisation, copies that block or wait
/// for their stream, and allocations inside which all rows of the device ended.
void add_implied_waits(WaitList& waits, const LinkedTrace& linked, const CallEffects& effects,
                       Diagnostics& diagnostics);

/// Adds guesses for copies whose device row is lost (K24): a call of over 20 us waited for the
/// stream for which alone the known copies of its name and thread have waited, if the last work of
/// that stream ended inside it, before its return by no more than one of those copies took.
void add_waits_of_lost_copies(WaitList& waits, const LinkedTrace& linked,
                              const CallEffects& effects, Diagnostics& diagnostics);

/// Adds guesses for waits of which the trace records only the call (K20), where unambiguous; marked
/// inferred. Marks every synchronisation with a stream or an event as blocking.
void add_inferred_waits(WaitList& waits, const LinkedTrace& linked, const CallEffects& effects,
                        Diagnostics& diagnostics);

/// Returns the calls of the given effects by start time.
std::vector<CallIndex> calls_in_time_order(const RuntimeCalls& calls, const CallEffects& effects,
                                           std::initializer_list<CallEffect> wanted);

}  // namespace nadi
