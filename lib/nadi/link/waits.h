// What waited for what: the list of waits of streams and of the host that the stages of linking
// add to.
#pragma once

#include "nadi/model/linked_trace.h"

namespace nadi {

/// Work that ended sooner after the begin of a call does not show that the call waited for it: the
/// call may have found all done, while that work happened to end.
inline constexpr Ns kLeastBlocked = 5'000;

/// The waits found so far: each stage adds to them, and leaves alone what those before it found.
class WaitList {
 public:
  /// The calls must outlive the list.
  explicit WaitList(const RuntimeCalls& calls)
      : calls_(calls),
        blocks_(calls.size(), 0),
        is_settled_(calls.size(), false),
        is_open_(calls.size(), false) {}

  /// In the order in which they were added; records are referred to by their index here.
  const ByRow<StreamAction>& actions() const { return actions_; }
  /// True once some wait made the call a blocking one.
  bool is_blocking(CallIndex call) const { return blocks_[call] != 0; }

  StreamActionIndex add(const StreamAction& action);
  /// Adds a wait of the host in the call, which blocks.
  void add_host_wait(StreamAction wait, CallIndex call);
  /// Adds a wait of the host for the end of the row, in the call.
  void add_row_wait(CallIndex call, DeviceRowIndex row, Inference inferred);
  /// Marks the call as one that blocks, whether or not it is known for what.
  void mark_blocking(CallIndex call) { blocks_[call] = 1; }
  /// Marks the call as one of whose waits nothing is left to find.
  void settle(CallIndex call) { is_settled_[call] = true; }
  bool is_settled(CallIndex call) const { return is_settled_[call]; }
  /// Marks the call as a wait for what nothing records or explains so far.
  void open(CallIndex call) { is_open_[call] = true; }
  /// Marks what the call waited for as known, or as of no matter.
  void close(CallIndex call) { is_open_[call] = false; }
  bool is_open(CallIndex call) const { return is_open_[call]; }

  /// Returns all actions in API order: by time, then by correlation. References to records are
  /// those of the new order.
  ByRow<StreamAction> in_api_order() const;

 private:
  const RuntimeCalls& calls_;
  ByRow<StreamAction> actions_;
  ByRow<RuntimeCalls, std::uint8_t> blocks_;
  ByRow<RuntimeCalls, bool> is_settled_;
  ByRow<RuntimeCalls, bool> is_open_;
};

}  // namespace nadi
