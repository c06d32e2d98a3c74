// Orders the nodes of a linked JSON and finds what each waits for.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/graph/built_graph.h"
#include "nadi/linked_json/linked_json.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// A process or thread root: the host trace's own, or one made for a thread that has none.
struct LinkedJsonRoot {
  HostOpIndex host;      ///< none = made
  std::int64_t tid = 0;  ///< of a thread root
  bool is_process = false;
};

struct LinkedJsonNode {
  enum class Kind : std::uint8_t { kRoot, kOp, kDeviceRow };
  Kind kind = Kind::kRoot;
  std::uint32_t number = 0;     ///< position in roots; else see op() and vertex()
  std::uint64_t caller = 1;     ///< new id of what stands in ctrl_deps
  NodeWait inter_thread;        ///< the op of another thread to wait for
  std::vector<NodeWait> waits;  ///< `sync_dep`, ascending

  LinkedOpIndex op() const {
    assert(kind == Kind::kOp);
    return LinkedOpIndex(number);
  }
  /// The vertex of the device row in the graph.
  std::uint32_t vertex() const {
    assert(kind == Kind::kDeviceRow);
    return number;
  }
};

/// nodes[i] has the new id i + 1. The process root is first, then the thread roots, then ops by
/// start and device rows by launch (unlaunched ones by start): the order in which MLCommons'
/// converter, which walks the call tree by id, must meet them for its order to be the program's.
struct LinkedJsonOrder {
  std::vector<LinkedJsonRoot> roots;
  std::vector<LinkedJsonNode> nodes;
  ByRow<LinkedOps, std::uint64_t> op_id;  ///< new ids; 0 = left out
  std::vector<std::uint64_t> row_id;      ///< vertex -> new id of a device row; 0 = it is none
};

/// Waits come from edges of evidence synchronisation, event wait (`sync_dep`) and thread hand-off
/// (`inter_thread_dep`). A wait that a part or a call begins, which the linked JSON does not have,
/// is given to the op that holds it if nothing started inside it yet, else to the next op on the
/// thread. One that would point forward is left out and counted as `linked-wait-dropped`.
LinkedJsonOrder order_linked_nodes(const LinkedTrace& trace, const BuiltGraph& graph,
                                   Diagnostics& diagnostics);

}  // namespace nadi
