// Cuts a draft to the steps that are wanted.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/graph/build.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Removes the nodes outside the steps and their edges, which are counted. A node that stays, and
/// that waited through removed nodes for another one that stays, waits for that one itself.
void filter_steps(GraphDraft& draft, StepRange steps, Diagnostics& diagnostics);

}  // namespace nadi
