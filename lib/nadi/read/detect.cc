#include "nadi/read/detect.h"

#include <algorithm>
#include <array>

#include "nadi/read/event_start.h"
#include "nadi/read/foreign_forms.h"
#include "nadi/read/json_text.h"
#include "nadi/read/perfetto_packets.h"

namespace nadi {
namespace {

using namespace std::string_view_literals;

bool contains(std::string_view text, std::string_view wanted) {
  return text.find(wanted) != std::string_view::npos;
}

template <std::size_t count>
bool contains_any(std::string_view text, const std::array<std::string_view, count>& wanted) {
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](std::string_view word) { return contains(text, word); });
}

std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  return text;
}

/// A length byte or two, then GlobalMetadata with field 1 (version, a string of digits and dots),
/// or a Node with field 1 (id) and field 2 (name): see schema/et_def.proto.
bool is_chakra(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && at < 3 && (bytes[at] & '\x80') != 0) ++at;
  if (++at + 2 >= bytes.size()) return false;
  if (bytes[at] != '\x0a') return false;
  const auto size = static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + 1]));
  const std::string_view version = bytes.substr(at + 2, size);
  return size > 0 && size < 32 && version.size() == size &&
         version.find_first_not_of("0123456789.-abcdefghijklmnopqrstuvwxyz") ==
             std::string_view::npos;
}

constexpr std::array kDeviceKeys = {"\"traceEvents\""sv,         "\"deviceProperties\""sv,
                                    "\"schemaVersion\""sv,       "\"distributedInfo\""sv,
                                    "\"baseTimeNanoseconds\""sv, "\"displayTimeUnit\""sv};
constexpr std::array kLinkedKeys = {"\"inclusive_dur\""sv, "\"exclusive_dur\""sv,
                                    "\"inter_thread_dep\""sv};
/// Stands before the nodes in those that nadi wrote, with all that it knows of the job's groups.
constexpr std::string_view kLinkedHeader = "\"nadi\": {\"rank\":";
constexpr std::array kSnapshotKeys = {"\"segments\""sv, "\"device_traces\""sv};

std::string describe_json(std::string_view text) {
  if (contains_any(text, kSnapshotKeys)) return "a PyTorch memory snapshot";
  if (contains(text, "\"workload_name\"") || contains(text, "\"metadata\""))
    return "JSON, but no trace";
  if (text.starts_with('[')) return std::string(kPlainArray);
  return "JSON of another kind";
}

}  // namespace

TraceType detect(std::string_view prefix) {
  if (is_chakra(prefix)) return TraceType::kChakra;
  if (starts_as_perfetto_trace(prefix) && !starts_as_xspace(prefix)) return TraceType::kDeviceTrace;
  const std::string_view text = without_mark(prefix);
  if (text.starts_with('[')) {
    const std::string_view first = without_mark(text.substr(1));
    const bool is_event =
        first.starts_with(']') || (first.starts_with('{') && contains(text, "\"ph\""));
    return is_event ? TraceType::kDeviceTrace : TraceType::kOther;
  }
  if (!text.starts_with('{')) return TraceType::kOther;
  if (contains(text, kLinkedHeader)) return TraceType::kLinkedJson;
  const bool is_host = contains(text, "\"nodes\"") && contains(text, "\"schema\"");
  if (is_host)
    return contains_any(text, kLinkedKeys) ? TraceType::kLinkedJson : TraceType::kHostTrace;
  if (contains_any(text, kDeviceKeys)) return TraceType::kDeviceTrace;
  return contains(text, "\"nodes\"") && contains(text, "\"ctrl_deps\"") ? TraceType::kHostTrace
                                                                        : TraceType::kOther;
}

std::string describe(std::string_view prefix, std::string_view file) {
  switch (detect(prefix)) {
    case TraceType::kHostTrace:
      return "a host trace";
    case TraceType::kDeviceTrace:
      return std::string(starts_as_perfetto_trace(prefix) ? kPerfettoTrace : "a device trace");
    case TraceType::kLinkedJson:
      return "a linked trace (MLCommons ET+ JSON)";
    case TraceType::kChakra:
      return "a Chakra graph (.et)";
    case TraceType::kOther:
      break;
  }
  if (const ForeignForm* form = foreign_form(prefix, file)) return std::string(form->name);
  const std::string_view text = without_mark(prefix);
  if (text.empty()) return "an empty file";
  if (text.starts_with('<')) return "a web page or other markup (HTML, XML)";
  if (text.starts_with('{') || text.starts_with('[')) return describe_json(text);
  const bool is_text = std::none_of(prefix.begin(), prefix.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && !is_space(c);
  });
  return is_text ? "text that is no JSON" : "binary data of an unknown kind";
}

}  // namespace nadi
