// Infers what waits were for of which the trace records only the call (K20, K26): from PyTorch's
// own call sequences, from what ran when, and from the same call site in other iterations.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/link/stream_calls.h"
#include "nadi/link/waits.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// A row that starts so much later than all that is known explains was held up by something else.
inline constexpr Ns kLeastLate = 20'000;

/// Work that somebody waits for: all that a lane had been given by a call.
struct WaitSource {
  LaneIndex lane;
  CallIndex call;
  Ns time_ns = 0;
  std::int64_t correlation = -1;
};

/// Returns all that the lane had been given by the call, its own rows included.
WaitSource given_by(const LinkedTrace& linked, LaneIndex lane, CallIndex call);
/// Returns the row, and what its lane had been given before it.
WaitSource given_with_row(const LinkedTrace& linked, DeviceRowIndex row);

/// True where the source row ended by the target's start, as exactly as stamps are. A row that is
/// none contradicts nothing.
bool may_wait_for(const LinkedTrace& linked, DeviceRowIndex source, DeviceRowIndex target);

void add_stream_wait(WaitList& waits, const LinkedTrace& linked, CallIndex call, LaneIndex waiting,
                     const WaitSource& source, Inference inference);
/// Adds a wait of the host, in a call that synchronises with an event.
void add_event_wait(WaitList& waits, CallIndex call, const WaitSource& source, Inference inference);

/// Marks the waits of which the trace tells the call only as open.
void find_open_waits(const WaitList& waits, const LinkedTrace& linked, StreamCalls& calls);
/// Infers those that are open.
void infer_waits(WaitList& waits, const LinkedTrace& linked, StreamCalls& calls,
                 Diagnostics& diagnostics);

/// True where sync rows record the waits of streams, all but those whose row is lost; not where
/// they name records without their streams (N27).
bool tells_stream_waits(const LinkedTrace& linked);
std::size_t streams_with_rows(const LinkedTrace& linked);

/// Infers waits of streams by PyTorch's patterns (K29), around infer_timed_stream_waits: where a
/// pattern leaves several works of one stream to choose from, what ran when decides, if it shows
/// anything. Marks as not open what is explained, and waits that can hold up nothing: of streams
/// that NCCL and PyTorch run no rows on.
void infer_stream_waits(WaitList& waits, const LinkedTrace& linked, StreamCalls& calls);

/// Finds FSDP's prefetches. It gathers parameters on a stream of its own, which runs no rows: the
/// thread waits for the all-gather there (a prefetch) and records an event behind it, for the
/// current stream to wait for later (its use), one after the other, maybe right behind a record
/// that has nothing to do with it. A thread that uses few of them records the current stream behind
/// ordinary waits.
void find_prefetches(const LinkedTrace& linked, StreamCalls& calls);

/// Infers the waits of streams that what ran when shows, and those of the same call sites in other
/// iterations.
void infer_timed_stream_waits(WaitList& waits, const LinkedTrace& linked, StreamCalls& calls);

/// Infers synchronisations with events that wait in a queue, as of FSDP's gathered parameters and
/// of double buffers: where those at one path of the program that blocked were for the n-th last
/// event, so are the others, unless one contradicts it.
void infer_queued_event_waits(WaitList& waits, const LinkedTrace& linked, StreamCalls& calls);

/// Infers the waits of host threads that what ran when shows, and those of the same call sites.
void infer_timed_host_waits(WaitList& waits, const LinkedTrace& linked, StreamCalls& calls,
                            Diagnostics& diagnostics);

}  // namespace nadi
