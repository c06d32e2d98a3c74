#include "nadi/converters/events/event_columns.h"

#include <optional>

#include "nadi/base/number_text.h"
#include "nadi/converters/events/cell_text.h"
#include "nadi/converters/events/event_traces.h"
#include "nadi/converters/events/events.h"
#include "nadi/events/event_table.h"

namespace nadi {

template <class Value, class ValueOf>
void EventColumns::add_column(const EventTable& table, const std::string& name,
                              const ValueOf& value) {
  if (next_ == columns_.size()) columns_.push_back({name, std::vector<Value>()});
  auto& values = std::get<std::vector<Value>>(columns_[next_++].values);
  values.reserve(values.size() + table.rows);
  for (const EventRowIndex row : rows_of(table)) values.push_back(static_cast<Value>(value(row)));
}

template <class NsOf>
void EventColumns::add_time(const EventTable& table, const char* name, const NsOf& ns) {
  if (are_rounded_)
    add_column<std::int64_t>(table, name, [&](EventRowIndex row) { return ns(row) / 1000; });
  else
    add_column<double>(table, name, [&](EventRowIndex row) { return micros_of(ns(row)); });
}

void EventColumns::add_texts(const EventTable& table, const std::string& name,
                             const PiecewiseColumn<StringId>& texts) {
  add_column<StringId>(table, name, [&](EventRowIndex row) {
    const StringId id = texts[row];
    StringId& ours = ours_[static_cast<std::size_t>(id)];
    if (ours == StringId::kEmpty) ours = strings_.intern(table.strings[id]);
    return ours;
  });
}

void EventColumns::add(const EventTable& table) {
  next_ = 0;
  ours_.assign(table.strings.size(), StringId::kEmpty);
  const auto numbers = [&](const std::string& name, const auto& number) {
    add_column<std::int64_t>(table, name, number);
  };
  if (with_rank_) numbers("rank", [&](EventRowIndex) { return table.rank; });
  numbers("index", [&](EventRowIndex row) { return table.index[row]; });
  add_texts(table, "name", table.name);
  add_texts(table, "cat", table.cat);
  add_texts(table, "pid", table.pid);
  add_texts(table, "tid", table.tid);
  add_time(table, "ts", [&](EventRowIndex row) { return table.ts_ns[row]; });
  add_time(table, "dur", [&](EventRowIndex row) { return table.dur_ns[row]; });
  for (const auto& [attribute, values] : table.attributes) {
    if (const auto* ints = std::get_if<IntColumn>(&values))
      numbers(attribute.column, [&](EventRowIndex row) { return (*ints)[row]; });
    else if (const auto* floats = std::get_if<FloatColumn>(&values))
      add_column<double>(table, attribute.column,
                         [&](EventRowIndex row) { return (*floats)[row]; });
    else
      add_texts(table, attribute.column, std::get<TextColumn>(values));
  }
  numbers("index_correlation",
          [&](EventRowIndex row) { return hta_index_correlation(table, row); });
  numbers("iteration", [&](EventRowIndex row) { return table.iteration[row]; });
  add_time(table, "end", [&](EventRowIndex row) { return table.end_ns(row); });
}

namespace {

/// The whole numbers that these texts are; nothing where one is none. Each text is looked at once.
std::optional<std::vector<std::int64_t>> numbers_of(const std::vector<StringId>& texts,
                                                    const StringTable& strings) {
  std::vector<std::optional<std::int64_t>> known(strings.size());
  std::vector<std::int64_t> numbers;
  numbers.reserve(texts.size());
  for (const StringId text : texts) {
    auto& number = known[static_cast<std::size_t>(text)];
    if (!number) number = number_of_text<std::int64_t>(strings[text]);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

ColumnTable EventColumns::take() {
  ColumnTable table;
  const auto strings = std::make_shared<const StringTable>(std::move(strings_));
  const ColumnTexts texts = texts_of(*strings);
  table.owners.push_back(strings);
  for (auto& [name, values] : columns_) {
    if (auto* ids = std::get_if<std::vector<StringId>>(&values)) {
      const bool is_id = name == "pid" || name == "tid";
      if (auto numbers = is_id ? numbers_of(*ids, *strings) : std::nullopt)
        table.take(name, std::move(*numbers));
      else
        table.take_codes(name, std::move(*ids), texts);
    } else if (auto* ints = std::get_if<std::vector<std::int64_t>>(&values))
      table.take(name, std::move(*ints));
    else
      table.take(name, std::move(std::get<std::vector<double>>(values)));
  }
  return table;
}

ColumnTable read_event_columns(const std::vector<std::string>& paths, std::string_view ranks,
                               const EventTableOptions& options, const Progress& progress,
                               Diagnostics& found) {
  const auto traces = choose_ranks(find_event_traces(paths, found), ranks);
  EventColumns columns(traces.size() > 1, options.round_to_micros);
  found.merge(write_event_tables(traces, options, columns, progress).diagnostics);
  return columns.take();
}

}  // namespace nadi
