#include "nadi/events/event_table_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/base/number_text.h"
#include "nadi/base/utf8.h"
#include "nadi/events/attribute_value.h"
#include "nadi/events/partners.h"
#include "nadi/model/step_names.h"
#include "nadi/read/category_table.h"
#include "nadi/read/device_walk.h"

namespace nadi {
namespace {

/// Puts the events of a device trace into the rows of an event table.
class RowBuilder {
 public:
  RowBuilder(EventTable& table, const EventTableOptions& options, Diagnostics& diagnostics);

  const ArgumentKeys& keys() const { return keys_; }
  /// Adds event `number` of the list, if it makes a row.
  void add(const TraceEvent& event, std::uint32_t number);

  std::vector<StepSpan> steps;  ///< of all steps seen, also those that make no row

 private:
  enum class Side : std::uint8_t { kHost, kDevice, kByStream };
  struct Category {
    std::string written;
    StringId text{};
    bool makes_rows = true, may_be_step = false;
    Side side = Side::kByStream;
  };

  Category look_at(const EventValue& value);
  const Category& category_of(const EventValue& value);
  RowTime time_of(const TraceEvent& event, std::uint32_t number);
  void note_step(const TraceEvent& event, const RowTime& time);
  void set_attributes(const TraceEvent& event, EventRowIndex row, std::uint32_t number);
  void set_value(AttributeColumn& column, EventRowIndex row, const EventValue& value,
                 std::uint32_t number);
  void add_key(const Attribute& attribute, std::size_t column);
  std::uint16_t make_column(std::string_view raw_key, const EventValue& value);
  StringId intern(const EventValue& value);

