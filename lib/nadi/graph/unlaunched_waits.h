// Infers what rows that were launched before the trace begins waited for.
#pragma once

#include "nadi/graph/edge_list.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Infers event waits of rows that were launched before the trace begins: no call shows what their
/// stream waited for. The evidence is what similar rows did: rows of the same stream and name,
/// right behind a row of the same name as the row before this one. Such a row is taken to have
/// waited for the last row named X on another stream S if
/// - all similar rows whose launch is recorded, but the first, waited for the last row named X on
/// S;
/// - the row it would wait for was launched before the trace, too;
/// - the row began right when that row ended, and not right when the row before it on its own
///   stream ended.
void add_unlaunched_waits(const GraphDraft& draft, EdgeList& edges);

}  // namespace nadi
