#include "nadi/read/category_by_name.h"

#include <fmt/format.h>

#include <optional>

#include "nadi/read/category_table.h"

namespace nadi {
namespace {

constexpr std::size_t kMostHeldBytes = 1 << 26;
constexpr std::size_t kMostNames = 1 << 16;
constexpr std::size_t kMostProcessesNamed = 16;

// msprof: pid << 10 | layer << 5 | device.
constexpr std::int64_t kLayeredPid = 1 << 10, kDevices = 1 << 5;

/// The number at the end of "/device:GPU:3", or between '#' and '(' in "Stream #14(Compute)".
std::optional<std::int64_t> number_in(std::string_view name) {
  name = name.substr(0, name.find('('));
  const std::size_t before = name.find_last_not_of("0123456789");
  if (before == std::string_view::npos) return std::nullopt;
  return integer_of(name.substr(before + 1));
}

}  // namespace

bool CategoryByName::event(std::string_view object, std::uint64_t number) {
  if (!parse(object)) return false;
  if (is_holding_)
    hold(object, number);
  else
    settle(object, number);
  return true;
}

void CategoryByName::settle(std::string_view object, std::uint64_t number) {
  const std::string_view phase = event_.value(Field::kPhase).view();
  const std::string_view category = event_.value(Field::kCategory).view();
  if (phase == "M") note_name();
  if (phase == "X" && category.empty()) return settle_row(object, number);
  if (phase == "X" && !has_rows_)
    (event_category_of(category) != EventCategory::kUnknown ? has_rows_ : has_other_categories_) =
        true;
  hand_on(event_, number);
}

void CategoryByName::settle_row(std::string_view object, std::uint64_t number) {
  const std::string_view pid = event_.value(Field::kPid).view();
  const auto process = processes_.find(std::string(pid));
  const auto thread = threads_.find(thread_key());
  const bool is_named = process != processes_.end() &&
                        (thread != threads_.end() || !has_named_threads(process->second));
  if (!is_named && may_hold_) {
    is_holding_ = true;
    return hold(object, number);
  }
  const std::string_view process_name =
      process == processes_.end() ? std::string_view() : process->second;
  const std::string_view thread_name =
      thread == threads_.end() ? std::string_view() : thread->second;
  const auto category = lane_category(process_name, thread_name, event_.value(Field::kName).view(),
                                      event_.has(Field::kLaneCorrelation));
  if (category) return hand_on(with_category(*category, process_name, thread_name), number);
  leave_out(process_name.empty() ? pid : process_name, number);
}

std::string CategoryByName::thread_key() const {
  std::string key(event_.value(Field::kPid).view());
  return key.append(1, '\0').append(event_.value(Field::kTid).view());
}

void CategoryByName::note_name() {
  const std::string_view name = event_.value(Field::kName).view();
  const EventValue& given = event_.value(Field::kArgName);
  if (given.is_absent() || processes_.size() + threads_.size() >= kMostNames) return;
  if (name == "process_name")
    processes_[std::string(event_.value(Field::kPid).view())] = given.text(scratch_);
  if (name == "thread_name") threads_[thread_key()] = given.text(scratch_);
}

const TraceEvent& CategoryByName::with_category(const LaneCategory& category,
                                                std::string_view process, std::string_view thread) {
  const EventCategory kind = event_category_of(category.category);
  has_rows_ = has_rows_ || (kind != EventCategory::kIgnored && kind != EventCategory::kCall &&
                            kind != EventCategory::kPythonFunction);
  const auto layered =
      category.holds_layer_in_pid ? event_.value(Field::kPid).integer() : std::nullopt;
  const bool is_layered = layered.value_or(0) >= kLayeredPid;
  with_category_.clear();
  with_category_.set(Field::kCategory, EventValue::of_text(category.category));
  if (is_layered && !category.is_device)  // the process itself, in whose ops the calls are
    with_category_.set(Field::kPid, EventValue::of_integer(*layered / kLayeredPid));
  const auto add = [&](std::string_view key, const EventValue& value) {
    const std::uint16_t number = subscriber_.keys.find(key);
    const bool is_of_use = number != ArgumentKeys::kNone || subscriber_.keys.takes_all;
    if (is_of_use && !value.is_absent())
      with_category_.add({number, key, value}, subscriber_.keys.field_of(number));
  };
  const auto number_of = [](std::optional<std::int64_t> number) {
    return number ? EventValue::of_integer(*number) : EventValue();
  };
  add("correlation", event_.value(Field::kLaneCorrelation));
  if (category.is_device) {
    add("device", number_of(is_layered ? *layered % kDevices : number_in(process)));
    const EventValue& stream = event_.value(Field::kLaneStream);
    add("stream", stream.is_absent() ? number_of(number_in(thread)) : stream);
  }
  with_category_.add_all(event_, subscriber_.keys);
  return with_category_;
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
    entry->second.first =
        fmt::format("\"{}\", event {}", event_.value(Field::kName).view(), number);
}

void CategoryByName::hold(std::string_view object, std::uint64_t number) {
  if (event_.value(Field::kPhase).view() == "M") note_name();
  held_.add(object, number);
  if (held_.bytes() > kMostHeldBytes) release();
}

void CategoryByName::release() {
  is_holding_ = may_hold_ = false;
  held_.release(
      [this](std::string_view object, std::uint64_t number) {
        if (!parse(object)) return false;
        settle(object, number);
        return true;
      },
      diagnostics_);
}

void CategoryByName::finish() {
  release();
  for (const auto& [process, found] : left_out_by_process_)
    diagnostics_.report(Finding::kRowsWithoutCategory,
                        fmt::format("{} of process \"{}\": {}", found.count, process, found.first),
                        found.count);
}

}  // namespace nadi