  EventTable& table_;
  const EventTableOptions& options_;
  Diagnostics& diagnostics_;
  ArgumentKeys keys_;
  std::uint16_t correlation_key_ = keys_.add("correlation"), stream_key_ = keys_.add("stream");
  std::vector<std::vector<std::uint16_t>> columns_of_key_;
  std::vector<Category> categories_;
  Category other_;
  std::string scratch_;
};

constexpr std::size_t kMostColumns = 256;

constexpr std::size_t kMostCategories = 64;

RowBuilder::RowBuilder(EventTable& table, const EventTableOptions& options,
                       Diagnostics& diagnostics)
    : table_(table), options_(options), diagnostics_(diagnostics) {
  keys_.takes_all = options.all_attributes;
  columns_of_key_.resize(keys_.size());
  table_.index_correlation = PiecewiseColumn<std::int64_t>(-1);
  table_.iteration = PiecewiseColumn<std::int32_t>(-1);
  for (const Attribute& attribute : options.attributes)
    add_key(attribute, table_.add_attribute(attribute));
}

void RowBuilder::add_key(const Attribute& attribute, std::size_t column) {
  for (const std::string& raw : attribute.raw_keys) {
    const std::uint16_t key = keys_.add(raw);
    columns_of_key_.resize(keys_.size());
    columns_of_key_[key].push_back(static_cast<std::uint16_t>(column));
  }
}

StringId RowBuilder::intern(const EventValue& value) {
  return table_.strings.intern(text_value(value, scratch_));
}

RowBuilder::Category RowBuilder::look_at(const EventValue& value) {
  const std::string text(text_value(value, scratch_));
  Category category;
  category.written = value.view();
  const EventCategory kind = event_category_of(text);
  const auto& skipped = options_.skip_categories;
  const bool is_gpu_annotation = text == "gpu_user_annotation";
  category.makes_rows = text != "Trace" &&
                        std::find(skipped.begin(), skipped.end(), text) == skipped.end() &&
                        (options_.keep_gpu_annotations || !is_gpu_annotation);
  if (category.makes_rows) category.text = table_.strings.intern(text);
  category.may_be_step = kind == EventCategory::kAnnotation || kind == EventCategory::kOp;
  if (category.may_be_step || kind == EventCategory::kCall) {
    category.side = Side::kHost;
  } else if (is_gpu_annotation ||
             (kind >= EventCategory::kKernel && kind <= EventCategory::kEventRecord)) {
    category.side = Side::kDevice;
  }
  return category;
}

const RowBuilder::Category& RowBuilder::category_of(const EventValue& value) {
  for (const Category& known : categories_)
    if (known.written == value.view()) return known;
  if (categories_.size() >= kMostCategories) return other_ = look_at(value);
  return categories_.emplace_back(look_at(value));
}

RowTime RowBuilder::time_of(const TraceEvent& event, std::uint32_t number) {
  const RowTime time = row_time_of(event);
  if (time.is_known()) return time;
  diagnostics_.report(Finding::kGarbageTime, [&] {
    std::string duration;
    return fmt::format("event {}: ts {}, dur {}", number, event.value(Field::kTime).token(scratch_),
                       event.value(Field::kDuration).token(duration).substr(0, 40));
  });
  return {};
}

void RowBuilder::note_step(const TraceEvent& event, const RowTime& time) {
  if (const auto step = step_number(event.value(Field::kName).view()))
    steps.push_back(
        {intern(event.value(Field::kPid)), *step, time.start_ns, time.start_ns + time.duration_ns});
}

void RowBuilder::add(const TraceEvent& event, std::uint32_t number) {
  if (!event.has(Field::kCategory) || !event.has(Field::kDuration)) return;
  const Category& category = category_of(event.value(Field::kCategory));
  if (!category.makes_rows && !category.may_be_step) return;
  const RowTime time = time_of(event, number);
  if (!time.is_known()) return;
  if (category.may_be_step) note_step(event, time);
  if (!category.makes_rows) return;
  if (time.duration_ns > options_.max_duration_ns) {
    diagnostics_.report(Finding::kLongerThanAsked, "");
    return;
  }
  const EventRowIndex row = table_.add_row();
  table_.index.set(row, number);
  table_.name.set(row, intern(event.value(Field::kName)));
  table_.cat.set(row, category.text);
  table_.pid.set(row, intern(event.value(Field::kPid)));
  table_.tid.set(row, intern(event.value(Field::kTid)));
  table_.ts_ns.set(row, time.start_ns);
  table_.dur_ns.set(row, time.duration_ns);
  std::int64_t correlation = -1, stream = -1;
  for (const EventArgument& argument : event.arguments()) {
    if (argument.key == correlation_key_) correlation = argument.value.integer().value_or(-1);
    if (argument.key == stream_key_) stream = argument.value.integer().value_or(-1);
  }
  const bool is_device =
      category.side == Side::kDevice || (category.side == Side::kByStream && stream >= 0);
  table_.index_correlation.set(row, partner_mark(correlation, is_device));
  set_attributes(event, row, number);
}

void RowBuilder::set_attributes(const TraceEvent& event, EventRowIndex row, std::uint32_t number) {
  for (const EventArgument& argument : event.arguments()) {
    std::uint16_t key = argument.key;
    const bool is_new =
        key == ArgumentKeys::kNone || (options_.all_attributes && columns_of_key_[key].empty());
    if (is_new) key = make_column(argument.name, argument.value);
    if (key == ArgumentKeys::kNone) continue;
    for (const std::uint16_t column : columns_of_key_[key])
      set_value(table_.attributes[column], row, argument.value, number);
  }
}

/// The key's number, and a column for it; kNone = there are too many.
std::uint16_t RowBuilder::make_column(std::string_view raw_key, const EventValue& value) {
  const auto knows = [raw_key](const Attribute& known) {
    return std::find(known.raw_keys.begin(), known.raw_keys.end(), raw_key) != known.raw_keys.end();
  };
  const auto& registered = options_.registry.attributes;
  const auto known = std::find_if(registered.begin(), registered.end(), knows);
  Attribute attribute;
  if (known != registered.end()) {
    attribute = *known;
  } else {
    attribute.column = column_name_of(raw_key);
    attribute.raw_keys.emplace_back(raw_key);
    attribute.type = type_of(value);
    attribute.fallback = usual_fallback(attribute.type);
  }
  const AttributeColumn* same = table_.find(attribute.column);
  if (same == nullptr && table_.attributes.size() >= kMostColumns) {
    diagnostics_.report(Finding::kTooManyColumns, whole_prefix(raw_key, 80));
    return ArgumentKeys::kNone;
  }
  const std::size_t column = same != nullptr
                                 ? static_cast<std::size_t>(same - table_.attributes.data())
                                 : table_.add_attribute(attribute);
  if (same != nullptr && known == registered.end())
    table_.attributes[column].attribute.raw_keys.emplace_back(raw_key);
  attribute.raw_keys = {std::string(raw_key)};
  add_key(attribute, column);
  return keys_.find(raw_key);
}

void RowBuilder::set_value(AttributeColumn& column, EventRowIndex row, const EventValue& value,
                           std::uint32_t number) {
  if (auto* texts = std::get_if<TextColumn>(&column.values)) return texts->set(row, intern(value));
  if (auto* ints = std::get_if<IntColumn>(&column.values)) {
    if (const auto found = int_value(value)) return ints->set(row, *found);
  } else if (const auto found = float_value(value)) {
    return std::get<FloatColumn>(column.values).set(row, *found);
  }
  diagnostics_.report(Finding::kAttributeOfAnotherType, [&] {
    return fmt::format("{} = {} is no {}, event {}", column.attribute.column,
                       whole_prefix(value.token(scratch_), 40), to_string(column.attribute.type),
                       number);
  });
}

}  // namespace

EventTable read_event_table(ByteSource& source, const EventTableOptions& options,
                            Diagnostics& diagnostics, const Progress& progress) {
  EventTable table;
  DeviceTrace header;
  RowBuilder rows(table, options, diagnostics);
  const EventSubscriber subscriber{
      rows.keys(), header,
      [&](const TraceEvent& event, std::uint32_t index) { rows.add(event, index); }};
  walk_device_trace(source, subscriber, diagnostics, progress);
  table.rank = header.rank;
  table.base_time_ns = header.base_time_ns;
  const std::size_t processes = resolve_partners(table, std::move(rows.steps));
  if (processes > 1) diagnostics.report(Finding::kSeveralProcesses, {}, processes);
  keep_iterations(table, options.iterations, source.name());
  if (options.round_to_micros) round_to_micros(table);
  return table;
}

}  // namespace nadi
