// Device rows of a linked JSON that it holds more than once, or of which it records only when they
// were launched.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/linked_json/linked_json.h"

namespace nadi {

/// Drops device rows that repeat another of the same name, start and stream, counted as
/// "device-row-recorded-twice": nodes that nadi writes for each operation a coalesced kernel
/// carries (same correlation, no length), and rows that MLCommons' linker hangs on a root as well
/// as on the launching op. Waits for the dropped become waits for the row kept.
void drop_repeated_rows(LinkedJson& json, Diagnostics& diagnostics);

/// MLCommons' linker gives a device row the time of its launch as `ts`. A row starts once it is
/// launched, the row before it on its stream has ended, and so have the rows its op waited for
/// (`sync_dep`) if the op itself returned before them. Rows without time or stream stay where they
/// are. Counted as "row-start-estimated". Time n log n, memory linear.
void estimate_row_starts(LinkedJson& json, Diagnostics& diagnostics);

}  // namespace nadi
