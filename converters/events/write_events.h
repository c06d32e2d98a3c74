// Event tables as files: their format by name, and what each format's writer does.
#pragma once

#include <cstdint>
#include <string>

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

}  // namespace nadi
