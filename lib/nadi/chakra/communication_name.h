// What people call the communication of a node.
#pragma once

#include <cstdint>
#include <string>

#include "nadi/model/graph.h"

namespace nadi {

/// "ALL_REDUCE" of a CollectiveCommType; "comm_type 99" of a number that is none.
std::string collective_name(std::int64_t type);
/// The name of a collective, "SEND" or "RECV"; empty if nodes of that type do not communicate.
std::string communication_name(NodeType node, std::int64_t comm_type);

}  // namespace nadi
