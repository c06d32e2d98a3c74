// Device rows that a linked JSON holds more than once.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/model/linked_json.h"

namespace nadi {

/// Drops device rows that repeat another of the same name, start and stream, counted as
/// "device-row-recorded-twice": nodes that nadi writes for each operation a coalesced kernel
/// carries (same correlation, no length), and rows that MLCommons' linker hangs on a root as well
/// as on the launching op. Waits for the dropped become waits for the row kept.
void drop_repeated_rows(LinkedJson& json, Diagnostics& diagnostics);

}  // namespace nadi
