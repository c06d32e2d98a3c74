// Lanes of the linked trace: host threads with torch's thread ids where known, device streams.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "nadi/link/match.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Finds lanes by what the traces call them.
struct LaneTable {
  ByRow<ProfilerThread, LaneIndex> of_thread;                            ///< of the device trace
  std::map<std::uint64_t, LaneIndex> of_logical_tid;                     ///< by torch's logical tid
  std::map<std::pair<std::int64_t, std::int64_t>, LaneIndex> of_stream;  ///< by (device, stream)

  /// The lane of (device, stream), added to lanes if new.
  LaneIndex stream_lane(ByRow<Lane>& lanes, std::int64_t device, std::int64_t stream);
};

/// Makes the lanes of all streams that rows ran on, by device and stream, whatever the order of the
/// rows: the linked JSON has another one, and gives them the same numbers.
void make_stream_lanes(LinkedTrace& linked, LaneTable& lanes);

/// Makes the host lanes of linked.lanes: every profiler thread that ran ops or calls, then every
/// logical thread that only the host trace knows. The logical tid of a profiler thread is the one
/// most of its matched ops carry (K15).
LaneTable make_host_lanes(LinkedTrace& linked, const OpMatch& match);

}  // namespace nadi
