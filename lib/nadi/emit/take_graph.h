// Makes of a built graph the graph that reading its written file would give.
#pragma once

#include <string>

#include "nadi/base/diagnostics.h"
#include "nadi/graph/built_graph.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Returns what load_chakra_graph would of the file that write_chakra writes of the graph, which
/// was built from trace; nothing is encoded. name: of the graph in messages.
Graph take_graph(const LinkedTrace& trace, BuiltGraph&& graph, const std::string& name,
                 const GraphColumns& columns, Diagnostics& diagnostics);

}  // namespace nadi
