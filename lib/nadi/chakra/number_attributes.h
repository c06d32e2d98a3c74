// The attributes of nodes that hold a number or a bool: one table for writers, readers and checks.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

namespace nadi {

/// Field numbers of et_def.proto's AttributeProto that writers use.
enum class ValueField : unsigned { kInt32 = 7, kInt64 = 9, kUint64 = 13, kBool = 27, kString = 29 };

/// The attributes in the order in which nadi writes them. Their meaning: schema/chakra.md.
enum class WireNumber : std::uint8_t {
  kRfId,
  kFwParent,
  kSeqId,
  kScope,
  kTid,
  kFwTid,
  kIsCpuOp,
  kStream,
  kDevice,
  kStartNs,
  kDurationNs,
  kInclusiveNs,
  kExclusiveNs,
  kPartOf,
  kCorrelation,
  kUntimed,
  kIsDelay,
  kStep,
  kCommType,
  kCommSrc,
  kCommDst,
  kCommTag,
  kCommSize,
  kCommPriority,
  kCommSeq,
  kCommUnrecorded,
  kNumOps,
  kTensorSize,
  kMerged,
};

struct NumberAttributeRow {
  WireNumber number;
  std::string_view name;
  ValueField member;           ///< the one that every reader accepts
  bool is_simulators = false;  ///< simulators read it, and some from this member only
};
inline constexpr NumberAttributeRow kNumberAttributes[] = {
    {WireNumber::kRfId, "rf_id", ValueField::kInt64},
    {WireNumber::kFwParent, "fw_parent", ValueField::kInt64},
    {WireNumber::kSeqId, "seq_id", ValueField::kInt64},
    {WireNumber::kScope, "scope", ValueField::kInt64},
    {WireNumber::kTid, "tid", ValueField::kInt64},
    {WireNumber::kFwTid, "fw_tid", ValueField::kInt64},
    {WireNumber::kIsCpuOp, "is_cpu_op", ValueField::kBool, true},
    {WireNumber::kStream, "stream", ValueField::kInt64},
    {WireNumber::kDevice, "device", ValueField::kInt64},
    {WireNumber::kStartNs, "start_ns", ValueField::kInt64},
    {WireNumber::kDurationNs, "duration_ns", ValueField::kInt64},
    {WireNumber::kInclusiveNs, "inclusive_ns", ValueField::kInt64},
    {WireNumber::kExclusiveNs, "exclusive_ns", ValueField::kInt64},
    {WireNumber::kPartOf, "part_of", ValueField::kInt64},
    {WireNumber::kCorrelation, "correlation", ValueField::kInt64},
    {WireNumber::kUntimed, "untimed", ValueField::kBool},
    {WireNumber::kIsDelay, "is_delay", ValueField::kBool},
    {WireNumber::kStep, "step", ValueField::kInt64},
    {WireNumber::kCommType, "comm_type", ValueField::kInt64, true},
    {WireNumber::kCommSrc, "comm_src", ValueField::kInt32, true},
    {WireNumber::kCommDst, "comm_dst", ValueField::kInt32, true},
    {WireNumber::kCommTag, "comm_tag", ValueField::kInt32, true},
    {WireNumber::kCommSize, "comm_size", ValueField::kInt64, true},
    {WireNumber::kCommPriority, "comm_priority", ValueField::kInt32, true},
    {WireNumber::kCommSeq, "comm_seq", ValueField::kInt64},
    {WireNumber::kCommUnrecorded, "comm_unrecorded", ValueField::kBool},
    {WireNumber::kNumOps, "num_ops", ValueField::kInt64, true},
    {WireNumber::kTensorSize, "tensor_size", ValueField::kUint64, true},
    {WireNumber::kMerged, "merged", ValueField::kInt64},
};
inline constexpr std::size_t kWireNumberCount = std::size(kNumberAttributes);

constexpr const NumberAttributeRow& row_of(WireNumber number) {
  return kNumberAttributes[static_cast<std::size_t>(number)];
}
static_assert(
    [] {
      for (std::size_t i = 0; i < kWireNumberCount; ++i)
        if (kNumberAttributes[i].number != static_cast<WireNumber>(i)) return false;
      return true;
    }(),
    "rows stand in the order of WireNumber");

}  // namespace nadi
