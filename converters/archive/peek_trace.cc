#include "nadi/converters/archive/peek_trace.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "nadi/base/compression.h"
#include "nadi/chakra/attribute_value.h"
#include "nadi/chakra/chakra_reader.h"
#include "nadi/converters/load_graph.h"
#include "nadi/converters/rank_of_name.h"
#include "nadi/input/byte_source.h"
#include "nadi/read/category_table.h"
#include "nadi/read/perfetto_start.h"

namespace nadi {
namespace {

/// Bytes in which most traces have all that is asked of them.
constexpr std::size_t kFirstBytes = 128 << 10;
constexpr std::size_t kDetectBytes = 64 << 10;

/// The whole number behind `"key":`, as number or string; -1 = none.
std::int64_t number_at(std::string_view text, std::string_view key) {
  const std::string quoted = "\"" + std::string(key) + "\"";
  std::size_t at = text.find(quoted);
  if (at == std::string_view::npos) return -1;
  at = text.find_first_not_of(" \t\r\n:\"", at + quoted.size());
  if (at == std::string_view::npos) return -1;
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
  const bool is_whole = end != text.data() + text.size();  // of a text that may be cut
  return error == std::errc{} && is_whole && number >= 0 ? number : -1;
}

/// Of the braces that open at or behind `from`; nested ones are inside.
std::string_view object_at(std::string_view text, std::size_t from) {
  const std::size_t begin = text.find('{', from);
  if (begin == std::string_view::npos) return {};
  int depth = 0;
  for (std::size_t at = begin; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && --depth == 0) return text.substr(begin, at + 1 - begin);
  }
  return text.substr(begin);
}

std::int64_t rank_of_device_trace(std::string_view text) {
  const std::size_t info = text.find("\"distributedInfo\"");
  if (info == std::string_view::npos) return -1;
  return number_at(object_at(text, info), "rank");
}

/// The process of the first host op; rows of devices have other pids (K5).
std::int64_t pid_of_device_trace(std::string_view text) {
  for (const std::string_view category : {"\"cpu_op\"", "\"cuda_runtime\""}) {
    const std::size_t at = text.find(category);
    if (at == std::string_view::npos) continue;
    const std::size_t begin = text.rfind('{', at);
    if (begin != std::string_view::npos) return number_at(object_at(text, begin), "pid");
  }
  return -1;
}

/// The text between the quotes of the value that stands behind a key.
std::string_view text_value_at(std::string_view text, std::size_t behind_key) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n:", behind_key);
  if (begin == std::string_view::npos || text[begin] != '"') return {};
  return text.substr(begin + 1, text.find('"', begin + 1) - begin - 1);
}

/// Calls `take` with what stands behind each `key` until it returns true; gives that.
template <class Take>
bool any_value_of(std::string_view text, std::string_view key, const Take& take) {
  for (std::size_t at = 0; (at = text.find(key, at)) != std::string_view::npos; ++at)
    if (take(text_value_at(text, at + key.size()), at)) return true;
  return false;
}

bool is_of_device(std::string_view category) {
  switch (event_category_of(category)) {
    case EventCategory::kOp:
    case EventCategory::kAnnotation:
    case EventCategory::kForwardBackwardFlow:
    case EventCategory::kIgnored:
    case EventCategory::kUnknown:
      return false;
    default:
      return true;
  }
}

/// Of a text that holds events. Complete ones without category are of another form.
DeviceActivity device_activity_in(std::string_view text) {
  std::size_t categories = 0, complete = 0;
  const bool is_there = any_value_of(text, "\"cat\"", [&](std::string_view category, std::size_t) {
    ++categories;
    return is_of_device(category);
  });
  any_value_of(text, "\"ph\"", [&](std::string_view phase, std::size_t) {
    complete += phase == "X" ? 1 : 0;
    return false;
  });
  return is_there || complete > categories ? DeviceActivity::kThere : DeviceActivity::kNotSeen;
}

/// The time of the first complete event.
std::int64_t first_us_of(std::string_view text) {
  std::int64_t first = -1;
  any_value_of(text, "\"ph\"", [&](std::string_view phase, std::size_t at) {
    if (phase != "X") return false;
    first = number_at(object_at(text, text.rfind('{', at)), "ts");
    return true;
  });
  return first;
}

std::int64_t rank_of_graph(const std::string& path) {
  try {
    return metadata_number(path, "rank").value_or(-1);
  } catch (const Error&) {  // who reads the graph says what is wrong
    return -1;
  }
}

/// Of nodes of host traces, and of events.
double rows_per_byte(std::string_view text, std::string_view key_of_row) {
  std::size_t rows = 0;
  for (std::size_t at = 0; (at = text.find(key_of_row, at)) != std::string_view::npos; ++at) ++rows;
  return text.empty() ? 0 : static_cast<double>(rows) / static_cast<double>(text.size());
}

