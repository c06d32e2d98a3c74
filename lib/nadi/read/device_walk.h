// Walks a whole device trace, whoever takes its events.
#pragma once

#include <cstdint>

#include "nadi/base/diagnostics.h"
#include "nadi/input/byte_source.h"
#include "nadi/read/progress.h"
#include "nadi/read/trace_event.h"

namespace nadi {

/// Reads `source` to its end, the header and events go to `subscriber`; gives the number of events,
/// broken ones included. JSON and Perfetto traces give the same events. Bytes that end early are
/// reported ("truncated-input"). Rows of JAX and torch_npu come as Kineto writes such
/// (CategoryByName), further documents of one process follow the first (FurtherDocuments). Throws
/// Error (kInput) for what is no device trace, holds no list of events, ends before its first row,
/// or is of a tool of whose events nadi reads none.
std::uint64_t walk_device_trace(ByteSource& source, const EventSubscriber& subscriber,
                                Diagnostics& diagnostics, const Progress& progress);

}  // namespace nadi
