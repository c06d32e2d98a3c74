// Brings the clocks of a job's hosts together: by what the files record, and where communication
// contradicts that, by communication (K22).
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nadi/base/index.h"
#include "nadi/base/time.h"
#include "nadi/model/graph.h"

namespace nadi {

/// Stamps of one clock differ from true times by less than this, also where all are whole
/// microseconds.
inline constexpr Ns kClockResolution = 2 * kNsPerMicro;

/// The order of starts and ends that a communication implies.
enum class CommOrder : std::uint8_t {
  kAllBeforeAny,          ///< nobody ends before everybody has started
  kSourceBeforeReceiver,  ///< the second kernel does not end before the first has started
  kNone,                  ///< no more is known: the root of a broadcast may leave early
};

/// One rank's part in a communication, in the times of its own graph.
struct Attendance {
  std::uint32_t rank = 0;  ///< index of the rank's graph
  Ns start_ns = 0, end_ns = 0;
};

/// A communication of two ranks or more.
struct CommonTimes {
  CommOrder order = CommOrder::kAllBeforeAny;
  std::vector<Attendance> members;
};

/// Maps the times of a rank's graph to those of the job.
struct RankClock {
  Ns shift_ns = 0;
  double drift = 0;  ///< ns per ns: by how much the rank's clock is slow, from its time 0 on

  Ns job_ns(Ns own) const {
    return drift == 0 ? own + shift_ns
                      : own + shift_ns + std::llround(drift * static_cast<double>(own));
  }
};

/// The evidence that brought the clocks of the ranks together.
enum class ClockSource : std::uint8_t {
  kOneRank,
  kBaseTime,       ///< `base_time_ns` of every file
  kCommunication,  ///< not recorded: the ends of what ranks communicate
  kContradicted,   ///< recorded, but kernels would end before others start: as kCommunication
  kNoTimes         ///< nothing was measured: no clock is moved
};
/// As reports name it.
const char* to_string(ClockSource source);

struct HostClocks {
  std::vector<RankClock> clocks;  ///< by rank; the smallest shift is 0
  ClockSource source = ClockSource::kOneRank;
  std::size_t first_contradiction = kNoIndex;  ///< into the communications; kNoIndex = none
  std::uint64_t corrected = 0;                 ///< ranks that were moved against the recorded times
  std::uint64_t contradicting = 0;             ///< communications that contradict the clocks found
};

/// `base_time_ns` of each graph: the time of its 0.
std::vector<std::optional<Ns>> base_times(std::span<const Graph> graphs);

/// Returns the clocks that the base times give; nothing where one is not recorded, or they are no
/// times of one job.
std::optional<std::vector<RankClock>> recorded_clocks(
    const std::vector<std::optional<Ns>>& base_ns);

/// Aligns the ranks' clocks. If the base times contradict no communication by more than the
/// resolution, they stay. Else the clocks are settled rank by rank; the next rank is the one that
/// shares most communications with the ranks before it. A recorded clock stays if none of these
/// contradicts it. Otherwise the clock is moved by the median difference of the ends of these
/// communications, which are one moment (K22), and by a drift of at most 1,000 ppm where that
/// halves the error or contradicts fewer communications. If the moved clock contradicts no fewer of
/// them than the recorded one, the recorded one stays. A rank that shares nothing keeps its clock.
/// O(n log n).
HostClocks align_host_clocks(const std::vector<std::optional<Ns>>& base_ns,
                             const std::vector<CommonTimes>& communications);

}  // namespace nadi
