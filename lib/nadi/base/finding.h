// The kinds of findings: every one that nadi reports, how bad it is, what it means and what to do.
// `nadi help findings` prints the table, and schema/findings.md is what that prints.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace nadi {

enum class Severity : std::uint8_t {
  kInfo,     ///< worth knowing; nothing is wrong
  kWarning,  ///< a guess was made or something looks odd; no data was lost
  kLoss,     ///< data was lost or repaired; --strict turns it into an error
};
std::string_view to_string(Severity severity);

/// What was found, in the order of the names. Two have one name where the severity says which case
/// it is.
enum class Finding : std::uint8_t {
  kAbsentRanksCopied,
  kAbsentRanksDropped,
  kAllGatherRaised,
  kAllToAllInTwoGroups,
  kAllocationWaited,
  kAnotherProcess,
  kArchiveEndedEarly,
  kAttributeOfAnotherType,
  kBackwardEdge,
  kBarrierReplaced,
  kBaseTimeUnknown,
  kBrokenJsonRepaired,
  kBrokenJsonSkipped,
  kBrokenLogLine,
  kBrokenPacket,
  kCallPathsCut,
  kCallThreadAmbiguous,
  kCallThreadRepaired,
  kCallbackBeforeIssue,
  kClockCorrected,
  kClockForeign,
  kClockOutlierOfRanks,
  kClockOutlier,
  kClocksContradict,
  kCollectiveMapped,
  kCollectiveReplayed,
  kCollectiveWithoutBytes,
  kCommSizeZero,
  kCommunicationReplayed,
  kCommunicationRestored,
  kCommunicationUnmatched,
  kCommunicationUnrecorded,
  kCopyNotOffloaded,
  kCopyOffloaded,
  kCorrelationRepaired,
  kDamagedTime,
  kDamagedTimesKept,
  kDeviceOpsOutsideTheHostTrace,
  kDeviceRowRecordedTwice,
  kDeviceRowsCut,
  kDeviceRowsMissing,
  kDeviceTraceRowsUnjoined,
  kDeviceUnknown,
  kDevicesDiffer,
  kDocumentUnread,
  kDocumentsJoined,
  kEdgesFromOtherSteps,
  kEmptyRankFilled,
  kEndNodeAdded,
  kEventOfOtherContext,
  kExchangeLeftOut,
  kFileIgnored,
  kFullQueueWaited,
  kGapFilledOps,
  kGarbageTime,
  kGarbageTimeOfRow,
  kGraphDependenciesContradict,
  kGraphDependenciesTooMany,
  kGraphDependencyAcrossLaunches,
  kGraphDependencyAmbiguous,
  kGraphDependencyUnmatched,
  kGroupFileName,
  kGroupGuessed,
  kHostDelay,
  kHostOpsOutsideTheDeviceTrace,
  kHostOpsOutsideTheSegment,
  kHostThreadNotProfiled,
  kHostTraceWithoutOps,
  kIdleNpusAdded,
  kIdleRankAdded,
  kInternedTextMissing,
  kIoTextNotJson,
  kIssuedTwice,
  kIterationsFound,
  kLanesShareCpu,
  kLateReturnsInferred,
  kLaunchesWait,
  kLinkedWaitDropped,
  kLongerThanAsked,
  kLostCopyWaited,
  kManyGroups,
  kMatchOptionsUnused,
  kMatchedThreads,
  kMemberRefused,
  kMemoryNodeReplayed,
  kMessageDropped,
  kMessageToItselfDropped,
  kMessageWithoutPartnerDropped,
  kMetadataDropped,
  kNoEvents,
  kNoIterations,
  kNodeWithoutId,
  kNodesLeftOut,
  kNothingMatched,
  kNpuBeyond,
  kNpuMissing,
  kObserverNotStopped,
  kOneMemberGroupDropped,
  kOneRank,
  kOperationsCapped,
  kOperationsFromShapes,
  kOperationsFromTime,
  kOpsOfOtherIterations,
  kOverlap,
  kOversizedEvent,
  kOversizedLine,
  kPacketClockUnknown,
  kPeerUnknown,
  kPerfettoTraceLacksFacts,
  kProcessGroupsCut,
  kProcessGuessed,
  kProcessLeftOut,
  kProfilerOnlyOps,
  kRanksApart,
  kRanksDiffer,
  kRecordStreamInferred,
  kRecordedWaitUnresolved,
  kRowAgainstApiOrder,
  kRowStartEstimated,
  kRowsOutsideIterations,
  kRowsWithoutCategory,
  kSamplesDiffer,
  kSeveralProcesses,
  kSizeRaised,
  kSliceUnmatched,
  kSlotShared,
  kSplitsUnknown,
  kSurplusWords,
  kSyncRowUnresolved,
  kSyncUnresolved,
  kTensorTypeUnknown,
  kTooManyColumns,
  kTraceUnread,
  kTraceWithoutDeviceRows,
  kTruncatedInput,
  kUnevenCollective,
  kUnfinishedNode,
  kUnknownCategory,
  kUnknownCollective,
  kUnknownDtype,
  kUnknownSchema,
  kUnknownSync,
  kUnlaunchedAnchored,
  kUnlaunchedRows,
  kUnmatchedCallback,
  kUnrecordedWork,
  kUntimedOps,
  kWaitWithoutCall,
  kWaitWithoutRecord,
  kWaitsForTooManyStreams,
  kWindowLacksRank,
  kWindowPassedOver,
};

struct FindingInfo {
  Finding kind;
  std::string_view name;  ///< stable, kebab-case: "sync-unresolved"
  Severity severity;
  std::string_view meaning;  ///< one sentence: what was found, and what was made of it
  std::string_view remedy;   ///< one sentence: what to do; empty = nothing
};

/// One row each, in the order of the enumeration.
std::span<const FindingInfo> all_findings();

std::string_view to_string(Finding kind);  ///< its name
Severity severity_of(Finding kind);

}  // namespace nadi
