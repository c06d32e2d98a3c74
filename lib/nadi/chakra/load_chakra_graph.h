// Reads the graph of a Chakra file.
#pragma once

#include <cstdint>
#include <string>

#include "nadi/chakra/message_stream.h"
#include "nadi/model/graph.h"

namespace nadi {

/// What becomes of dependencies on nodes that the file does not hold, and of cycles.
enum class BadDependencies : std::uint8_t {
  kRefuse,
  kDrop,               ///< those on no node are counted (Graph::dependencies_dropped)
  kDropAndKeepCycles,  ///< cycles stay, too, and are counted (Graph::nodes_on_cycles)
};

/// Reads a Chakra file (path, or "-"), plain or gzip, once. Throws Error (kInput) that names file
/// and node where it is cut, holds no node, an id twice, a dependency on no node, or a cycle. The
/// file says why an edge exists; where it does not, the kinds of its two nodes do
/// (edge_evidence.h). About 150 bytes a node without shapes, and 13 a dependency.
Graph load_chakra_graph(const std::string& path, const GraphColumns& columns = {},
                        BadDependencies bad = BadDependencies::kRefuse);
Graph load_chakra_graph(MessageStream stream, const GraphColumns& columns = {},
                        BadDependencies bad = BadDependencies::kRefuse);

}  // namespace nadi
