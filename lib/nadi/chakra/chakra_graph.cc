#include "nadi/chakra/chakra_graph.h"

namespace nadi {

Adjacency find_dependents(const ChakraGraph& graph) {
  return reversed(graph.size(), [&](std::size_t node) { return graph.dependencies(node); });
}

Adjacency find_data_dependents(const ChakraGraph& graph) {
  return reversed(graph.size(), [&](std::size_t node) { return graph.data_dependencies(node); });
}

}  // namespace nadi
