#include "nadi/converters/events/events.h"

#include "nadi/base/error.h"

namespace nadi {
namespace {

/// All columns that any of the traces has; after this they are chosen one by one.
void choose_all_columns(const std::vector<EventTrace>& traces, EventTableOptions& options,
                        const Progress& progress) {
  EventTableOptions look = options;
  look.iterations = {};
  for (const EventTrace& trace : traces) {
    if (trace.path == "-")
      throw Error(ErrorCode::kUsage, "standard input",
                  "can be read only once, and all attributes of several traces need it twice",
                  "Pass files, or name the attributes");
    Diagnostics ignored;  // the second reading reports
    ByteSource source = ByteSource::open(trace.path);
    EventTable table = read_event_table(source, look, ignored, progress);
    look.attributes.clear();
    for (AttributeColumn& column : table.attributes)
      look.attributes.push_back(std::move(column.attribute));
  }
  options.attributes = std::move(look.attributes);
  options.all_attributes = false;
}

RankEvents needs_of(const EventTable& table, const EventTrace& trace) {
  RankEvents needs{
      trace, table.rows, table.base_bytes(), table.strings.memory_bytes(), table.memory_bytes(),
      {}};
  for (const AttributeColumn& column : table.attributes)
    needs.attributes.push_back(
        {column.attribute.column, column.attribute.type, column.memory_bytes()});
  return needs;
}

}  // namespace

EventsReport write_event_tables(const std::vector<EventTrace>& traces, EventTableOptions options,
                                EventWriter& writer, const Progress& progress) {
  if (options.all_attributes && traces.size() > 1) choose_all_columns(traces, options, progress);
  EventsReport report;
  for (const EventTrace& trace : traces) {
    ByteSource source = ByteSource::open(trace.path);
    Diagnostics found;
    EventTable table = read_event_table(source, options, found, progress);
    report.diagnostics.merge_of(trace.path, found);
    const EventTrace recorded = with_rank_read(trace, table.rank);
    table.rank = recorded.rank;
    writer.add(table);
    report.ranks.push_back(needs_of(table, recorded));
  }
  writer.finish();
  return report;
}

}  // namespace nadi
