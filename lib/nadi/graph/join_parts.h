// Joins the parts of the own time of ops where a replay allows it.
#pragma once

#include "nadi/graph/build.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Joins parts as GraphOptions::min_part_ns and join_all_parts say; returns the most that a
/// dependent became late, ns.
Ns join_parts(GraphDraft& draft, const GraphOptions& options);

}  // namespace nadi
