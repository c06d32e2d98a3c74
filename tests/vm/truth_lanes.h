// The nodes of the host lanes: cuts each thread's time into ops, parts and calls as the design
// says.
#pragma once

#include <vector>

#include "truth.h"

namespace nadi::vm {

/// What make_truth needs beside the nodes.
struct HostLanes {
  struct Source {
    int node = -1;
    EdgeKind kind = EdgeKind::kLaunch;
  };
  /// By call: what its rows follow: the lane node that ends where it launches; and, where it is the
  /// first node after a hand-off, the node that was awaited.
  std::vector<std::vector<Source>> launch_sources;
  /// By call: its kCall node, of the last query of a loop the node behind it; -1 = there is none.
  std::vector<int> call_node;
};

/// Appends the nodes of all host lanes and their thread-order and hand-off edges to truth.
HostLanes add_host_lanes(const RankProgram& program, const RankRun& run, Truth& truth);

}  // namespace nadi::vm
