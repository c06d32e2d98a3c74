// A graph as text that people can read and compare line by line.
#pragma once

#include <string>

#include "nadi/base/diagnostics.h"
#include "nadi/graph/built_graph.h"
#include "nadi/model/linked_trace.h"

namespace nadi::golden {

/// Counts, one line per node (id, kind, name, lane, start and length in us from the graph's origin,
/// attributes), below it one line per edge into it (data edges by evidence, ctrl edges as
/// "inside"), then the diagnostics.
std::string graph_text(const LinkedTrace& linked, const BuiltGraph& graph,
                       const Diagnostics& diagnostics);

}  // namespace nadi::golden
