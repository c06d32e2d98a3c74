// A picture of a graph: the nodes and edges chosen, with what a person should see of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/base/evidence.h"
#include "nadi/converters/picture/graph_facts.h"

namespace nadi {

struct PictureNode {
  std::string id;     ///< of the graph; of a group "g1", "g2", …; of a fold "f1", "f2", …
  std::string label;  ///< name, id of the graph (of a group how many nodes and the first), time
  std::string lane;   ///< "thread 1", "device 0 stream 7"
  PictureKind kind = PictureKind::kHost;
  bool is_folded = false;      ///< stands for a stretch of a path that is not shown
  std::uint64_t count = 0;     ///< nodes of the graph in it
  std::uint64_t first_id = 0;  ///< of these the smallest, on a critical path the first
  Ns start_ns = 0;             ///< of the first
  Ns duration_ns = 0;          ///< of all
  /// On a critical path: time of the delays within it, or before the path's first.
  Ns delay_ns = 0;
};

struct PictureEdge {
  std::uint32_t source = 0, target = 0;  ///< into Picture::nodes
  Evidence evidence = Evidence::kThreadOrder;
  bool inferred = false;
  std::uint64_t count = 1;  ///< edges of the graph in it
  Ns delay_ns = 0;          ///< on a critical path: time of the delays left out along it
};

/// Collapsed pictures leave delays out, and so do all of critical paths, whose edges have their
/// times. Of such a path each stretch in one group is a node of its own, so that the picture stays
/// one chain.
enum class Collapse : std::uint8_t {
  kNone,
  /// Outermost ops of one name on a thread are one node, with all ops inside them; so are calls,
  /// and device rows, of one name on a lane.
  kCall,
  kStream  ///< a node per thread and stream
};

struct Picture {
  std::string title;
  bool is_path = false;                   ///< a critical path
  std::optional<std::int32_t> step = {};  ///< that it is of
  Collapse collapse = Collapse::kNone;
  std::vector<PictureNode> nodes;
  std::vector<PictureEdge> edges;
};

/// Every choice narrows what is shown.
struct PictureOptions {
  /// A node's id: it and what is `hops` edges away. Ctrl edges lead from a node to what is around
  /// it, not back: a parent does not bring all its children.
  std::optional<std::uint64_t> around = {};
  std::uint64_t hops = 2;
  std::optional<std::int32_t> step = {};  ///< nodes of this step alone
  /// The nodes that the replayed graph's end had to wait for, and the edges it waited along: of the
  /// first step on the path where neither `step` nor `around` is given, at most kMostPathNodes; in
  /// between, folds count those that took less time.
  bool critical_path = false;
  bool all_steps = false;  ///< the critical path of all of them
  Collapse collapse = Collapse::kNone;
};

/// More of a path nobody reads.
inline constexpr std::size_t kMostPathNodes = 150;

/// The graph was loaded with parents. Nodes in id order, of a critical path in its order; edges by
/// source and target. Reports
/// "nodes-left-out". Throws Error(kUsage) where no node is around, or no step is of that number,
/// and says which there are.
Picture make_picture(const Graph& graph, const PictureOptions& options, Diagnostics& diagnostics);

/// "22.4 us", as labels have it.
std::string picture_time_text(Ns ns);

}  // namespace nadi
