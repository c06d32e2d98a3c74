// The nodes of the host lanes: cuts each thread's time into ops, parts and calls as the design
// says.
#pragma once

#include <vector>

#include "truth.h"

namespace nadi::vm {

/// What make_truth needs beside the nodes.
struct HostLanes {
  std::vector<int> launch_source;  ///< by call: the node that ends where it begins, -1 = none
  std::vector<int> call_node;      ///< by call: its kCall node, -1 = it has none
};

/// Appends the nodes of all host lanes and their thread-order and hand-off edges to truth.
HostLanes add_host_lanes(const RankProgram& program, const RankRun& run, Truth& truth);

}  // namespace nadi::vm
