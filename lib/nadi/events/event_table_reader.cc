#include "nadi/events/event_table_reader.h"

#include <fmt/format.h>

#include "nadi/base/error.h"
#include "nadi/events/row_builder.h"
#include "nadi/read/device_header.h"
#include "nadi/read/trace_start.h"
#include "nadi/read/trace_walk.h"

namespace nadi {
namespace {

constexpr std::uint64_t kMostEvents = 0xfffffffeU;

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
    if (number > kMostEvents)
      throw Error(ErrorCode::kInput, fmt::format("event {}", number),
                  "more events than nadi can number", "Record fewer steps");
    rows.add(event_, static_cast<std::uint32_t>(number));
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
  Window window(source, progress);
  const std::string what = expect_trace(window, TraceType::kDeviceTrace);
  EventTable table;
  EventTableVisitor visitor(table, options, diagnostics);
  const WalkResult result = walk_trace(window, kDeviceTraceShape, visitor, diagnostics);
  window.finish();
  if (!result.found_list)
    refuse_trace(window, TraceType::kDeviceTrace, TraceType::kOther,
                 what + " without \"traceEvents\"");
  const std::string& damage = source.damage();
  if (!damage.empty())
    report_damage(source.name() + ": " + damage, diagnostics);
  else if (!result.list_closed && diagnostics.count("truncated-input") == 0)
    diagnostics.report("truncated-input", Severity::kLoss,
                       fmt::format("after event {}", result.events));
  resolve_partners(table, std::move(visitor.rows.steps));
  keep_iterations(table, options.iterations, source.name());
  if (options.round_to_micros) round_to_micros(table);
  return table;
}

}  // namespace nadi
