// Leaves out edges that others imply.
#pragma once

#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Leaves out waits, hand-offs and group edges that an earlier node of the target's lane already
/// implies.
void reduce_edges(GraphDraft& draft);

}  // namespace nadi
