// The nodes of device lanes: what the devices did.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Makes the nodes of all device rows; a coalesced kernel gets one for each operation it carries.
void make_device_nodes(GraphDraft& draft, Diagnostics& diagnostics);

}  // namespace nadi
