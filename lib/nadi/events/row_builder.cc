#include "nadi/events/row_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "nadi/events/token_value.h"
#include "nadi/read/category_table.h"

namespace nadi {
namespace {

constexpr std::size_t kMostColumns = 256;
constexpr std::size_t kMostCategories = 64;
constexpr std::string_view kStep = "ProfilerStep#";
constexpr std::uint16_t kCorrelationKey = 0, kStreamKey = 1;

}  // namespace

RowBuilder::RowBuilder(EventTable& table, const EventTableOptions& options,
                       Diagnostics& diagnostics)
    : table_(table), options_(options), diagnostics_(diagnostics) {
  keys_.add("correlation");
  keys_.add("stream");
  columns_of_key_.resize(2);
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

StringId RowBuilder::intern(std::string_view token) {
  return table_.strings.intern(text_value(token, scratch_));
}

RowBuilder::Category RowBuilder::look_at(std::string_view token) {
  const std::string text(text_value(token, scratch_));
  Category category;
  category.token = token;
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

const RowBuilder::Category& RowBuilder::category_of(std::string_view token) {
  for (const Category& known : categories_)
    if (known.token == token) return known;
  if (categories_.size() >= kMostCategories) return other_ = look_at(token);
  return categories_.emplace_back(look_at(token));
}

RowTime RowBuilder::time_of(const EventTokens& event, std::uint32_t number) {
  const RowTime time = row_time_of(event.time, event.duration);
  if (time.is_known()) return time;
  diagnostics_.report("garbage-time", [&] {
    return fmt::format("event {}: ts {}, dur {}", number, event.time, event.duration.substr(0, 40));
  });
  return {};
}

void RowBuilder::note_step(std::string_view name, const RowTime& time) {
  name = unquoted(name);
  if (!name.starts_with(kStep)) return;
  const char* const end = name.data() + name.size();
  std::int32_t step = -1;
  const auto [behind, error] = std::from_chars(name.data() + kStep.size(), end, step);
  if (error == std::errc() && behind == end && step >= 0)
    steps.push_back({step, time.start_ns, time.start_ns + time.duration_ns});
}

void RowBuilder::add(const EventTokens& event, std::uint32_t number) {
  if (event.category.empty() || event.duration.empty()) return;
  const Category& category = category_of(event.category);
  if (!category.makes_rows && !category.may_be_step) return;
  const RowTime time = time_of(event, number);
  if (!time.is_known()) return;
  if (category.may_be_step) note_step(event.name, time);
  if (!category.makes_rows) return;
  if (time.duration_ns > options_.max_duration_ns) {
    diagnostics_.report("longer-than-asked", "");
    return;
  }
  const std::size_t row = table_.add_row();
  table_.index.set(row, number);
  table_.name.set(row, intern(event.name));
  table_.cat.set(row, category.text);
  table_.pid.set(row, intern(event.pid));
  table_.tid.set(row, intern(event.tid));
  table_.ts_ns.set(row, time.start_ns);
  table_.dur_ns.set(row, time.duration_ns);
  std::int64_t correlation = -1, stream = -1;
  for (const EventTokens::Argument& argument : event.arguments) {
    if (argument.key == kCorrelationKey) correlation = integer_of(argument.token).value_or(-1);
    if (argument.key == kStreamKey) stream = integer_of(argument.token).value_or(-1);
  }
  const bool is_device =
      category.side == Side::kDevice || (category.side == Side::kByStream && stream >= 0);
  table_.index_correlation.set(row, partner_mark(correlation, is_device));
  set_attributes(event, row, number);
}

void RowBuilder::set_attributes(const EventTokens& event, std::size_t row, std::uint32_t number) {
  for (const EventTokens::Argument& argument : event.arguments) {
    std::uint16_t key = argument.key;
    const bool is_new =
        key == KeyNumbers::kNone || (options_.all_attributes && columns_of_key_[key].empty());
    if (is_new) key = make_column(argument.name, argument.token);
    if (key == KeyNumbers::kNone) continue;
    for (const std::uint16_t column : columns_of_key_[key])
      set_value(table_.attributes[column], row, argument.token, number);
  }
}

/// The key's number, and a column for it; kNone = there are too many.
std::uint16_t RowBuilder::make_column(std::string_view raw_key, std::string_view token) {
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
    attribute.type = type_of_token(token);
    attribute.fallback = usual_fallback(attribute.type);
  }
  const AttributeColumn* same = table_.find(attribute.column);
  if (same == nullptr && table_.attributes.size() >= kMostColumns) {
    diagnostics_.report("too-many-columns", raw_key.substr(0, 80));
    return KeyNumbers::kNone;
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

void RowBuilder::set_value(AttributeColumn& column, std::size_t row, std::string_view token,
                           std::uint32_t number) {
  if (auto* texts = std::get_if<TextColumn>(&column.values)) return texts->set(row, intern(token));
  if (auto* ints = std::get_if<IntColumn>(&column.values)) {
    if (const auto value = int_value(token)) return ints->set(row, *value);
  } else if (const auto value = float_value(token)) {
    return std::get<FloatColumn>(column.values).set(row, *value);
  }
  diagnostics_.report("attribute-of-another-type", [&] {
    return fmt::format("{} = {} is no {}, event {}", column.attribute.column, token.substr(0, 40),
                       to_string(column.attribute.type), number);
  });
}

}  // namespace nadi
