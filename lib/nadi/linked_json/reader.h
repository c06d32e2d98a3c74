// Reads a linked JSON ("ET+": a host trace with times and device rows), MLCommons' or nadi's own,
// into the columns of both traces.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/input/byte_source.h"
#include "nadi/linked_json/linked_json.h"
#include "nadi/read/progress.h"

namespace nadi {

/// Reads all of `source` once; memory as read_host_trace. Nodes with a device category (`cat`) are
/// device rows, all others host ops, which may have times or not. A row without a launch of its own
/// in the file (nadi writes them) was launched when its caller began. Reported, beside what
/// read_host_trace reports: "garbage-time", "unknown-category", "device-row-recorded-twice".
/// Throws Error(kInput) when it is no linked JSON, also where no node has a time.
/// Format: schema/chakra.md.
LinkedJson read_linked_json(ByteSource& source, Diagnostics& diagnostics,
                            const Progress& progress = {});

}  // namespace nadi
