// Reads a device trace (Kineto / torch.profiler JSON) into columns.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/input/byte_source.h"
#include "nadi/model/device_trace.h"
#include "nadi/read/progress.h"

namespace nadi {

/// Reads all of `source`; memory: the columns and a window of 256 KiB (more for one larger event).
/// Imperfections are reported: "broken-json-repaired", "broken-json-skipped", "truncated-input",
/// "garbage-time", "unknown-category", … Throws Error(kInput) when it is no device trace. Format:
/// schema/kineto.md. `ambiguous`, where given, takes "graph-dependency-ambiguous": what another
/// form of the trace may settle.
DeviceTrace read_device_trace(ByteSource& source, Diagnostics& diagnostics,
                              const Progress& progress = {}, Diagnostics* ambiguous = nullptr);

}  // namespace nadi
