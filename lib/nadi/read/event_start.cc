#include "nadi/read/event_start.h"

#include <algorithm>
#include <array>

#include "nadi/read/json_text.h"

namespace nadi {
namespace {

constexpr std::size_t kMostAttributeBytes = 1 << 10;

/// The first key of the object at the front of `text`; empty = none.
std::string_view first_key(std::string_view text, std::size_t& behind) {
  const std::size_t quote = skip_space(text, 1);
  if (quote >= text.size() || text[quote] != '"') return {};
  const std::size_t end = text.find('"', quote + 1);
  if (end == std::string_view::npos) return {};
  behind = skip_space(text, end + 1);
  if (behind >= text.size() || text[behind] != ':') return {};
  return text.substr(quote + 1, end - quote - 1);
}

/// Offset behind the '}' that stands before "," before `at`; 0 = something else stands there.
std::size_t end_of_event_before(std::string_view text, std::size_t at) {
  const auto back = [&](char wanted) {
    while (at > 0 && is_space(text[at - 1])) --at;
    return at > 0 && text[at - 1] == wanted;
  };
  if (!back(',')) return 0;
  --at;
  return back('}') ? at : 0;
}

}  // namespace

std::optional<EventStart> find_next_event(std::string_view text, std::size_t from,
                                          IsEventStart is_start) {
  for (std::size_t at = text.find('{', from); at != std::string_view::npos;
       at = text.find('{', at + 1)) {
    const std::size_t end_before = end_of_event_before(text, at);
    if (end_before > 0 && is_start(text.substr(at))) return EventStart{end_before, at};
  }
  return std::nullopt;
}

std::optional<std::size_t> find_any_event(std::string_view text, IsEventStart is_start) {
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1))
    if (is_start(text.substr(at))) return at;
  return std::nullopt;
}

std::optional<std::size_t> find_list_end(std::string_view text, IsEventEnd is_end) {
  for (std::size_t at = text.find(']'); at != std::string_view::npos; at = text.find(']', at + 1)) {
    std::size_t before = at;
    while (before > 0 && is_space(text[before - 1])) --before;
    if (before == 0 || text[before - 1] != '}' || !is_end(text.substr(0, before))) continue;
    const std::size_t next = skip_space(text, at + 1);
    if (next >= text.size() || text[next] == '}') return before;
    const std::size_t key = skip_space(text, next + 1);
    if (text[next] == ',' && key < text.size() && text[key] == '"') return before;
  }
  return std::nullopt;
}

bool is_device_event_end(std::string_view) { return true; }

bool is_host_node_end(std::string_view text) {
  std::size_t end = text.size() - 1;
  while (end > 0 && is_space(text[end - 1])) --end;
  return end > 0 && (text[end - 1] == ']' || text[end - 1] == '}');
}

bool is_device_event_start(std::string_view text) {
  static constexpr std::array<std::string_view, 6> kKeys{"ph", "name", "cat", "ts", "pid", "args"};
  std::size_t behind = 0;
  const std::string_view key = first_key(text, behind);
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

bool is_host_node_start(std::string_view text) {
  std::size_t behind = 0;
  const std::string_view key = first_key(text, behind);
  if (key == "id") return true;
  if (key != "name") return false;
  // {"name": "rf_id", "type": "uint64", …} is an attribute.
  const std::string_view start = text.substr(behind, kMostAttributeBytes);
  return start.substr(0, start.find_first_of("}\n")).find("\"type\":") == std::string_view::npos;
}

}  // namespace nadi
