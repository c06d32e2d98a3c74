#include "nadi/chakra/communication_name.h"

#include "et_def.pb.h"

namespace nadi {

std::string collective_name(std::int64_t type) {
  return type >= 0 && type <= ChakraProtoMsg::BARRIER
             ? ChakraProtoMsg::CollectiveCommType_Name(static_cast<int>(type))
             : "comm_type " + std::to_string(type);
}

std::string communication_name(NodeType node, std::int64_t comm_type) {
  if (node == NodeType::kSend) return "SEND";
  if (node == NodeType::kReceive) return "RECV";
  return node == NodeType::kCollective ? collective_name(comm_type) : std::string();
}

}  // namespace nadi
