// One event of a device trace as raw JSON tokens, one place per key nadi knows.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "nadi/read/field_walk.h"

namespace nadi {

/// Keys of an event and of its `args`; several spellings share a place (K10).
enum class Field : std::uint8_t {
  kPhase,
  kCategory,
  kName,
  kPid,
  kTid,
  kTime,
  kDuration,
  kId,
  kArgs,
  kExternalId,
  kRecordFunctionId,
  kSequenceNumber,
  kForwardThread,
  kCorrelation,
  kDevice,
  kStream,
  kContext,
  kBytes,
  kGraphId,
  kGraphNodeId,
  kConcreteInputs,
  kInputDims,
  kInputType,
  kInputStrides,
  kKernelBackend,
  kKernelFile,
  kCollective,
  kDtype,
  kInNelems,
  kOutNelems,
  kGroupSize,
  kInSplit,
  kOutSplit,
  kGroupName,
  kGroupDescription,
  kGroupRanks,
  kRank,
  kSrcRank,
  kDstRank,
  kSeq,
  kRankStart,
  kRankStride,
  kSyncKind,
  kWaitOnStream,
  kWaitOnRecord,
  kWaitOnEvent,
  kEventId,
  kEventWaitIds,
  kArgName,
  kOriginalStream,
  kCopyKind,
  kSourceKind,
  kTargetKind,
  kMemoryKind,
  kChannelType,
  kBlocksPerSm,
  kNcclFunction,
  kNcclType,
  kNcclCount,
  kNcclSeq,
  kLaunchedKernel,
  kCount,
};

/// The place of a key of `args`; kCount = nadi does not know it.
Field field_of_argument(std::string_view key);

class EventFields {
 public:
  /// Parses `event` (Window::kPadding readable bytes behind it); false = broken JSON. The tokens
  /// point into it.
  bool parse(JsonParser& parser, std::string_view event);

  /// Forgets the event, for the tokens of another to be set.
  void clear() { present_ = 0; }
  /// Takes over a token that is not null.
  void set(Field field, std::string_view token) {
    tokens_[static_cast<std::size_t>(field)] = token;
    present_ |= std::uint64_t{1} << static_cast<unsigned>(field);
  }

  bool has(Field field) const { return (present_ >> static_cast<unsigned>(field) & 1) != 0; }
  /// The raw token, strings with their quotes; empty = absent or null.
  std::string_view token(Field field) const {
    return has(field) ? tokens_[static_cast<std::size_t>(field)] : std::string_view{};
  }

  /// The token as a natural number; 0 = it is none.
  std::uint64_t natural(Field field) const { return unsigned_of(token(field)).value_or(0); }

 private:
  bool keep(std::uint8_t slot, std::string_view token, JsonValue& value);
  bool parse_args(JsonValue& value);

  std::uint64_t present_ = 0;
  std::array<std::string_view, static_cast<std::size_t>(Field::kCount)> tokens_;
};

}  // namespace nadi
