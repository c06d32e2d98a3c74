#include "nadi/events/event_table_reader.h"

#include "nadi/events/row_builder.h"
#include "nadi/read/device_header.h"
#include "nadi/read/device_walk.h"

namespace nadi {
namespace {

class EventTableVisitor : public TraceVisitor {
 public:
  EventTableVisitor(EventTable& table, const EventTableOptions& options, Diagnostics& diagnostics)
      : rows(table, options, diagnostics), table_(table), all_(options.all_attributes) {}

  bool wants(std::string_view key) const override {
    return key == "distributedInfo" || key == "baseTimeNanoseconds";
  }
  bool member(std::string_view key, std::string_view value) override {
    DeviceTrace header;
    if (!read_device_header(parser_, key, value, header)) return false;
    if (key == "distributedInfo")
      table_.rank = header.rank;
    else
      table_.base_time_ns = header.base_time_ns;
    return true;
  }
  bool event(std::string_view object, std::uint64_t number) override {
    if (!event_.parse(parser_, object, rows.keys(), all_)) return false;
    rows.add(event_, event_index(number));
    return true;
  }

  RowBuilder rows;

 private:
  EventTable& table_;
  JsonParser parser_;
  EventTokens event_;
  bool all_;
};

}  // namespace

EventTable read_event_table(ByteSource& source, const EventTableOptions& options,
                            Diagnostics& diagnostics, const Progress& progress) {
  EventTable table;
  EventTableVisitor visitor(table, options, diagnostics);
  walk_device_trace(source, visitor, diagnostics, progress);
  resolve_partners(table, std::move(visitor.rows.steps));
  keep_iterations(table, options.iterations, source.name());
  if (options.round_to_micros) round_to_micros(table);
  return table;
}

}  // namespace nadi
