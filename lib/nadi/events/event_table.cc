#include "nadi/events/event_table.h"

#include <fmt/format.h>

#include "nadi/events/attribute_value.h"

namespace nadi {
namespace {

constexpr Ns kMicro = 1000;

/// Calls visit(column) for each base column.
template <class Table, class Visit>
void for_each_base_column(Table& table, const Visit& visit) {
  visit(table.index);
  visit(table.name);
  visit(table.cat);
  visit(table.pid);
  visit(table.tid);
  visit(table.ts_ns);
  visit(table.dur_ns);
  visit(table.index_correlation);
  visit(table.iteration);
}

template <class Table, class Visit>
void for_each_column(Table& table, const Visit& visit) {
  for_each_base_column(table, visit);
  for (auto& column : table.attributes) std::visit(visit, column.values);
}

/// `ns` down to whole microseconds, also below zero.
Ns floor_micros(Ns ns) {
  const Ns rest = ns % kMicro;
  return ns - rest - (rest < 0 ? kMicro : 0);
}

}  // namespace

std::size_t AttributeColumn::memory_bytes() const {
  return std::visit([](const auto& column) { return column.memory_bytes(); }, values);
}

const AttributeColumn* EventTable::find(std::string_view column) const {
  for (const AttributeColumn& candidate : attributes)
    if (candidate.attribute.column == column) return &candidate;
  return nullptr;
}

std::size_t EventTable::add_attribute(const Attribute& attribute) {
  AttributeColumn column{attribute, {}};
  switch (attribute.type) {
    case AttributeType::kInt:
      column.values = IntColumn(int_value(EventValue::of_json(attribute.fallback)).value_or(0));
      break;
    case AttributeType::kFloat:
      column.values = FloatColumn(float_value(EventValue::of_json(attribute.fallback)).value_or(0));
      break;
    case AttributeType::kString:
    case AttributeType::kObject:
      column.values = TextColumn(strings.intern(attribute.fallback));
      break;
  }
  std::visit([this](auto& values) { values.grow_to(rows); }, column.values);
  attributes.push_back(std::move(column));
  return attributes.size() - 1;
}

EventRowIndex EventTable::add_row() {
  if (rows % PiecewiseColumn<Ns>::kPieceRows == 0)
    for_each_column(*this, [this](auto& column) { column.grow_to(rows + 1); });
  return EventRowIndex(rows++);
}

void EventTable::move_row(EventRowIndex from, EventRowIndex to) {
  if (from != to) for_each_column(*this, [=](auto& column) { column.set(to, column[from]); });
}

void EventTable::shrink_to(std::size_t new_rows) {
  for_each_column(*this, [=](auto& column) { column.shrink_to(new_rows); });
  rows = new_rows;
}

std::size_t EventTable::base_bytes() const {
  std::size_t bytes = 0;
  for_each_base_column(*this, [&](const auto& column) { bytes += column.memory_bytes(); });
  return bytes;
}

std::size_t EventTable::attribute_bytes() const {
  std::size_t bytes = 0;
  for (const AttributeColumn& column : attributes) bytes += column.memory_bytes();
  return bytes;
}

std::size_t EventTable::memory_bytes() const {
  return base_bytes() + attribute_bytes() + strings.memory_bytes();
}

std::string attribute_text(const EventTable& table, const AttributeColumn& column,
                           EventRowIndex row) {
  if (const auto* ints = std::get_if<IntColumn>(&column.values))
    return fmt::format("{}", (*ints)[row]);
  if (const auto* floats = std::get_if<FloatColumn>(&column.values))
    return fmt::format("{}", (*floats)[row]);
  return std::string(table.strings[std::get<TextColumn>(column.values)[row]]);
}

std::int64_t hta_index_correlation(const EventTable& table, EventRowIndex row) {
  const std::int64_t index = table.index_correlation[row];
  return index == kPartnerAbsent ? 0 : index;
}

void round_to_micros(EventTable& table) {
  for (const EventRowIndex row : rows_of(table)) {
    const Ns start = -floor_micros(-table.ts_ns[row]), end = floor_micros(table.end_ns(row));
    table.ts_ns.set(row, start);
    table.dur_ns.set(row, end - start);
  }
}

}  // namespace nadi
