#include "nadi/graph/graph.h"

namespace nadi {

std::string_view to_string(NodeKind kind) {
  switch (kind) {
    case NodeKind::kOp:
      return "op";
    case NodeKind::kPart:
      return "part";
    case NodeKind::kCall:
      return "call";
    case NodeKind::kDeviceRow:
      return "device row";
    case NodeKind::kDelay:
      return "delay";
  }
  return "unknown";
}

std::string_view to_string(CommKind kind) {
  switch (kind) {
    case CommKind::kAllReduce:
      return "ALL_REDUCE";
    case CommKind::kReduce:
      return "REDUCE";
    case CommKind::kAllGather:
      return "ALL_GATHER";
    case CommKind::kGather:
      return "GATHER";
    case CommKind::kScatter:
      return "SCATTER";
    case CommKind::kBroadcast:
      return "BROADCAST";
    case CommKind::kAllToAll:
      return "ALL_TO_ALL";
    case CommKind::kReduceScatter:
      return "REDUCE_SCATTER";
    case CommKind::kReduceScatterBlock:
      return "REDUCE_SCATTER_BLOCK";
    case CommKind::kBarrier:
      return "BARRIER";
    case CommKind::kSend:
      return "SEND";
    case CommKind::kRecv:
      return "RECV";
    case CommKind::kNone:
      return "NONE";
  }
  return "unknown";
}

}  // namespace nadi
