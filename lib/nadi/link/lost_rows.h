// Finds launches whose device row is lost (K24).
#pragma once

#include "nadi/link/call_names.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Fills launches and is_row_lost of linked.calls; rows know their launches. A row is lost if no
/// row is its launch's, though other launches of that name have one, or no row of the trace is of
/// what the name says. A call that by its nature leaves no row has lost none: a launch while a
/// stream is captured (`Captures`); a copy or set of no bytes, as the call says, or as its return
/// shows: sooner than any launch, and in less than half of the time of its like.
void find_lost_rows(LinkedTrace& linked, const CallEffects& effects);

}  // namespace nadi
