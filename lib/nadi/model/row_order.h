// Orders of device rows: along each lane, and in the order in which the host enqueued them.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/model/linked_trace.h"

namespace nadi {

/// Device rows of each lane in start order (ties: API order); empty for host lanes.
std::vector<std::vector<std::uint32_t>> rows_by_lane(const LinkedTrace& linked);

/// The row's place in API order: when it can at the latest have been enqueued.
Ns enqueue_ns(const LinkedTrace& linked, std::size_t row);

/// All device rows in API order: by enqueue time, then correlation, then file order.
std::vector<std::uint32_t> rows_in_api_order(const LinkedTrace& linked);

/// Start of a row; a row whose times are garbage stands at its launch, else at the trace's start.
Ns row_start_ns(const LinkedTrace& linked, std::size_t row);
Ns row_end_ns(const LinkedTrace& linked, std::size_t row);

}  // namespace nadi