bool is_host(const TracePeek& peek) { return peek.type == TraceType::kHostTrace; }

TracePeek peek_text(std::string_view text) {
  const std::string_view start = text.substr(0, kDetectBytes);
  TracePeek peek{detect(start), describe(start)};
  peek.is_unread = text.find_first_not_of(" \t\r\n") == std::string_view::npos;
  if (peek.what == kPerfettoTrace) {
    const PerfettoStart perfetto = look_at_perfetto_start(text);
    peek.rank = perfetto.rank;
    peek.pid = perfetto.pid;
    peek.rows_per_byte = static_cast<double>(perfetto.events) / static_cast<double>(text.size());
  } else if (peek.type == TraceType::kDeviceTrace) {
    peek.rank = rank_of_device_trace(text);
    peek.pid = pid_of_device_trace(text);
    peek.first_us = first_us_of(text);
    peek.activity = device_activity_in(text);
    peek.rows_per_byte = rows_per_byte(text, "\"ph\"");
  } else if (is_host(peek)) {
    peek.pid = number_at(text.substr(0, text.find("\"nodes\"")), "pid");
    peek.rows_per_byte = rows_per_byte(text, "\"id\"");
  }
  return peek;
}

/// JSON that ends before its first event or node.
bool is_cut_in_header(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || (text[begin] != '{' && text[begin] != '[')) return false;
  const char last = text[text.find_last_not_of(" \t\r\n")];
  const bool is_whole = last == '}' || last == ']';
  return !is_whole && text.find("\"ph\"") == std::string_view::npos &&
         text.find("\"nodes\"") == std::string_view::npos;
}

/// `text`: all that the file holds.
void note_end(std::string_view text, TracePeek& peek) {
  if (is_cut_in_header(text)) {
    peek = {.what = "JSON that is cut before anything happens in it", .is_unread = true};
  } else if (peek.type == TraceType::kDeviceTrace && peek.activity == DeviceActivity::kNotSeen) {
    peek.activity = DeviceActivity::kNone;
  }
}

}  // namespace

std::optional<std::int64_t> metadata_number(const std::string& graph, const char* name) {
  const ChakraReader reader(messages_of(ByteSource::open(graph)),
                            ChakraReader::MissingMetadata::kAccept);
  const auto* number = find_attribute(reader.metadata(), name);
  return number == nullptr ? std::nullopt : whole_number_of(*number);
}

TracePeek peek_trace(ByteSource& source) {
  std::string text = source.read_up_to(kFirstBytes);
  std::size_t asked = kFirstBytes;
  TracePeek peek = peek_text(text);
  const bool is_known = !peek.is_trace() || (peek.pid >= 0 && (peek.rank >= 0 || is_host(peek)));
  if (!is_known && text.size() == asked) {
    asked = kPeekBytes;
    text += source.read_up_to(kPeekBytes - kFirstBytes);
    peek = peek_text(text);
  }
  if (text.size() < asked) note_end(text, peek);
  return peek;
}

TracePeek peek_trace(const std::string& path) {
  try {
    ByteSource source = ByteSource::open(path);
    TracePeek peek = peek_trace(source);
    if (peek.type == TraceType::kChakra) peek.rank = rank_of_graph(path);
    return peek;
  } catch (const Error& error) {
    return peek_of(error);
  }
}

TracePeek peek_of(const Error& error) {
  TracePeek peek{TraceType::kOther, error.problem()};
  peek.is_unread = true;
  return peek;
}

void report_ignored(const std::string& path, const TracePeek& peek, Diagnostics& diagnostics) {
  const std::string_view name = without_compression(path);
  const bool is_named_as_trace =
      name.ends_with(".json") || name.ends_with(".pftrace") || name.ends_with(".et");
  diagnostics.report(
      peek.is_unread && is_named_as_trace ? Finding::kTraceUnread : Finding::kFileIgnored,
      path + ": " + peek.what);
}

DeviceActivity find_device_activity(ByteSource& source) {
  constexpr std::size_t kOverlap = 256;  // an event is not cut where its category stands
  std::string text;
  for (;;) {
    const std::string more = source.read_up_to(kPeekBytes);
    if (more.empty()) return DeviceActivity::kNone;
    text = text.substr(text.size() - std::min(text.size(), kOverlap)) + more;
    const bool is_there = any_value_of(text, "\"cat\"", [](std::string_view category, std::size_t) {
      return is_of_device(category);
    });
    if (is_there) return DeviceActivity::kThere;
  }
}

std::int64_t rank_of_traces(const std::string& device, std::int64_t asked) {
  if (asked >= 0) return asked;
  if (device == "-") return 0;
  const std::int64_t recorded = peek_trace(device).rank;
  return std::max<std::int64_t>(recorded >= 0 ? recorded : rank_in_path(device), 0);
}

}  // namespace nadi
