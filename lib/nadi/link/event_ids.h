// Finds the records that waits were for by the ids of their events.
#pragma once

#include <cstdint>

#include "nadi/link/stream_calls.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// By sync row: the correlation of the event record that its wait was for; -1 = unknown.
struct RecordsOfWaits {
  ByRow<SyncRows, std::int64_t> correlation;
  ByRow<SyncRows, bool> is_inferred;  ///< found by the event's id or the record's place; else named
  /// NCCL's own wait of a communication's stream for its inner one, on which no rows run.
  ByRow<SyncRows, bool> is_idle;
};

/// True of a row that says for which event its wait was, but for no record or stream of it (K17).
bool names_event_alone(const SyncRows& syncs, SyncRowIndex row);

/// Returns the records that sync rows name, and of rows that name an event alone (K17) those that
/// follow from its id. CUDA numbers events as they are created, and PyTorch creates an event when
/// it is first recorded. So if a wait for event a directly follows its record, and later a wait for
/// event b does, then b - a events were created from the one record to the other. Other records in
/// between create an event or record an older one again; which lines of the program do which is
/// settled where only one choice gives these counts. Where the counts contradict each other, or
/// calls that blocked contradict them, no id is believed. An older event, of a pool, has two rules:
/// if all of its waits stand right behind a record, each is for the record before it; if the host
/// waits for it again and again, it is recorded at the only place of the program that records
/// something between any two of these waits. Where the trace has rows of records, some may be lost:
/// see name_lost_records.
RecordsOfWaits records_of_waits(const LinkedTrace& linked, const StreamCalls& calls);

}  // namespace nadi
