// What simulators of 2026 that match collectives by what they are ask of Chakra's FeederV3, and
// what others use of the standard library without including it. C++17.
// Usage: group_matching_client GRAPH.et
#include <cstddef>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "extern/graph_frontend/chakra/src/feeder_v3/et_feeder.h"

namespace {

using Chakra::FeederV3::ETFeeder;
using Chakra::FeederV3::ETFeederNode;
using Message = std::shared_ptr<const ChakraProtoMsg::Node>;

constexpr Message (ETFeederNode::*kMessage)() const = &ETFeederNode::get_chakra_node;

/// The groups stand in a list with one text: ['[{"pg_name": "1", ...}]'].
std::size_t count_groups(const std::string& values) {
  const std::string text = values.substr(2, values.size() - 4);
  std::size_t groups = 0;
  for (std::size_t at = text.find("\"pg_name\""); at != std::string::npos;
       at = text.find("\"pg_name\"", at + 1))
    ++groups;
  return groups;
}

/// All members of one collective come to the same number.
std::size_t hash_of(const ETFeederNode& node) {
  const std::hash<std::string> hash;
  return hash(std::to_string(node.comm_type<uint64_t>()) + "," +
              std::to_string(node.comm_size<uint64_t>()) + "," +
              std::to_string(node.comm_tag<uint32_t>(0)) + "," + node.pg_name<std::string>(""));
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  std::ifstream file(words[1], std::ios::binary);  // <fstream> comes with the feeder
  if (!file) return 1;
  ETFeeder feeder(words[1]);
  auto& resolver = feeder.getDependancyResolver();
  std::queue<uint64_t> issued;   // and <queue>
  std::list<uint64_t> finished;  // and <list>
  std::map<std::size_t, int> collectives;
  std::size_t groups = 0, metadata = 0;
  do {
    while (!resolver.get_dependancy_free_nodes().empty()) {
      const uint64_t id = *resolver.get_dependancy_free_nodes().begin();
      const std::shared_ptr<ETFeederNode> node = feeder.lookupNode(id);
      if ((node.get()->*kMessage)()->id() != id) return 1;
      if (node->type() == ChakraProtoMsg::METADATA_NODE) ++metadata;
      if (node->name() == "## process_group:init ##")
        groups += count_groups(node->get_inputs_values());
      if (node->type() == ChakraProtoMsg::COMM_COLL_NODE) ++collectives[hash_of(*node)];
      resolver.take_node(id);
      issued.push(id);
    }
    resolver.finish_node(issued.front());
    finished.push_back(issued.front());
    issued.pop();
  } while (!issued.empty() || !resolver.get_dependancy_free_nodes().empty());
  std::cout << "ran " << finished.size() << " nodes, " << metadata << " of metadata, "
            << collectives.size() << " kinds of collectives, " << groups << " groups\n";
  return 0;
}
