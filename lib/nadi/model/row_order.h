// Orders of device rows: along each lane, and in the order in which the host enqueued them.
#pragma once

#include "nadi/model/linked_trace.h"

namespace nadi {

/// A row that waited for work starts within this time of its end, ns.
inline constexpr Ns kRowFollows = 4'000;

/// Start of a row; a row whose times are garbage stands at its launch, else at the trace's
/// start.
inline Ns row_start_ns(const LinkedTrace& linked, DeviceRowIndex row) {
  const Ns start = linked.device.rows.start_ns[row];
  if (start != kNoTime) return start;
  const Ns launch = linked.rows.launch_ns[row];
  return launch != kNoTime ? launch : linked.device.first_ns;
}

inline Ns row_end_ns(const LinkedTrace& linked, DeviceRowIndex row) {
  return row_start_ns(linked, row) + linked.device.rows.duration_ns[row];
}

/// The row's position in API order: when it can at the latest have been enqueued.
inline Ns enqueue_ns(const LinkedTrace& linked, DeviceRowIndex row) {
  return linked.rows.enqueue_ns[row];
}

/// Sets LinkedTrace::rows_by_lane and rows_in_api_order.
void order_rows(LinkedTrace& linked);

}  // namespace nadi
