// The recipe: device traces of some ranks -> event tables, one after the other, to a writer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/converters/events/event_traces.h"
#include "nadi/converters/events/write_csv.h"
#include "nadi/converters/events/write_json_lines.h"
#include "nadi/converters/events/write_sqlite.h"
#include "nadi/events/event_table_reader.h"

namespace nadi {

/// Rows and memory that the table of one rank needed.
struct RankEvents {
  EventTrace trace;
  std::uint64_t rows = 0;
  std::size_t base_bytes = 0, text_bytes = 0, memory_bytes = 0;
  struct AttributeBytes {
    std::string column;
    AttributeType type;
    std::size_t bytes = 0;
  };
  std::vector<AttributeBytes> attributes;
};

struct EventsReport {
  std::vector<RankEvents> ranks;
  Diagnostics diagnostics;
};

/// Holds one table at a time; a table's rank is its trace's. With all_attributes several traces are
/// read twice, first for the columns. Throws what read_event_table and the writer throw.
EventsReport write_event_tables(const std::vector<EventTrace>& traces, EventTableOptions options,
                                EventWriter& writer, const Progress& progress = {});

}  // namespace nadi
