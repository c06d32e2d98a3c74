// Finds launches whose device row is lost (K24).
#pragma once

#include "nadi/model/call_names.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Fills launches and is_row_lost of linked.calls; rows know their launches already. A launch
/// without a row has lost it if other launches of its name have one, or if its name says what it
/// launches and no row of that kind is in the trace. Some calls leave no row by their nature and
/// have lost none: launches while a stream is captured (`Captures`), and copies and sets of no
/// bytes. Of these the call records the bytes, or it returned sooner than any launch does, and in
/// less than half of the time that the quickest call of its name with a row took.
void find_lost_rows(LinkedTrace& linked, const CallEffects& effects);

}  // namespace nadi
