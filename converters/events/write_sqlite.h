// Event tables as a SQLite file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "nadi/converters/events/write_events.h"

namespace nadi {

/// The tables for the rows of several ranks in SQLite: `events`, or `events_<rank>` each.
enum class SqliteTables : std::uint8_t { kOne, kPerRank };

/// Writes a new SQLite file at `path`, which must not exist. Each table has columns rank and times
/// in nanoseconds (ts_ns, dur_ns, end_ns), indexes on index, ts_ns and correlation, and views
/// `launches` (a row per device row and its launch) and `steps` (a row per iteration; dur_ns
/// is ProfilerStep's, span_ns from its first row to its last). Throws
/// Error(kInput) where it cannot be written, Error(kUsage) for columns that differ by case only.
std::unique_ptr<EventWriter> sqlite_writer(const std::string& path, SqliteTables tables);

}  // namespace nadi
