// Reads a host trace (ExecutionTraceObserver JSON), every schema by its fields, into columns.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/input/byte_source.h"
#include "nadi/model/host_trace.h"
#include "nadi/read/progress.h"

namespace nadi {

/// Reads all of `source`; memory: the columns and a window of 256 KiB (more for one larger node).
/// Imperfections are reported: "unknown-schema", "broken-json-repaired", "broken-json-skipped",
/// "truncated-input", "observer-not-stopped", "node-without-id", "process-groups-cut". Throws
/// Error(kInput) when it is no host trace. Format: schema/host-trace.md.
HostTrace read_host_trace(ByteSource& source, Diagnostics& diagnostics,
                          const Progress& progress = {});

}  // namespace nadi
