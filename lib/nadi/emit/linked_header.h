// What stands before the nodes of a linked JSON.
#pragma once

#include <string>

#include "nadi/graph/graph.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// The host trace's members, then what only nadi knows (`nadi`: rank, clock, job, threads, what
/// moved device clocks), up to the bracket that opens `nodes`. Format: schema/chakra.md.
std::string linked_header_text(const LinkedTrace& trace, const Graph& graph);

}  // namespace nadi
