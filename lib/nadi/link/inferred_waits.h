// Infers what waits were for of which the trace records only the call (K20, K26): from PyTorch's
// own call sequences, from what ran when, and from the same call site in other iterations.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/link/stream_calls.h"
#include "nadi/link/waits.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// A row was held up by something else if it starts this much later than its launch, its lane and
/// its known waits explain.
inline constexpr Ns kLeastLate = 20'000;

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

/// True where the stamps allow that the target row waited for the source row, which ended by then.
/// Also true where either is none.
bool may_wait_for(const LinkedTrace& linked, DeviceRowIndex source, DeviceRowIndex target);

/// Adds a wait of the stream `waiting` for the source; `call` told the stream to wait.
void add_stream_wait(WaitList& waits, const LinkedTrace& linked, CallIndex call, LaneIndex waiting,
                     const WaitSource& source, Inference inference);
/// Adds a wait of the host, in a call that synchronises with an event.
void add_event_wait(WaitList& waits, CallIndex call, const WaitSource& source, Inference inference);

/// Marks as open the waits of which nothing but the call is known so far.
void find_open_waits(const WaitList& waits, const LinkedTrace& linked, StreamCalls& calls);
/// Infers what the open waits were for.
void infer_waits(WaitList& waits, const LinkedTrace& linked, StreamCalls& calls,
                 Diagnostics& diagnostics);

/// True where the trace has sync rows of the waits of streams, so that a wait without one has lost
/// its row. False where such rows name a record without its stream (N27).
bool tells_stream_waits(const LinkedTrace& linked);
std::size_t streams_with_rows(const LinkedTrace& linked);

/// Infers what streams waited for, by PyTorch's patterns (K29) and by timing. First come patterns
/// that leave one answer, then infer_timed_stream_waits. Where a pattern leaves several works of
/// one stream to choose from, and timing shows nothing, it is the first of them. What is explained
/// is no longer open; nor are waits that can hold up nothing, since they are of streams on which
/// NCCL and PyTorch run no rows.
void infer_stream_waits(WaitList& waits, const LinkedTrace& linked, StreamCalls& calls);

/// Finds FSDP's prefetches and marks them in `calls`. FSDP gathers parameters ahead, on a stream
/// that runs no rows. On that stream the thread waits for the all-gather (the prefetch) and records
/// an event behind this wait. Later the thread lets the current stream wait for that event (the
/// use). Prefetches are used in the order in which they are made; but the last one is used first
/// where the record before the use is its own. A thread that uses few of them has none: its records
/// behind waits are of the current stream.
void find_prefetches(const LinkedTrace& linked, StreamCalls& calls);

/// Infers what streams waited for from timing: a row started right when a row of another lane had
/// ended. What is seen so at a call site also holds for the same call site in other iterations.
void infer_timed_stream_waits(WaitList& waits, const LinkedTrace& linked, StreamCalls& calls);

/// Infers what the host waited for where events go through a queue, as FSDP's for gathered
/// parameters and those of double buffers do. If the synchronisations at one path of the program
/// that blocked were all for the n-th last event, the others at that path are so, too, unless one
/// contradicts it.
void infer_queued_event_waits(WaitList& waits, const LinkedTrace& linked, StreamCalls& calls);

/// Infers what host threads waited for from timing: work ended inside the call, shortly before it
/// returned. What is seen so at a call site also holds for its other calls.
void infer_timed_host_waits(WaitList& waits, const LinkedTrace& linked, StreamCalls& calls,
                            Diagnostics& diagnostics);

}  // namespace nadi
