// What older simulators ask of MLCommons' feeder, call by call: the same include, names, signatures
// and order. C++17. Usage: mlcommons_client GRAPH.et
#include <iostream>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "extern/graph_frontend/chakra/src/feeder/et_feeder.h"

namespace Chakra {
class ETFeeder;  // as simulators announce it
}

namespace {

using Chakra::ETFeeder;
using Chakra::ETFeederNode;
using NodePtr = std::shared_ptr<ETFeederNode>;
using Message = std::shared_ptr<ChakraProtoMsg::Node>;

static_assert(std::is_constructible_v<ETFeeder, std::string>);
static_assert(std::is_constructible_v<ETFeederNode, Message>);

// Pointers to members hold only if the signatures are exactly these.
constexpr bool (ETFeeder::*kHas)() = &ETFeeder::hasNodesToIssue;
constexpr NodePtr (ETFeeder::*kNext)() = &ETFeeder::getNextIssuableNode;
constexpr void (ETFeeder::*kPushBack)(uint64_t) = &ETFeeder::pushBackIssuableNode;
constexpr void (ETFeeder::*kFree)(uint64_t) = &ETFeeder::freeChildrenNodes;
constexpr void (ETFeeder::*kRemove)(uint64_t) = &ETFeeder::removeNode;
constexpr NodePtr (ETFeeder::*kLookup)(uint64_t) = &ETFeeder::lookupNode;
constexpr void (ETFeeder::*kAdd)(NodePtr) = &ETFeeder::addNode;
constexpr void (ETFeeder::*kMetadata)() = &ETFeeder::readGlobalMetadata;
constexpr NodePtr (ETFeeder::*kRead)() = &ETFeeder::readNode;
constexpr void (ETFeeder::*kWindow)() = &ETFeeder::readNextWindow;
constexpr void (ETFeeder::*kResolve)() = &ETFeeder::resolveDep;
constexpr Message (ETFeederNode::*kMessage)() = &ETFeederNode::getChakraNode;
constexpr Message (ETFeederNode::*kMessageOfV3)() = &ETFeederNode::get_chakra_node;
constexpr void (ETFeederNode::*kAddChild)(NodePtr) = &ETFeederNode::addChild;
constexpr std::vector<NodePtr> (ETFeederNode::*kChildren)() = &ETFeederNode::getChildren;
constexpr void (ETFeederNode::*kAddParent)(uint64_t) = &ETFeederNode::addDepUnresolvedParentID;
constexpr std::vector<uint64_t> (ETFeederNode::*kParents)() =
    &ETFeederNode::getDepUnresolvedParentIDs;
constexpr void (ETFeederNode::*kSetParents)(const std::vector<uint64_t>&) =
    &ETFeederNode::setDepUnresolvedParentIDs;
constexpr const ChakraProtoMsg::AttributeProto& (ETFeederNode::*kOther)(const std::string&) const =
    &ETFeederNode::get_other_attr;

/// All of a node's getters, so that each is compiled and called.
uint64_t read_all(ETFeederNode& node) {
  uint64_t sum = node.num_ops() + node.tensor_loc() + node.tensor_size() + node.comm_priority() +
                 node.comm_src() + node.comm_dst() + node.comm_tag() + node.pg_name().size();
  sum += node.comm_type() == ChakraProtoMsg::ALL_REDUCE ? 1 : 0;
  sum += node.has_other_attr("rf_id") ? (node.*kOther)("rf_id").int64_val() : 0;
  for (const std::string& text :
       {node.name(), node.get_inputs_values(), node.get_inputs_shapes(), node.get_inputs_types(),
        node.get_outputs_values(), node.get_outputs_shapes(), node.get_outputs_types()})
    sum += text.size();
  return sum;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  ETFeeder feeder(words[1]);
  (feeder.*kMetadata)();
  (feeder.*kWindow)();
  (feeder.*kResolve)();
  uint64_t read = 0;
  for (NodePtr node = (feeder.*kRead)(); node != nullptr; node = (feeder.*kRead)()) ++read;

  // One more node, behind the last of the file.
  auto message = std::make_shared<ChakraProtoMsg::Node>();
  message->set_id(~uint64_t{0});
  auto added = std::make_shared<ETFeederNode>(message);
  (added.get()->*kAddParent)(1);
  (added.get()->*kSetParents)((added.get()->*kParents)());
  (feeder.*kAdd)(added);

  uint64_t ran = 0, children = 0, time = 0, sum = 0, host = 0, bytes = 0;
  while ((feeder.*kHas)()) {
    NodePtr node = (feeder.*kNext)();
    if (node == nullptr) return 1;
    (feeder.*kPushBack)(node->id());
    node = (feeder.*kNext)();
    if ((feeder.*kLookup)(node->id()) != node) return 1;
    if ((node.get()->*kMessage)()->id() != node->id()) return 1;
    if ((node.get()->*kMessageOfV3)() != (node.get()->*kMessage)()) return 1;
    children += (node.get()->*kChildren)().size();
    if (node != added) (node.get()->*kAddChild)(added);
    time += node->runtime();
    host += node->is_cpu_op() ? 1 : 0;
    bytes += node->type() == ChakraProtoMsg::COMM_COLL_NODE ? node->comm_size() : 0;
    sum += read_all(*node);
    (feeder.*kFree)(node->id());
    (feeder.*kRemove)(node->id());
    ++ran;
  }
  if (ran != read + 1) return 1;
  std::cout << "ran " << read << " nodes, " << children << " dependencies, " << bytes << " bytes, "
            << time << " us, " << host << " on the host, sum " << sum << "\n";
  return 0;
}
