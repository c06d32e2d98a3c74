// What each stream was given, and when that ran: what waits are found and inferred by.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "nadi/model/linked_trace.h"

namespace nadi {

/// The device rows of each stream in the order of their starts, in which they were given to it (API
/// order) and of their ends. Built once, when launches are known. Where a lane has no such row the
/// answer is no row.
class StreamTimeline {
 public:
  /// The trace's rows stay unchanged meanwhile.
  explicit StreamTimeline(const LinkedTrace& linked);

  /// The lanes with rows.
  std::vector<LaneIndex> streams;
  /// The row that starts right before, and right after, a row on its lane.
  ByRow<DeviceRows, DeviceRowIndex> row_before, row_after;

  /// Returns the last row, by its start, that a lane was given before the time.
  DeviceRowIndex last_given(LaneIndex lane, Ns before) const {
    return last_enqueued(in_start_order(lane), before);
  }
  /// When that row had ended; kNoTime where there is none.
  Ns last_given_done_ns(LaneIndex lane, Ns before) const {
    const DeviceRowIndex row = last_given(lane, before);
    return row ? end_[row] : kNoTime;
  }
  /// Returns the first row, by its start, that a lane was given at the time or later.
  DeviceRowIndex first_given(LaneIndex lane, Ns from) const;
  /// When its lane was given the row right after it; the latest time where there is none.
  Ns next_given_ns(DeviceRowIndex row) const {
    return row_after[row] ? linked_.rows.enqueue_ns[row_after[row]]
                          : std::numeric_limits<Ns>::max();
  }
  /// Returns the last row, in API order, that the thread launched before the time.
  DeviceRowIndex last_launched(LaneIndex thread, Ns before) const {
    return last_enqueued(in_api_order_[thread], before);
  }
  /// Returns the row that ends last of all that a lane was given before the time; of several the
  /// one given last.
  DeviceRowIndex last_to_end(LaneIndex lane, Ns before) const {
    const DeviceRowIndex last = last_enqueued(in_api_order_[lane], before);
    return last ? last_to_end_[last] : last;
  }
  /// When all that was given to streams before the time had ended; kNoTime where nothing was.
  Ns all_done_ns(Ns before) const {
    const DeviceRowIndex last = last_enqueued(linked_.rows_in_api_order, before);
    return last ? all_done_[last] : kNoTime;
  }
  /// Returns the lane's rows in start order, up to the last that ended by the time.
  std::span<const DeviceRowIndex> up_to_last_ended(LaneIndex lane, Ns by) const;
  /// Returns the rows of all lanes that ended after `after` and by `by`, in the order of their
  /// ends; none where there is one stream alone.
  std::span<const DeviceRowIndex> ended_within(Ns after, Ns by) const;

 private:
  using Rows = std::span<const DeviceRowIndex>;
  Rows in_start_order(LaneIndex lane) const;
  DeviceRowIndex last_enqueued(Rows rows, Ns before) const;

  const LinkedTrace& linked_;
  ByRow<Lane, std::vector<DeviceRowIndex>> in_api_order_;  // of a thread those that it launched
  std::vector<DeviceRowIndex> by_end_;
  ByRow<DeviceRows, Ns> end_;
  ByRow<DeviceRows, Ns> least_end_;                // of it and those that start later on its lane
  ByRow<DeviceRows, DeviceRowIndex> last_to_end_;  // of it and those given to its lane before
  ByRow<DeviceRows, Ns> all_done_;                 // of it and those given to any lane before
};

}  // namespace nadi
