#include "nadi/converters/trace_need.h"

#include <algorithm>
#include <iterator>

namespace nadi {
namespace {

using enum TraceNeed;

struct NeedOfFinding {
  Finding kind;
  TraceNeed need;
};

/// Findings that are not in the table are about the recording.
constexpr NeedOfFinding kNeeds[] = {
    {Finding::kCallThreadAmbiguous, kLaunches},
    {Finding::kDeviceTraceRowsUnjoined, kWaits},
    {Finding::kGraphDependenciesContradict, kWaits},
    {Finding::kGraphDependenciesTooMany, kWaits},
    {Finding::kGraphDependencyAcrossLaunches, kWaits},
    {Finding::kGraphDependencyAmbiguous, kWaits},
    {Finding::kGraphDependencyUnmatched, kWaits},
    {Finding::kLaunchesWait, kWaits},
    {Finding::kSyncRowUnresolved, kWaits},
    {Finding::kSyncUnresolved, kWaits},
    {Finding::kWaitWithoutRecord, kWaits},
    {Finding::kWaitsForTooManyStreams, kWaits},
    {Finding::kCommSizeZero, kCommunication},
    {Finding::kCommunicationUnrecorded, kCommunication},
    {Finding::kPeerUnknown, kCommunication},
    {Finding::kProcessGroupsCut, kCommunication},
    {Finding::kSplitsUnknown, kCommunication},
    {Finding::kUnknownCollective, kCommunication},
    {Finding::kUnknownDtype, kCommunication},
    {Finding::kBackwardEdge, kTimes},
    {Finding::kClockCorrected, kTimes},
    {Finding::kClockForeign, kTimes},
    {Finding::kClockOutlier, kTimes},
    {Finding::kDamagedTime, kTimes},
    {Finding::kDamagedTimesKept, kTimes},
    {Finding::kDeviceRowsCut, kTimes},
    {Finding::kGarbageTime, kTimes},
    {Finding::kGarbageTimeOfRow, kTimes},
    {Finding::kPacketClockUnknown, kTimes},
    {Finding::kRowStartEstimated, kTimes},
    {Finding::kRowAgainstApiOrder, kTimes},
    {Finding::kUnrecordedWork, kTimes},
};

}  // namespace

std::string_view to_string(TraceNeed need) {
  constexpr std::string_view kNames[] = {"recording", "launches", "waits", "communication",
                                         "times"};
  static_assert(std::size(kNames) == std::size(kTraceNeeds));
  return kNames[static_cast<std::size_t>(need)];
}

TraceNeed need_of(Finding kind) {
  const auto* const found =
      std::find_if(std::begin(kNeeds), std::end(kNeeds),
                   [&](const NeedOfFinding& row) { return row.kind == kind; });
  return found == std::end(kNeeds) ? kRecording : found->need;
}

}  // namespace nadi
