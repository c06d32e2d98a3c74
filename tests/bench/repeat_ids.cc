#include "repeat_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "nadi/read/time_text.h"

namespace nadi::bench {
namespace {

using namespace std::string_view_literals;

constexpr std::array kHostKeys{"id"sv,     "rf_id"sv,     "ctrl_deps"sv,
                               "parent"sv, "fw_parent"sv, "seq_id"sv};
constexpr std::array kDeviceKeys{"id"sv,
                                 "External id"sv,
                                 "external id"sv,
                                 "correlation"sv,
                                 "Ev Idx"sv,
                                 "Profiler Event Index"sv,
                                 "Record function id"sv,
                                 "Sequence number"sv,
                                 "wait_on_cuda_event_record_corr_id"sv};

/// A number behind a key: where it stands, and what kind it is.
struct Number {
  std::size_t begin = 0, end = 0;
  bool is_time = false;
  bool is_node_id = false;  // of the host trace, where 1 is the process root
};

bool is_digit(char c) { return (c >= '0' && c <= '9') || c == '-' || c == '.'; }

/// The next number of an interesting key at or behind `from`.
std::optional<Number> next_number(std::string_view text, std::size_t from, bool is_host) {
  for (std::size_t colon = text.find("\": ", from); colon != std::string_view::npos;
       colon = text.find("\": ", colon + 1)) {
    const std::size_t quote = text.rfind('"', colon - 1);
    if (quote == std::string_view::npos) continue;
    std::string_view key = text.substr(quote + 1, colon - quote - 1);
    std::size_t begin = colon + 3;
    // Chakra form: {"name": "rf_id", "type": "uint64", "value": 3}
    constexpr std::string_view kValue = "\"value\": ";
    if (is_host && key == "name") {
      const std::size_t end = text.find('"', begin + 1);
      const std::size_t value = text.find(kValue, begin);
      if (end == std::string_view::npos || value == std::string_view::npos || value > end + 40)
        continue;
      key = text.substr(begin + 1, end - begin - 1);
      begin = value + kValue.size();
    }
    const bool is_time = !is_host && key == "ts";
    const bool is_id =
        is_host ? std::find(kHostKeys.begin(), kHostKeys.end(), key) != kHostKeys.end()
                : std::find(kDeviceKeys.begin(), kDeviceKeys.end(), key) != kDeviceKeys.end();
    std::size_t end = begin;
    while (end < text.size() && is_digit(text[end])) ++end;
    if ((is_time || is_id) && end > begin)
      return Number{begin, end, is_time, is_host && key != "rf_id" && key != "seq_id"};
  }
  return std::nullopt;
}

std::int64_t id_of(std::string_view number) {
  std::int64_t value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value);
  return value;
}

bool is_none(std::int64_t id, bool is_node_id) { return id <= 0 || (is_node_id && id == 1); }

void append_time(std::string& out, std::string_view number, std::int64_t shift_ns) {
  const std::int64_t ns = nanoseconds_of(number).value_or(0) + shift_ns;
  if (number.find('.') == std::string_view::npos && ns % 1000 == 0)
    fmt::format_to(std::back_inserter(out), "{}", ns / 1000);
  else
    fmt::format_to(std::back_inserter(out), "{}.{:03}", ns / 1000, ns % 1000);
}

}  // namespace

std::uint64_t largest_id(std::string_view event, bool is_host) {
  std::int64_t largest = 0;
  std::size_t from = 0;
  while (const auto number = next_number(event, from, is_host)) {
    if (!number->is_time)
      largest = std::max(largest, id_of(event.substr(number->begin, number->end - number->begin)));
    from = number->end;
  }
  return static_cast<std::uint64_t>(largest);
}

void append_shifted(std::string& out, std::string_view event, bool is_host, const Shift& shift) {
  std::size_t from = 0;
  while (const auto number = next_number(event, from, is_host)) {
    const std::string_view text = event.substr(number->begin, number->end - number->begin);
    out += event.substr(from, number->begin - from);
    const std::int64_t id = id_of(text);
    if (number->is_time) {
      append_time(out, text, shift.time_ns);
    } else if (is_none(id, number->is_node_id)) {
      out += text;
    } else {
      fmt::format_to(std::back_inserter(out), "{}", static_cast<std::uint64_t>(id) + shift.ids);
    }
    from = number->end;
  }
  out += event.substr(from);
}

}  // namespace nadi::bench
