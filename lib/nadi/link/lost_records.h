// Finds the records of waits whose rows the trace has lost.
#pragma once

#include "nadi/link/event_ids.h"
#include "nadi/link/stream_calls.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Sets in `records` what sync rows that name an event alone were for where the row of its record
/// is lost and the record's call is not: the call right before the wait, where other waits at the
/// same position in their ops were for the record right before them. By the event's id they would
/// seem to be for an older record, or for none.
void name_lost_records(const LinkedTrace& linked, const StreamCalls& calls,
                       RecordsOfWaits& records);

}  // namespace nadi
