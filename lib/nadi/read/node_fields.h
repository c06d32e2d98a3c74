// One node of a host trace or linked JSON as raw JSON tokens: flat form and Chakra form end in the
// same places.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "nadi/read/field_walk.h"

namespace nadi {

enum class NodeField : std::uint8_t {
  kName,
  kId,
  kParent,
  kRfId,
  kForwardParent,
  kSeqId,
  kScope,
  kTid,
  kForwardTid,
  kOpSchema,
  kKernelBackend,
  kKernelFile,
  kInputValues,
  kInputShapes,
  kInputTypes,
  kInputStrides,
  kOutputValues,
  kOutputShapes,
  kOutputTypes,
  kOutputStrides,
  kCollective,
  kDtype,
  kInNelems,
  kOutNelems,
  kInSplit,
  kOutSplit,
  kRankStart,
  kRankStride,
  kGroupName,
  kGroupDescription,
  kGroupSize,
  // Fields of linked JSONs only.
  kTime,
  kDuration,
  kCategory,
  kStream,
  kWaits,
  kHandOff,
  kRowGroup,
  kSrcRank,
  kDstRank,
  kDevice,
  kCorrelation,
  kLaunch,
  kLaunchTime,
  kLaunchDuration,
  kUntimed,
  kInferredWaits,
  kInferredBy,
  kInferredHandOff,
  kComm,
  kLaunchedBy,
  kGraphId,
  kGraphNodeId,
  kGraphWaits,
  kGraphWaitsPartly,
  kCount,
};

class NodeFields {
 public:
  /// Parses `node` (Window::kPadding readable bytes behind it); false = broken JSON. The tokens
  /// point into it.
  bool parse(JsonParser& parser, std::string_view node);

  bool has(NodeField field) const { return (present_ >> static_cast<unsigned>(field) & 1) != 0; }
  /// The raw token, strings with their quotes; empty = absent or null.
  std::string_view token(NodeField field) const {
    return has(field) ? tokens_[static_cast<std::size_t>(field)] : std::string_view{};
  }

  /// The token as a natural number; 0 = it is none.
  std::uint64_t natural(NodeField field) const { return unsigned_of(token(field)).value_or(0); }

 private:
  bool keep(std::uint8_t slot, std::string_view token, JsonValue& value);
  bool parse_tensors(JsonValue& value, NodeField first);
  bool parse_attributes(JsonValue& value);

  std::uint64_t present_ = 0;
  std::array<std::string_view, static_cast<std::size_t>(NodeField::kCount)> tokens_;
};

}  // namespace nadi
