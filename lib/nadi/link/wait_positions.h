// Infers what streams waited for from what other waits of the same code are for.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "nadi/link/stream_calls.h"
#include "nadi/link/waits.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Code that lets one stream wait for another does so wherever it runs: what a wait is known to be
/// for, the waits at that position are for, first those in ops of the same path, then those of the
/// same code anywhere.
class WaitPositions {
 public:
  /// All but `waits` must stay unchanged meanwhile. records_waits: sync rows say of most waits
  /// which stream waits for which.
  WaitPositions(WaitList& waits, const LinkedTrace& linked, const StreamCalls& calls,
                bool records_waits)
      : waits_(waits), linked_(linked), calls_(calls), records_waits_(records_waits) {}

  /// Of a wait it is known which stream waits for which.
  void note(StreamCallIndex wait, LaneIndex source, LaneIndex waiting);
  /// … and for which row.
  void note_source(StreamCallIndex wait, DeviceRowIndex source) { source_of_[wait] = source; }
  /// Notes waits that stand, with the record that they are for, between a launch on one stream and
  /// the next launch on another, if the latter row never began before the former had ended,
  /// although it was launched earlier. open: as for add().
  void note_between_launches(std::span<const StreamCallIndex> open);
  /// How well the two streams fit to what is known of waits at that position: 2 if a wait there is
  /// for them, 1 if nothing is known, else 0.
  int fit(StreamCallIndex wait, LaneIndex source, LaneIndex waiting) const;
  /// Adds waits. open: those nothing is known of, or was when they were looked at first, in time
  /// order.
  void add(std::span<const StreamCallIndex> open);

 private:
  /// A source and what waits for it.
  using Lanes = std::pair<LaneIndex, LaneIndex>;
  using LanesAt = std::map<std::uint64_t, std::set<Lanes>>;
  using Waits = std::vector<StreamCallIndex>;
  /// What a wait of the class is for.
  struct Member {
    StreamCallIndex wait;
    DeviceRowIndex source, target;
  };

  /// The rows launched on the wait's thread right before and right behind it and its record; none
  /// where another wait stands between them.
  std::pair<DeviceRowIndex, DeviceRowIndex> launches_around(StreamCallIndex wait) const;
  bool keeps_current_stream(StreamCallIndex wait) const;
  template <class Fits>
  void add_at(const LanesAt& known, std::uint64_t StreamCall::*position,
              std::span<const StreamCallIndex> open, const Fits& fits);
  void add_behind_records(const Lanes& lanes, const Waits& waits);
  void add_in_turn(const Lanes& lanes, const Waits& waits);
  DeviceRowIndex next_of_name(DeviceRowIndex row) const;

  WaitList& waits_;
  const LinkedTrace& linked_;
  const StreamCalls& calls_;
  const bool records_waits_;
  LanesAt in_ops_, in_code_;  // by position_in_op and position_in_code
  std::map<StreamCallIndex, DeviceRowIndex> source_of_;
};

}  // namespace nadi
