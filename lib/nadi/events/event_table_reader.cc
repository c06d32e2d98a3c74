#include "nadi/events/event_table_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/base/number_text.h"
#include "nadi/events/partners.h"
#include "nadi/events/token_value.h"
#include "nadi/read/category_table.h"
#include "nadi/read/device_header.h"
#include "nadi/read/device_walk.h"
#include "nadi/read/field_walk.h"
#include "nadi/read/key_table.h"

namespace nadi {
namespace {

/// Finds the number of a key of `args`; keys are added while reading.
class KeyNumbers {
 public:
  static constexpr std::uint16_t kNone = 0xffff;

  KeyNumbers() : slots_(kFirstSlots, kNone) {}

  std::uint16_t find(std::string_view key) const { return slots_[slot_of(key)]; }

  /// The number of a key, a new one if it has none. At most kNone keys.
  std::uint16_t add(std::string_view key) {
    const std::size_t slot = slot_of(key);
    if (slots_[slot] != kNone) return slots_[slot];
    keys_.emplace_back(key);
    slots_[slot] = static_cast<std::uint16_t>(keys_.size() - 1);
    if (keys_.size() * 4 > slots_.size()) grow();
    return static_cast<std::uint16_t>(keys_.size() - 1);
  }

  std::size_t size() const { return keys_.size(); }

 private:
  static constexpr std::size_t kFirstSlots = 512;

  // Length, first, middle and last byte tell most keys apart (as read/key_table.h).
  std::size_t slot_of(std::string_view key) const {
    const auto byte = [&](std::size_t i) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(key[i]));
    };
    std::uint32_t ends = static_cast<std::uint32_t>(key.size()) << 24;
    if (!key.empty()) ends ^= byte(0) | byte(key.size() - 1) << 8 | byte(key.size() / 2) << 16;
    std::size_t slot = static_cast<std::size_t>((ends * 0x9e3779b1U) >> 12) & (slots_.size() - 1);
    while (slots_[slot] != kNone && keys_[slots_[slot]] != key)
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  void grow() {
    slots_.assign(slots_.size() * 2, kNone);
    for (std::size_t i = 0; i < keys_.size(); ++i)
      slots_[slot_of(keys_[i])] = static_cast<std::uint16_t>(i);
  }

  std::vector<std::uint16_t> slots_;  // size is a power of two
  std::vector<std::string> keys_;
};

/// One event of a device trace as raw JSON tokens: the base columns, and those of the keys wanted.
struct EventTokens {
  struct Argument {
    std::uint16_t key;  ///< KeyNumbers::kNone: `name` is a key that has no number yet
    std::string_view name, token;
  };

  // Strings with their quotes; empty = absent or null.
  std::string_view name, category, pid, tid, time, duration;
  std::vector<Argument> arguments;  ///< in file order, none null

