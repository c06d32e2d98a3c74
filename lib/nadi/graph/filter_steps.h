// Cuts a draft to the steps that are wanted.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/graph/build.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Removes the nodes outside the steps and the edges they had, which are counted. What one step
/// waits for another through such nodes it waits for still.
void filter_steps(GraphDraft& draft, StepRange steps, Diagnostics& diagnostics);

}  // namespace nadi
