// Infers what waits were for of which the trace records only the call (K20, K26): from PyTorch's
// own call sequences, from what ran when, and from the same call site in other iterations.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/link/event_ids.h"
#include "nadi/link/stream_calls.h"
#include "nadi/link/waits.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Work that somebody waits for: all that a lane had been given by a call.
struct WaitSource {
  LaneIndex lane;
  CallIndex call;
  Ns time_ns = 0;
  std::int64_t correlation = -1;
};

/// Returns the work that the lane had been given by the time of the call, the rows of the call
/// included.
WaitSource given_by(const LinkedTrace& linked, LaneIndex lane, CallIndex call);
/// Returns the work that the lane of the row had been given up to the row, the row included.
WaitSource given_with_row(const LinkedTrace& linked, DeviceRowIndex row);

/// True if the target row may have waited for the source row by their stamps: the source had ended
/// when the target started. Also true if either is none.
bool may_wait_for(const LinkedTrace& linked, DeviceRowIndex source, DeviceRowIndex target);

/// True if the target row was launched so long before the source row ended that its launch had
/// reached the device by then, so that it began no later for that.
bool was_launched_before_end(const LinkedTrace& linked, DeviceRowIndex source,
                             DeviceRowIndex target);

/// Adds a wait of the stream `waiting` for the source; `call` is the call that made the stream
/// wait.
void add_stream_wait(WaitList& waits, const LinkedTrace& linked, CallIndex call, LaneIndex waiting,
                     const WaitSource& source, Inference inference);
/// Adds a wait of the host for all that a stream was given before the call.
void add_stream_sync(WaitList& waits, CallIndex call, LaneIndex lane, Inference inference);
/// Adds a wait of the host, in a call that synchronises with an event.
void add_event_wait(WaitList& waits, CallIndex call, const WaitSource& source, Inference inference);

/// Opens the waits of which nothing but the call is known so far.
void open_unknown_waits(WaitList& waits, const StreamCalls& calls);
/// Infers what the open waits were for.
void infer_waits(WaitList& waits, const LinkedTrace& linked, const StreamCalls& calls,
                 Diagnostics& diagnostics);
/// Adds waits, marked as inferred, for calls of which the trace does not record what they waited
/// for (K20), if only one answer is possible. Marks every call that synchronises with a stream or
/// an event as blocking.
void add_inferred_waits(WaitList& waits, const LinkedTrace& linked, const StreamCalls& calls,
                        const RecordsOfWaits& records, Diagnostics& diagnostics);

/// True if the trace has sync rows for the waits of streams: then a wait without such a row has
/// lost it. False if these rows name a record without its stream (N27), or if none of them names a
/// stream and there are no rows of records (K17).
bool records_stream_waits(const LinkedTrace& linked);

}  // namespace nadi
