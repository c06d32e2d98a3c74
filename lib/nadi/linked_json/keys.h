// The keys that a linked JSON has beside those of a host trace, for its reader and its writer.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "nadi/read/node_fields.h"

namespace nadi {

/// Top-level members of nadi's files.
inline constexpr std::string_view kOwnSchemaKey = "source_schema", kNadiKey = "nadi",
                                  kBlockingCallsKey = "nadi_waits";

/// Of nodes: what MLCommons' linker adds, then what nadi adds to that; then of blocking calls.
enum class LinkedField : std::uint8_t {
  kTime = static_cast<std::uint8_t>(NodeField::kCount),
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
  kCallDuration,
  kCallOp,
  kCallRows,
  kCallInferred,
  kCallBlocked,
};

/// In the order of LinkedField.
inline constexpr std::array<std::string_view, 29> kLinkedKeys{
    "ts",          "inclusive_dur",
    "cat",         "stream",
    "sync_dep",    "inter_thread_dep",
    "pg_name",     "src_rank",
    "dst_rank",    "device",
    "correlation", "launch",
    "launch_ts",   "launch_dur",
    "untimed",     "inferred_sync_dep",
    "inferred_by", "inferred_inter_thread_dep",
    "comm",        "launched_by",
    "graph_id",    "graph_node_id",
    "graph_dep",   "graph_dep_partly",
    "dur",         "op",
    "rows",        "inferred",
    "blocked"};

constexpr std::string_view key_of(LinkedField field) {
  return kLinkedKeys[static_cast<std::size_t>(field) - static_cast<std::size_t>(NodeField::kCount)];
}

}  // namespace nadi
