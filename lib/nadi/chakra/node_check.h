// Checks of one Chakra node by itself: its type and its attributes.
#pragma once

#include "et_def.pb.h"
#include "nadi/chakra/findings.h"

namespace nadi {

/// Reports what is wrong with the node. Rules: schema/chakra.md, "Checks".
void check_node(const ChakraProtoMsg::Node& node, CheckFindingList& findings);

/// Reports times that no simulator can add up; sum_ns: how long all nodes before it take, and then
/// with it. ns.
void check_times(const ChakraProtoMsg::Node& node, double& sum_ns, CheckFindingList& findings);

/// "node 7 (aten::mm)", for messages.
std::string name_of(const ChakraProtoMsg::Node& node);

}  // namespace nadi
