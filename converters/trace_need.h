// What a graph needs of a pair of traces, and which need a finding is about.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "nadi/base/finding.h"

namespace nadi {

/// What a graph needs of the traces, each a line of `nadi doctor`.
enum class TraceNeed : std::uint8_t {
  kRecording,      ///< the ops and rows of one run, whole
  kLaunches,       ///< of each device row
  kWaits,          ///< what threads and streams wait for
  kCommunication,  ///< kind, size and members
  kTimes,          ///< that can be true
};
inline constexpr std::array kTraceNeeds = {TraceNeed::kRecording, TraceNeed::kLaunches,
                                           TraceNeed::kWaits, TraceNeed::kCommunication,
                                           TraceNeed::kTimes};
std::string_view to_string(TraceNeed need);  ///< "recording"

/// What suffers where a conversion finds this: kRecording for all that is not about another need.
TraceNeed need_of(Finding kind);

}  // namespace nadi
