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
/// for, the waits at that position are for, first those in ops of the same path, then, where sync
/// rows do not record most waits, those of the same code anywhere.
class WaitPositions {
 public:
  /// All but `waits` must stay unchanged meanwhile. records_waits: sync rows say of most waits
  /// which stream waits for which.
  WaitPositions(WaitList& waits, const LinkedTrace& linked, const StreamCalls& calls,
                bool records_waits)
      : waits_(waits), linked_(linked), calls_(calls), records_waits_(records_waits) {}

  /// Notes which stream a wait lets wait for which.
  void note(StreamCallIndex wait, LaneIndex source, LaneIndex waiting);
  /// Notes the row that a wait is for.
  void note_source(StreamCallIndex wait, DeviceRowIndex source) { source_of_[wait] = source; }
  /// Notes waits that stand, with the record right before them, between a launch on one stream and
  /// the next launch on another, if the latter row never began before the former had ended,
  /// although it had been launched long before. open: as for add().
  void note_between_launches(std::span<const StreamCallIndex> open);
  static constexpr int kBestFit = 2;
  /// How well the two streams fit what is known of waits at that position in ops of the same path:
  /// kBestFit if a wait there is for them, 1 if nothing is known, else 0.
  int fit(StreamCallIndex wait, LaneIndex source, LaneIndex waiting) const;
  /// Adds waits. open: those that were open at first, in time order; some may be closed since.
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
  void find_next_of_name();

  WaitList& waits_;
  const LinkedTrace& linked_;
  const StreamCalls& calls_;
  const bool records_waits_;
  LanesAt in_ops_, in_code_;  // by position_in_op and position_in_code
  std::map<StreamCallIndex, DeviceRowIndex> source_of_;
  /// The next row of that name on its lane.
  ByRow<DeviceRows, DeviceRowIndex> next_of_name_;
};

}  // namespace nadi
