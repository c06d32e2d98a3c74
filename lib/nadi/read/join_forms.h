// Joins the two forms of one device trace: JSON and Perfetto.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/model/device_trace.h"

namespace nadi {

/// Takes the dependencies inside CUDA graphs, and the rows of which not all are known, over from
/// the Perfetto trace, which names their rows, to the JSON of the same run, which has all else;
/// dependencies that the JSON alone has stay.
/// Rows are the same where correlation, graph and node are (N60). Reports
/// "device-trace-rows-unjoined". Gives false, and takes nothing over, where fewer than nine in ten
/// of the rows that both have begin at the same time: two runs.
bool take_graph_dependencies(const DeviceTrace& perfetto, DeviceTrace& json,
                             Diagnostics& diagnostics);

}  // namespace nadi
