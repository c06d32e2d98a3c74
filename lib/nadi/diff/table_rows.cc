#include "nadi/diff/table_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "nadi/model/step_names.h"

namespace nadi {
namespace {

const IntColumn* ints_of(const EventTable& table, std::string_view column) {
  const AttributeColumn* found = table.find(column);
  assert(found != nullptr && "the table was read without an attribute the diff needs");
  return &std::get<IntColumn>(found->values);
}

}  // namespace

TableRows::TableRows(const EventTable& table)
    : table_(table), stream_(ints_of(table, "stream")), device_(ints_of(table, "device")) {
  look_at_texts();
  std::int64_t known = -1;
  for (const EventRowIndex row : rows_of(table)) {
    if (!is_work(row) || device(row) < 0) continue;
    has_many_devices_ |= known >= 0 && known != device(row);
    known = device(row);
    if (has_many_devices_) break;
  }
}

/// Categories and names share the table of texts, so each is looked at as both.
void TableRows::look_at_texts() {
  const StringTable& strings = table_.strings;
  kinds_.reserve(strings.size());
  is_step_name_.reserve(strings.size());
  for (std::size_t id = 0; id < strings.size(); ++id) {
    const std::string_view text = strings[StringId(static_cast<std::uint32_t>(id))];
    kinds_.push_back(event_category_of(text));
    is_step_name_.push_back(is_step_name(text));
  }
}

std::string TableRows::device_name(EventRowIndex row) const {
  return has_many_devices_ ? fmt::format("device {}", device(row)) : "device";
}

std::string TableRows::stream_name(EventRowIndex row) const {
  const std::string stream_text = fmt::format("stream {}", stream(row));
  return has_many_devices_ ? device_name(row) + ", " + stream_text : stream_text;
}

bool TableRows::is_work(EventRowIndex row) const {
  switch (kind(row)) {
    case EventCategory::kKernel:
    case EventCategory::kMemcpy:
    case EventCategory::kMemset:
    case EventCategory::kOtherDevice:
    case EventCategory::kHostNode:
      return true;
    default:
      return false;
  }
}

EventRowIndex TableRows::partner(EventRowIndex row) const {
  const std::int64_t index = table_.index_correlation[row];
  if (index < 0) return {};
  const EventRowIndex end(table_.rows);
  EventRowIndex low(0), high = end;  // rows are in order of their index
  while (low < high) {
    const EventRowIndex middle = low + (high - low) / 2;
    if (table_.index[middle] < index)
      low = middle + 1;
    else
      high = middle;
  }
  return low < end && table_.index[low] == index ? low : EventRowIndex();
}

std::string TableRows::text(const AttributeColumn* column, EventRowIndex row) const {
  return column == nullptr ? std::string() : attribute_text(table_, *column, row);
}

std::vector<IterationRows> rows_by_iteration(const EventTable& table) {
  const std::vector<std::int32_t>& numbers = table.iterations;
  std::vector<IterationRows> groups(std::max<std::size_t>(numbers.size(), 1));
  for (std::size_t i = 0; i < numbers.size(); ++i) groups[i].iteration = numbers[i];
  std::size_t group = 0;
  for (const EventRowIndex row : rows_of(table)) {
    const std::int32_t iteration = table.iteration[row];
    if (!numbers.empty() && numbers[group] != iteration) {
      const auto found = std::lower_bound(numbers.begin(), numbers.end(), iteration);
      if (found == numbers.end() || *found != iteration) continue;
      group = static_cast<std::size_t>(found - numbers.begin());
    }
    groups[group].rows.push_back(row);
  }
  std::erase_if(groups, [](const IterationRows& rows) { return rows.rows.empty(); });
  return groups;
}

}  // namespace nadi
