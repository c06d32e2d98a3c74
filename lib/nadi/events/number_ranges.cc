#include "nadi/events/number_ranges.h"

#include <algorithm>
#include <charconv>

namespace nadi {
namespace {

/// The number at the front of `text`, which is taken off.
bool take_number(std::string_view& text, std::int32_t& number) {
  const bool is_number = !text.empty() && text.front() >= '0' && text.front() <= '9';
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return is_number && error == std::errc();
}

bool take(std::string_view& text, char wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string NumberRange::text() const {
  return std::to_string(first) + (first == last ? "" : "-" + std::to_string(last));
}

std::optional<std::vector<NumberRange>> parse_number_ranges(std::string_view text) {
  std::vector<NumberRange> ranges;
  do {
    NumberRange range;
    if (!take_number(text, range.first)) return std::nullopt;
    range.last = range.first;
    if (take(text, '-') && !take_number(text, range.last)) return std::nullopt;
    if (range.last < range.first) return std::nullopt;
    ranges.push_back(range);
  } while (take(text, ','));
  if (!text.empty()) return std::nullopt;
  return ranges;
}

bool holds(const std::vector<NumberRange>& ranges, std::int64_t number) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [number](const NumberRange& range) { return range.holds(number); });
}

}  // namespace nadi
