#include "nadi/read/category_by_name.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "nadi/read/category_table.h"

namespace nadi {
namespace {

constexpr std::size_t kMostHeldBytes = 1 << 26;
constexpr std::size_t kMostNames = 1 << 16;
constexpr std::size_t kMostProcessesNamed = 16;

// msprof: pid << 10 | layer << 5 | device.
constexpr std::int64_t kLayeredPid = 1 << 10, kDevices = 1 << 5;

/// True where the first bytes show, as Kineto writes them, that an event is neither a name nor a
/// row without a category: {"ph": "X", "cat": …, or another phase. Compares constant sizes, for it
/// is asked of every event; Window::kPadding bytes behind the event are readable.
bool is_plain(std::string_view object) {
  const char* const first = object.data() + skip_space(object, 1);
  const auto is_at = [first]<std::size_t size>(std::size_t at, const char(&text)[size]) {
    return std::memcmp(first + at, text, size - 1) == 0;
  };
  constexpr std::size_t kPhaseAt = 7;
  if (!is_at(0, R"("ph": ")")) return false;
  if (first[kPhaseAt] != 'X') return first[kPhaseAt] != 'M';
  return is_at(kPhaseAt + 1, R"(", "cat": ")");
}

/// The number at the end of "/device:GPU:3", or between '#' and '(' in "Stream #14(Compute)".
std::optional<std::int64_t> number_in(std::string_view name) {
  name = name.substr(0, name.find('('));
  const std::size_t before = name.find_last_not_of("0123456789");
  if (before == std::string_view::npos) return std::nullopt;
  return integer_of(name.substr(before + 1));
}

}  // namespace

bool CategoryByName::event(std::string_view object, std::uint64_t number) {
  if (is_holding_) return hold(object, number);
  // Who writes phase and category elsewhere has all events parsed twice.
  if (has_rows_ && is_plain(object)) return next_.event(object, number);
  return settle(object, number, may_hold_);
}

bool CategoryByName::settle(std::string_view object, std::uint64_t number, bool may_hold) {
  if (!event_.parse(parser_, object)) return next_.event(object, number);
  const std::string_view phase = unquoted(event_.phase), category = unquoted(event_.category);
  if (phase == "M") note_name();
  if (phase != "X") return next_.event(object, number);
  if (category.empty()) return settle_row(object, number, may_hold);
  const bool is_known = event_category_of(category) != EventCategory::kUnknown;
  (is_known ? has_rows_ : has_other_categories_) = true;
  return next_.event(object, number);
}

bool CategoryByName::settle_row(std::string_view object, std::uint64_t number, bool may_hold) {
  const auto process = processes_.find(std::string(unquoted(event_.pid)));
  const auto thread = threads_.find(thread_key());
  const bool is_named = process != processes_.end() &&
                        (thread != threads_.end() || !has_named_threads(process->second));
  if (!is_named && may_hold) {
    is_holding_ = true;
    return hold(object, number);
  }
  const std::string_view process_name =
      process == processes_.end() ? std::string_view() : process->second;
  const std::string_view thread_name =
      thread == threads_.end() ? std::string_view() : thread->second;
  const auto category =
      lane_category(process_name, thread_name, unquoted(event_.name), !event_.correlation.empty());
  if (category) return hand_on(object, number, *category, process_name, thread_name);
  leave_out(process_name.empty() ? unquoted(event_.pid) : process_name, number);
  return true;
}

std::string CategoryByName::thread_key() const {
  std::string key(unquoted(event_.pid));
  return key.append(1, '\0').append(unquoted(event_.tid));
}

void CategoryByName::note_name() {
  const std::string_view name = unquoted(event_.name);
  if (event_.arg_name.empty() || processes_.size() + threads_.size() >= kMostNames) return;
  if (name == "process_name")
    processes_[std::string(unquoted(event_.pid))] = text_of(event_.arg_name, scratch_);
  if (name == "thread_name") threads_[thread_key()] = text_of(event_.arg_name, scratch_);
}

bool CategoryByName::hand_on(std::string_view object, std::uint64_t number,
                             const LaneCategory& category, std::string_view process,
                             std::string_view thread) {
  const EventCategory kind = event_category_of(category.category);
  has_rows_ = has_rows_ || (kind != EventCategory::kIgnored && kind != EventCategory::kCall);
  const auto layered = category.holds_layer_in_pid ? integer_of(event_.pid) : std::nullopt;
  const bool is_layered = layered.value_or(0) >= kLayeredPid;
  text_ = fmt::format("{{\"cat\": \"{}\", \"args\": {{", category.category);
  const char* comma = "";
  const auto add = [&](std::string_view key, std::string_view token) {
    text_ += fmt::format("{}\"{}\": {}", comma, key, token);
    comma = ", ";
  };
  if (!event_.correlation.empty()) add("correlation", event_.correlation);
  if (category.is_device) {
    const auto device =
        is_layered ? std::optional<std::int64_t>(*layered % kDevices) : number_in(process);
    const auto stream = number_in(thread);
    if (device) add("device", std::to_string(*device));
    if (!event_.stream.empty())
      add("stream", event_.stream);
    else if (stream)
      add("stream", std::to_string(*stream));
  }
  text_ += "}, ";
  if (is_layered && !category.is_device) {  // the process itself, in whose ops the calls are
    const auto begin = static_cast<std::size_t>(event_.pid.data() - object.data());
    text_ += object.substr(1, begin - 1);
    text_ += std::to_string(*layered / kLayeredPid);
    text_ += object.substr(begin + event_.pid.size());
  } else {
    text_ += object.substr(1);
  }
  const std::size_t bytes = text_.size();
  text_.append(Window::kPadding, '\0');
  return next_.event({text_.data(), bytes}, number);
}

void CategoryByName::leave_out(std::string_view process, std::uint64_t number) {
  ++left_out_;
  auto entry = left_out_by_process_.find(process);
  if (entry == left_out_by_process_.end()) {
    const bool is_listed = left_out_by_process_.size() < kMostProcessesNamed;
    entry =
        left_out_by_process_.try_emplace(is_listed ? std::string(process) : std::string()).first;
  }
  if (entry->second.count++ == 0)
    entry->second.first = fmt::format("\"{}\", event {}", unquoted(event_.name), number);
}

bool CategoryByName::hold(std::string_view object, std::uint64_t number) {
  if (!event_.parse(parser_, object)) return false;  // the walk mends it
  if (unquoted(event_.phase) == "M") note_name();
  held_.add(object, number);
  if (held_.bytes() > kMostHeldBytes) release();
  return true;
}

void CategoryByName::release() {
  is_holding_ = may_hold_ = false;
  held_.release([this](std::string_view object,
                       std::uint64_t number) { return settle(object, number, false); },
                diagnostics_);
}

void CategoryByName::finish() {
  release();
  for (const auto& [process, found] : left_out_by_process_)
    diagnostics_.report("rows-without-category",
                        fmt::format("{} of process \"{}\": {}", found.count, process, found.first),
                        found.count);
}

}  // namespace nadi
