#include "nadi/read/linked_json_reader.h"

#include <fmt/format.h>

#include "nadi/base/error.h"
#include "nadi/read/device_header.h"
#include "nadi/read/host_nodes.h"
#include "nadi/read/linked_json_rows.h"
#include "nadi/read/trace_start.h"
#include "nadi/read/trace_walk.h"

namespace nadi {
namespace {

constexpr std::uint64_t kMostNodes = 0xfffffffeU;
constexpr std::string_view kOwnSchemaKey = "source_schema", kNadiKey = "nadi",
                           kWaitsKey = "nadi_waits";

/// A node may end with any value: keys stand in the order in which the linker added them.
constexpr TraceShape kLinkedJsonShape{"nodes", false,   is_host_node_start, is_device_event_end,
                                      "node",  "\"id\""};

class LinkedJsonVisitor : public TraceVisitor {
 public:
  LinkedJsonVisitor(LinkedJson& json, Diagnostics& diagnostics)
      : json_(json), nodes_(json.host, diagnostics), rows_(json, diagnostics) {}

  bool wants(std::string_view key) const override {
    return HostNodeBuilder::wants(key) || key == kOwnSchemaKey || key == kNadiKey ||
           key == kWaitsKey;
  }

  bool member(std::string_view key, std::string_view value) override {
    if (key == kNadiKey) return read_own_facts(value);
    if (key == kWaitsKey) return rows_.add_blocking_calls(value, parser_);
    // Where nadi had to name a schema that MLCommons' converter takes, the trace's own counts.
    nodes_.add_member(key == kOwnSchemaKey ? "schema" : key, value);
    return true;
  }

  bool event(std::string_view object, std::uint64_t number) override {
    if (!node_.parse(parser_, object)) return false;
    if (number > kMostNodes)
      throw Error(ErrorCode::kInput, fmt::format("node {}", number),
                  "more nodes than nadi can number", "Link the traces of fewer steps");
    const bool is_row = LinkedJsonRowBuilder::is_device_row(node_);
    if (is_row)
      rows_.add_row(node_, number);
    else if (nodes_.add(node_, number))
      rows_.add_times(node_, number);
    else
      return true;
    // MLCommons' rows are copies of their launching op, with what that op waited for.
    if (!is_row || json_.is_by_nadi) rows_.add_waits(node_);
    return true;
  }

  std::uint64_t timed() const { return rows_.timed(); }
  void finish() {
    nodes_.name_groups();
    rows_.finish();
  }

 private:
  /// {"rank": 0, "base_time_ns": 1694128201435418000, "distributedInfo": {…}, "threads": […]}: what
  /// the host trace's header has no place for.
  bool read_own_facts(std::string_view value) {
    simdjson::ondemand::document document;
    JsonObject object;
    if (!open_object(parser_, value, document, object)) return false;
    json_.is_by_nadi = true;
    JsonParser inner;
    return for_each_field(
        object, [&](std::string_view name, std::string_view token, JsonValue& field) {
          const std::string_view whole = whole_token(token, field);
          if (name == "rank") json_.device.rank = integer_of(whole).value_or(-1);
          if (name == "base_time_ns") json_.device.base_time_ns = integer_of(whole).value_or(0);
          if (name == "threads") rows_.add_threads(whole, inner);
          if (name == "clock_corrections") json_.clocks = clock_corrections_of(whole, inner);
          return !whole.empty() && (name != "distributedInfo" || read_job(whole, inner));
        });
  }

  bool read_job(std::string_view value, JsonParser& parser) {
    const std::int64_t rank = json_.device.rank;
    const bool is_good = read_device_header(parser, "distributedInfo", value, json_.device);
    if (json_.device.rank < 0) json_.device.rank = rank;
    return is_good;
  }

  LinkedJson& json_;
  HostNodeBuilder nodes_;
  LinkedJsonRowBuilder rows_;
  JsonParser parser_;
  NodeFields node_;
};

}  // namespace

LinkedJson read_linked_json(ByteSource& source, Diagnostics& diagnostics,
                            const Progress& progress) {
  Window window(source, progress);
  const std::string what = expect_trace(window, TraceType::kLinkedJson);
  LinkedJson json;
  LinkedJsonVisitor visitor(json, diagnostics);
  const WalkResult result = walk_trace(window, kLinkedJsonShape, visitor, diagnostics);
  window.finish();
  if (!result.found_list)
    refuse_trace(window, TraceType::kLinkedJson, TraceType::kOther, what + " without \"nodes\"");
  const bool is_cut = !source.damage().empty() || !result.list_closed;
  const bool must_have_times = !(is_cut && what.starts_with("a linked"));
  if (visitor.timed() == 0 && must_have_times &&
      (!json.row_id.empty() || diagnostics.count("garbage-time") > 0))
    throw Error(ErrorCode::kInput, source.name(),
                diagnostics.count("garbage-time") > 0
                    ? "this is a linked trace of whose times none can be read"
                    : "this is a linked trace without times",
                "Link the two traces again, with nadi link");
  if (visitor.timed() == 0 && must_have_times && !what.starts_with("a linked"))
    refuse_trace(window, TraceType::kLinkedJson, TraceType::kHostTrace,
                 "a host trace: no node has a time");
  visitor.finish();
  if (!source.damage().empty())
    report_damage(source.name() + ": " + source.damage(), diagnostics);
  else if (is_cut && diagnostics.count("truncated-input") == 0)
    diagnostics.report("truncated-input", fmt::format("after node {}", result.events));
  return json;
}

}  // namespace nadi
