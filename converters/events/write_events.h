// Event tables as files: CSV, JSON lines, SQLite.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nadi/emit/atomic_file.h"
#include "nadi/events/event_table.h"

namespace nadi {

enum class EventFormat : std::uint8_t { kCsv, kJsonLines, kSqlite };

/// Returns the format by the ending of the path: .csv, .jsonl or .ndjson, .sqlite or .db. Throws
/// Error(kUsage) for others.
EventFormat event_format_of(const std::string& path);

/// Takes the tables of one or more ranks, one after the other; all have the same attributes.
class EventWriter {
 public:
  virtual ~EventWriter() = default;
  virtual void add(const EventTable& table) = 0;
  /// Writes what is left. Call once, last.
  virtual void finish() = 0;
};

/// A header and a line per row (RFC 4180, lines end in LF). ts, dur and end in microseconds, with
/// three decimals where the nanoseconds ask for it. `with_rank`: rank is the first column.
std::unique_ptr<EventWriter> csv_writer(ByteSink sink, bool with_rank);

/// An object per row and line; times as in CSV; Objects that are JSON stay it, others are strings.
std::unique_ptr<EventWriter> json_lines_writer(ByteSink sink, bool with_rank);

/// The tables for the rows of several ranks in SQLite: `events`, or `events_<rank>` each.
enum class SqliteTables : std::uint8_t { kOne, kPerRank };

/// Writes a new SQLite file at `path`, which must not exist. Each table has columns rank and times
/// in nanoseconds (ts_ns, dur_ns, end_ns), indexes on index, ts_ns and correlation, and views
/// `launches` (a row per device row and its launch) and `steps` (a row per iteration; dur_ns
/// is ProfilerStep's, span_ns from its first row to its last). Throws
/// Error(kInput) where it cannot be written, Error(kUsage) for columns that differ by case only.
std::unique_ptr<EventWriter> sqlite_writer(const std::string& path, SqliteTables tables);

}  // namespace nadi
