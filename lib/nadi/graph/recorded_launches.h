// Answers what is recorded of the order of rows inside launches of CUDA graphs.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "nadi/model/linked_trace.h"

namespace nadi {

class RecordedLaunches {
 public:
  explicit RecordedLaunches(const LinkedTrace& linked);

  /// True where all that the row waits for inside its launch is recorded.
  bool has_order(DeviceRowIndex row) const {
    return !row_.empty() && linked_.rows.has_recorded_order[row] != 0;
  }
  /// True where the row waits for another row of its launch.
  bool has_source(DeviceRowIndex row) const { return has(row, kSource); }
  /// True where dependencies, one or a chain of them, put another row of its launch and lane before
  /// it, or after it.
  bool has_earlier_on_lane(DeviceRowIndex row) const { return has(row, kEarlierOnLane); }
  bool has_later_on_lane(DeviceRowIndex row) const { return has(row, kLaterOnLane); }

  /// Rows of a launch on other lanes than the stream it was launched on.
  struct OtherLanes {
    std::vector<DeviceRowIndex> first;  ///< rows that wait for no other of the launch
    std::vector<DeviceRowIndex> last;   ///< rows for which no other of the launch waits
  };
  /// Returns the rows that the row's launch has on other lanes, if the row stands on the stream
  /// that the graph was launched on; null = it stands on another lane, or that stream is unknown.
  /// The stream is the only lane with rows that wait for no other row of the launch; of several
  /// such lanes the only one that also runs rows outside of CUDA graphs.
  const OtherLanes* launched_here(DeviceRowIndex row) const;

 private:
  static constexpr std::uint8_t kSource = 1, kTarget = 2, kEarlierOnLane = 4, kLaterOnLane = 8;
  /// Id of the CUDA graph, and correlation of the launch.
  using Launch = std::pair<std::uint64_t, std::int64_t>;
  struct LaunchLanes {
    LaneIndex stream;
    OtherLanes others;
  };

  bool has(DeviceRowIndex row, std::uint8_t flag) const {
    return !row_.empty() && (row_[row] & flag) != 0;
  }
  Launch launch_of(DeviceRowIndex row) const {
    return {linked_.device.rows.graph_id[row], linked_.device.rows.correlation[row]};
  }
  void find_stream(const Launch& launch, const std::vector<DeviceRowIndex>& rows,
                   const ByRow<Lane, bool>& runs_more);
  void find_order_on_lanes(std::vector<DeviceRowIndex>& rows);
  LaneIndex stream_of(const std::vector<DeviceRowIndex>& rows,
                      const ByRow<Lane, bool>& runs_more) const;

  const LinkedTrace& linked_;
  ByRow<DeviceRows, std::uint8_t> row_;  // flags; empty = nothing is recorded
  /// By row, while launches are looked at: a bit for each lane of its launch that has a row before
  /// it, or after it.
  ByRow<DeviceRows, std::uint64_t> earlier_, later_;
  std::map<Launch, LaunchLanes> launches_;
};

}  // namespace nadi
