// Event tables as CSV.
#pragma once

#include <memory>

#include "nadi/converters/events/write_events.h"
#include "nadi/emit/atomic_file.h"

namespace nadi {

/// A header and a line per row (RFC 4180, lines end in LF). ts, dur and end in microseconds, with
/// three decimals where the nanoseconds ask for it. `with_rank`: rank is the first column.
std::unique_ptr<EventWriter> csv_writer(ByteSink sink, bool with_rank);

}  // namespace nadi
