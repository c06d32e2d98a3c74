// Finds what waited for what: waits of streams and of the host, from sync rows, event rows, or
// runtime calls.
#pragma once

#include <initializer_list>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/link/call_names.h"
#include "nadi/link/lanes.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// A shorter wait may be a call that found all done, beside work that happened to end then.
inline constexpr Ns kLeastBlocked = 5'000;
/// A copy or a launch whose call takes longer may have waited inside it.
inline constexpr Ns kLongCall = 20'000;

/// Appends to linked.actions what the `cuda_sync` rows say (K16-K19), events resolved by the
/// recorded correlation or by the `cuda_event` rows; marks the blocking calls in linked.calls.role,
/// and adds the lanes of streams that ran no rows.
/// A stream's wait that tells the other stream only is for all
/// work of that stream by the last event record before it, inferred.
void add_sync_row_waits(LinkedTrace& linked, LaneTable& lanes, const std::vector<CallKind>& kinds,
                        Diagnostics& diagnostics);

/// Appends what calls imply by themselves: device-wide synchronisation, copies that block or wait
/// for their stream, and allocations inside which all rows of the device ended. Marks the calls
/// that block.
void add_implied_waits(LinkedTrace& linked, const std::vector<CallKind>& kinds,
                       Diagnostics& diagnostics);

/// Appends guesses for copies whose device row is lost (K24): a call of over 20 us waited for the
/// stream for which alone the known copies of its name and thread have waited, if the last work of
/// that stream ended inside it, before its return by no more than one of those copies took.
void add_waits_of_lost_copies(LinkedTrace& linked, const std::vector<CallKind>& kinds,
                              Diagnostics& diagnostics);

/// Appends guesses for waits of which the trace tells the call only (K20), where unambiguous;
/// marked inferred. Marks every synchronisation with a stream or an event as blocking.
void add_inferred_waits(LinkedTrace& linked, const std::vector<CallKind>& kinds,
                        Diagnostics& diagnostics);

/// Appends a wait of the host in the call, and marks the call as blocking.
void add_host_wait(LinkedTrace& linked, StreamAction wait, std::uint32_t call);

/// Marks the call as one that blocks, whether or not it is known for what.
void mark_blocking(LinkedTrace& linked, std::uint32_t call);

/// True once some recorded or implied wait made the call a blocking one.
bool is_blocking(const LinkedTrace& linked, std::uint32_t call);

/// Calls of the given kinds by start time.
std::vector<std::uint32_t> calls_in_time_order(const RuntimeCalls& calls,
                                               const std::vector<CallKind>& kinds,
                                               std::initializer_list<CallKind> wanted);

/// Sorts linked.actions into API order (time, then correlation), keeping record references right.
void sort_actions(LinkedTrace& linked);

}  // namespace nadi
