// Writes what stands before the nodes of a linked JSON.
#pragma once

#include "nadi/emit/json_writer.h"
#include "nadi/graph/graph.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// The host trace's members, then what only nadi knows (`nadi`: rank, clock, job, threads, what
/// moved device clocks). Format: schema/chakra.md.
void write_linked_header(const LinkedTrace& trace, const Graph& graph, JsonWriter& json);

}  // namespace nadi
