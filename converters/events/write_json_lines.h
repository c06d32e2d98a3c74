// Event tables as JSON lines.
#pragma once

#include <memory>

#include "nadi/converters/events/write_events.h"
#include "nadi/emit/atomic_file.h"

namespace nadi {

/// An object per row and line; times as in CSV; Objects that are JSON stay it, others are strings.
std::unique_ptr<EventWriter> json_lines_writer(ByteSink sink, bool with_rank);

}  // namespace nadi
