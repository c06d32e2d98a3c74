// What ASTRA-sim asks of its feeder, call by call: the same include, names, signatures and order.
// C++17. Usage: feeder_v3_client GRAPH.et
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_set>

#include "extern/graph_frontend/chakra/src/feeder_v3/et_feeder.h"

namespace Simulator {  // as AstraSim does
typedef ChakraProtoMsg::NodeType ChakraNodeType;
typedef uint64_t NodeId;

using Chakra::FeederV3::ChakraAttr;
using Chakra::FeederV3::ChakraNode;
using Chakra::FeederV3::DependancyResolver;
using Chakra::FeederV3::ETFeeder;
using Chakra::FeederV3::ETFeederNode;

static_assert(std::is_same_v<Chakra::ETFeeder, ETFeeder>);
static_assert(std::is_same_v<Chakra::ETFeederNode, ETFeederNode>);
static_assert(std::is_same_v<Chakra::FeederV3::NodeId, NodeId>);
static_assert(std::is_same_v<ChakraNode, ChakraProtoMsg::Node>);
static_assert(std::is_same_v<ChakraAttr, ChakraProtoMsg::AttributeProto>);
static_assert(std::is_constructible_v<ETFeeder, const std::string&>);

// Pointers to members hold only if the signatures are exactly these.
constexpr DependancyResolver& (ETFeeder::*kResolver)() = &ETFeeder::getDependancyResolver;
constexpr std::shared_ptr<ETFeederNode> (ETFeeder::*kLookup)(const NodeId&) = &ETFeeder::lookupNode;
constexpr void (DependancyResolver::*kTake)(const NodeId&) = &DependancyResolver::take_node;
constexpr void (DependancyResolver::*kFinish)(const NodeId&) = &DependancyResolver::finish_node;
constexpr const std::unordered_set<NodeId>& (DependancyResolver::*kFree)() const =
    &DependancyResolver::get_dependancy_free_nodes;
constexpr const std::unordered_set<NodeId>& (DependancyResolver::*kOngoing)() const =
    &DependancyResolver::get_ongoing_nodes;

class Workload {
 public:
  explicit Workload(std::string path) { feeder = new ETFeeder(path); }
  ~Workload() { delete feeder; }

  void issue_dep_free_nodes() {
    auto& resolver = (feeder->*kResolver)();
    std::unordered_set<NodeId> free_nodes = (resolver.*kFree)();
    for (const NodeId id : std::set<NodeId>(free_nodes.begin(), free_nodes.end())) {
      std::shared_ptr<Chakra::FeederV3::ETFeederNode> node = (feeder->*kLookup)(id);
      if (is_available(node)) issue(node);
    }
  }

  bool is_available(const std::shared_ptr<ETFeederNode>& node) {
    return node->type() == ChakraNodeType::COMM_RECV_NODE ||
           running.count(node->is_cpu_op<bool>(false)) == 0;
  }

  void issue(const std::shared_ptr<ETFeederNode>& node) {
    (feeder->getDependancyResolver().*kTake)(node->id());
    if (node->type() == ChakraNodeType::COMP_NODE) {
      running.insert(node->is_cpu_op());
      time += node->runtime();
      flops += node->num_ops<uint64_t>(0) + node->tensor_size<uint64_t>(0);
    } else if (node->type() == ChakraNodeType::COMM_COLL_NODE) {
      const auto type =
          static_cast<ChakraProtoMsg::CollectiveCommType>(node->comm_type<uint64_t>());
      collectives += type == ChakraProtoMsg::ALL_REDUCE ? 1 : 0;
      bytes += node->comm_size<uint64_t>();
      group = node->pg_name<std::string>("");
      priority = node->comm_priority<uint32_t>();
      if (node->has_attr("involved_dim")) {
        const ChakraProtoMsg::AttributeProto& attr = node->get_attr_msg("involved_dim");
        dimensions += attr.bool_list().values_size();
      }
    } else {
      bytes += node->comm_size();
      peer = node->comm_src(uint32_t{0}) + node->comm_dst(uint32_t{0}) + node->comm_tag();
    }
    names += node->name().size() + node->get_inputs_values().size();
    issued.push_back(node->id());
  }

  void call(NodeId id) {
    std::shared_ptr<ETFeederNode> node = feeder->lookupNode(id);
    running.erase(node->is_cpu_op());
    (feeder->getDependancyResolver().*kFinish)(node->id());
    ++finished;
    issue_dep_free_nodes();
  }

  bool is_finished() const {
    return feeder->getDependancyResolver().get_dependancy_free_nodes().empty() &&
           (feeder->getDependancyResolver().*kOngoing)().empty();
  }

  ETFeeder* feeder;
  std::vector<NodeId> issued;
  std::set<bool> running;
  uint64_t time = 0, flops = 0, bytes = 0, collectives = 0, finished = 0, names = 0;
  uint64_t priority = 0, peer = 0, dimensions = 0;
  std::string group;
};

}  // namespace Simulator

int main(int count, char** words) {
  if (count != 2) return 2;
  Simulator::Workload workload(words[1]);
  workload.issue_dep_free_nodes();
  for (std::size_t next = 0; next < workload.issued.size(); ++next)
    workload.call(workload.issued[next]);
  if (!workload.is_finished()) return 1;
  std::cout << "ran " << workload.finished << " nodes, " << workload.collectives << " all-reduces, "
            << workload.bytes << " bytes, " << workload.time << " us\n";
  return 0;
}