  /// Parses `event` (Window::kPadding readable bytes behind it); false = broken JSON. The tokens
  /// point into it. Keys without a number are passed over unless `all` are wanted.
  bool parse(JsonParser& parser, std::string_view event, const KeyNumbers& keys, bool all);
};

enum Slot : std::uint8_t { kName, kCategory, kPid, kTid, kTime, kDuration, kArguments, kSlots };

constexpr KeyTable kEventKeys(std::array{Key{"name", kName}, Key{"cat", kCategory},
                                         Key{"pid", kPid}, Key{"tid", kTid}, Key{"ts", kTime},
                                         Key{"dur", kDuration}, Key{"args", kArguments}});

/// The whole value; false = broken JSON. null gives empty text.
bool take(std::string_view token, JsonValue& value, std::string_view& text) {
  text = {};
  if (token.starts_with("null")) return true;
  text = whole_token(token, value);
  return !text.empty() && (text.front() != '"' || !has_bad_escape(text));
}

bool EventTokens::parse(JsonParser& parser, std::string_view event, const KeyNumbers& keys,
                        bool all) {
  name = category = pid = tid = time = duration = {};
  arguments.clear();
  const auto take_argument = [&](std::string_view key, std::string_view token, JsonValue& value) {
    const std::uint16_t number = keys.find(key);
    if (number == KeyNumbers::kNone && !all) return true;
    std::string_view text;
    if (!take(token, value, text)) return false;
    if (!text.empty()) arguments.push_back({number, key, text});
    return true;
  };
  const auto take_field = [&](std::string_view key, std::string_view token, JsonValue& value) {
    std::string_view* const places[] = {&name, &category, &pid, &tid, &time, &duration};
    const std::uint8_t slot = kEventKeys.find(key);
    if (slot == kNoSlot) return true;
    if (slot != kArguments) return take(token, value, *places[slot]);
    JsonObject object;
    return token.front() != '{' || (value.get_object().get(object) == simdjson::SUCCESS &&
                                    for_each_field(object, take_argument));
  };
  simdjson::ondemand::document document;
  JsonObject object;
  return open_object(parser, event, document, object) && for_each_field(object, take_field);
}

/// Puts the events of a device trace into the rows of an event table.
class RowBuilder {
 public:
  RowBuilder(EventTable& table, const EventTableOptions& options, Diagnostics& diagnostics);

  const KeyNumbers& keys() const { return keys_; }
  /// Adds event `number` of the list, if it makes a row.
  void add(const EventTokens& event, std::uint32_t number);

  std::vector<StepSpan> steps;  ///< of all steps seen, also those that make no row

 private:
  enum class Side : std::uint8_t { kHost, kDevice, kByStream };
  struct Category {
    std::string token;
    StringId text{};
    bool makes_rows = true, may_be_step = false;
    Side side = Side::kByStream;
  };

  Category look_at(std::string_view token);
  const Category& category_of(std::string_view token);
  RowTime time_of(const EventTokens& event, std::uint32_t number);
  void note_step(const EventTokens& event, const RowTime& time);
  void set_attributes(const EventTokens& event, std::size_t row, std::uint32_t number);
  void set_value(AttributeColumn& column, std::size_t row, std::string_view token,
                 std::uint32_t number);
  void add_key(const Attribute& attribute, std::size_t column);
  std::uint16_t make_column(std::string_view raw_key, std::string_view token);
  StringId intern(std::string_view token);

  EventTable& table_;
  const EventTableOptions& options_;
  Diagnostics& diagnostics_;
  KeyNumbers keys_;
  std::vector<std::vector<std::uint16_t>> columns_of_key_;
  std::vector<Category> categories_;
  Category other_;
  std::string scratch_;
};

constexpr std::size_t kMostColumns = 256;

constexpr std::size_t kMostCategories = 64;

constexpr std::string_view kStep = "ProfilerStep#";

constexpr std::uint16_t kCorrelationKey = 0, kStreamKey = 1;

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

void RowBuilder::note_step(const EventTokens& event, const RowTime& time) {
  const std::string_view name = unquoted(event.name);
  if (!name.starts_with(kStep)) return;
  const auto step = number_of_text<std::int32_t>(name.substr(kStep.size()));
  if (step && *step >= 0)
    steps.push_back({intern(event.pid), *step, time.start_ns, time.start_ns + time.duration_ns});
}

void RowBuilder::add(const EventTokens& event, std::uint32_t number) {
  if (event.category.empty() || event.duration.empty()) return;
  const Category& category = category_of(event.category);
  if (!category.makes_rows && !category.may_be_step) return;
  const RowTime time = time_of(event, number);
  if (!time.is_known()) return;
  if (category.may_be_step) note_step(event, time);
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
  const std::size_t processes = resolve_partners(table, std::move(visitor.rows.steps));
  if (processes > 1) diagnostics.report("several-processes", {}, processes);
  keep_iterations(table, options.iterations, source.name());
  if (options.round_to_micros) round_to_micros(table);
  return table;
}

}  // namespace nadi
