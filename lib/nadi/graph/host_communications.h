// Communication that a backend does on the host.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Makes a communication node of each annotation of a host backend (Gloo, MPI, UCC). Other threads
/// do its work, so the node holds no time of its lane.
void add_host_communications(GraphDraft& draft, Diagnostics& diagnostics);

}  // namespace nadi
