#include "nadi/graph/built_graph.h"

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
    case NodeKind::kHostOther:
      return "host other";
  }
  return "unknown";
}

}  // namespace nadi
