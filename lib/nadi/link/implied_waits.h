// Waits that calls imply by themselves.
#pragma once

#include <string_view>

#include "nadi/base/diagnostics.h"
#include "nadi/link/stream_timeline.h"
#include "nadi/link/waits.h"
#include "nadi/model/call_names.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

enum class CopyWait { kNo, kYes, kGuess };

/// Returns whether the call of a copy returns only when its row, of that name, is done. Pageable
/// host memory blocks although the call is named …Async (K20); ROCm does not record whether memory
/// is pageable or pinned.
CopyWait copy_waits(std::string_view row_name, CallEffect effect);

/// Adds the waits that calls imply by themselves: of device-wide synchronisations, of copies that
/// block or wait for their stream, of launches that wait for what they launched or find the queue
/// full, and of allocations during which the last of all pending rows ended.
void add_implied_waits(WaitList& waits, const LinkedTrace& linked, const StreamTimeline& timeline,
                       const CallEffects& effects, Diagnostics& diagnostics);

}  // namespace nadi
