// A picture of a graph: the nodes and edges chosen, with what a person should see of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/converters/picture/graph_facts.h"

namespace nadi {

struct PictureNode {
  std::string id;     ///< of the graph; of a group "g1", "g2", …
  std::string label;  ///< name, time, and of a group how many
  std::string lane;   ///< "thread 1", "device 0 stream 7"
  PictureKind kind = PictureKind::kHost;
  std::uint64_t count = 1;  ///< nodes of the graph in it
  Ns start_ns = 0;          ///< of the first
  Ns duration_ns = 0;       ///< of all
};

struct PictureEdge {
  std::uint32_t source = 0, target = 0;  ///< into Picture::nodes
  Evidence evidence = Evidence::kThreadOrder;
  bool inferred = false;
  std::uint64_t count = 1;  ///< edges of the graph in it
};

struct Picture {
  std::string title;
  bool is_collapsed = false;  ///< drawn from top to bottom: groups have many neighbours
  std::vector<PictureNode> nodes;
  std::vector<PictureEdge> edges;
};

/// Collapsed pictures leave delays out.
enum class Collapse : std::uint8_t {
  kNone,
  kCall,   ///< outermost ops of one name on a lane are one node, with all inside them
  kStream  ///< a node per thread and stream
};

/// Every choice narrows what is shown.
struct PictureOptions {
  std::optional<std::uint64_t> around = {};  ///< a node's id: it and what is `hops` edges away
  std::uint64_t hops = 2;
  std::optional<std::int32_t> step = {};  ///< nodes of this step alone
  /// The nodes that the replayed graph's end had to wait for, and the edges it waited along.
  bool critical_path = false;
  Collapse collapse = Collapse::kNone;
};

/// The graph was loaded with parents. Nodes in id order, edges by source and target. Reports
/// "nodes-left-out". Throws Error(kUsage) where no node is around, or no step is of that number,
/// and says which there are.
Picture make_picture(const SimGraph& graph, const PictureOptions& options,
                     Diagnostics& diagnostics);

}  // namespace nadi
