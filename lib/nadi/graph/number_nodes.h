// Gives nodes their order, which makes their ids.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/graph/built_graph.h"
#include "nadi/graph/graph_draft.h"
#include "nadi/graph/memory_copies.h"

namespace nadi {

/// Orders nodes by start, dependency, host before device, stream, trace order, and makes the
/// Boost.Graph with its columns. access: of device rows; empty = none is a memory node.
void number_nodes(GraphDraft& draft, const ByRow<DeviceRows, MemoryAccess>& access,
                  BuiltGraph& graph, Diagnostics& diagnostics);

}  // namespace nadi
