// What rows waited for that were launched before the trace begins.
#pragma once

#include "nadi/graph/edge_list.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Infers event waits of rows that were launched before the trace begins: no call shows what their
/// stream waited for. The evidence is what other rows did at the same place, which is a stream, the
/// name of the row and the name of the row before it. If all launched rows at a place (but the
/// first) waited for the last row of a certain name on a certain other stream, a row of that place
/// that was launched before the trace did so, too, provided that the other row was launched before
/// the trace, too, and that it began right when that row ended, and not right when the row before
/// it on its own stream did.
void add_unlaunched_waits(const GraphDraft& draft, EdgeList& edges);

}  // namespace nadi
