// The rules of `nadi check`: whose demand each states, how bad it is to break it, and what that
// does.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace nadi {

enum class CheckSeverity : std::uint8_t {
  kNote,     ///< worth knowing; runs everywhere, if not as one might think
  kWarning,  ///< some tool misreads it or cannot run it, or not with every setting
  kError,    ///< wrong: simulators abort, hang, or silently lose something
};
std::string_view to_string(CheckSeverity severity);

/// The reader whose demands a rule states.
enum class CheckProfile : std::uint8_t {
  kChakra,    ///< any reader, of one graph alone
  kAstraSim,  ///< ASTRA-sim, of all ranks of a job
};

/// The rules, by profile. One that both profiles have stands here twice, with one name: that of
/// ASTRA-sim ends in InJob.
enum class CheckRule : std::uint8_t {
  kFraming,
  kMetadataMissing,
  kNoNodes,
  kDuplicateId,
  kDanglingDataDep,
  kDanglingCtrlDep,
  kSelfDependency,
  kCycle,
  kTimesTooLong,
  kFieldType,
  kAttributeMember,
  kAttributeType,
  kAttributeMissing,
  kTypeMetadata,
  kTypeInvalid,
  kTypeUnknown,
  kCommOnHost,
  kCommSizeZero,
  kCommTypeUnknown,
  kCommTypeNotSimulated,
  kPgNameNotDecimal,
  kFileName,
  kRankMissing,
  kOneRank,
  kFileNotWritable,
  kFilePacked,
  kMetadataMissingInJob,
  kFramingInJob,
  kNoNodesInJob,
  kDuplicateIdInJob,
  kDanglingDependency,
  kCycleInJob,
  kManyReady,
  kTypeMetadataInJob,
  kTypeInvalidInJob,
  kTypeUnknownInJob,
  kMemoryWithoutSize,
  kRemoteMemoryMissing,
  kLocalMemoryTracked,
  kRooflineUnknown,
  kRooflineNoOps,
  kDeviceDelay,
  kAttributeTypeInJob,
  kAttributeMissingInJob,
  kCommOnHostInJob,
  kCommTypeNotSimulatedInJob,
  kBroadcastReplayed,
  kAllGatherTooSmall,
  kAllReduceTooSmall,
  kSizeZero,
  kInvolvedDim,
  kGroupNotDecimal,
  kGroupUnknown,
  kGroupNumber,
  kGroupMembers,
  kGroupNotMember,
  kGroupOfOne,
  kGroupFileName,
  kCollectiveFreedTwice,
  kCollectiveMaybeFreedTwice,
  kAllToAllInTwoGroups,
  kTreeInAPart,
  kImplementationsRefused,
  kDimensionsRefused,
  kDimensionOfOne,
  kNpusMissing,
  kEndpointDelayZero,
  kMemoryBandwidthZero,
  kImplementationUnknown,
  kSettingMissing,
  kOwnRankWrong,
  kTagTooLarge,
  kMessageRepeated,
  kSendWithoutReceive,
  kReceiveWithoutSend,
  kEndsOnMessage,
  kCollectivesDiffer,
  kNeverRuns,
};

struct CheckRuleInfo {
  CheckRule rule;
  CheckProfile profile;
  std::string_view name;  ///< stable, kebab-case: "dangling-data-dep"
  CheckSeverity severity;
  std::string_view message;  ///< what is wrong, or what it does
  /// What a run under the simulator's issue rules did instead; empty = the same.
  std::string_view assumed = {};
};

/// One row each, in the order of the enumeration.
std::span<const CheckRuleInfo> all_check_rules();

const CheckRuleInfo& info_of(CheckRule rule);
std::string_view to_string(CheckRule rule);  ///< its name
CheckSeverity severity_of(CheckRule rule);

}  // namespace nadi
