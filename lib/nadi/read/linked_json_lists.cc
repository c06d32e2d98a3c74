#include "nadi/read/linked_json_lists.h"

#include <algorithm>
#include <string>

#include "nadi/model/comm_record.h"
#include "nadi/read/json_text.h"

namespace nadi {
namespace {

template <class Fields>
const typename Fields::value_type* find_field(const Fields& fields, std::string_view name) {
  for (const auto& field : fields)
    if (field.name == name) return &field;
  return nullptr;
}

}  // namespace

std::vector<std::uint64_t> ids_of(std::string_view list) {
  std::vector<std::uint64_t> ids;
  for (const std::string_view element : elements_of(list))
    if (const auto id = unsigned_of(element)) ids.push_back(*id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

Guesses guesses_of(std::string_view ids, std::string_view by) {
  Guesses guesses;
  const std::vector<std::string_view> names = elements_of(by);
  std::string scratch;
  std::size_t place = 0;
  for (const std::string_view element : elements_of(ids)) {
    const auto recorded =
        place < names.size() ? inference_named(text_of(names[place], scratch)) : std::nullopt;
    ++place;
    if (const auto id = unsigned_of(element))
      guesses.by_id.emplace_back(*id, recorded.value_or(Inference::kTiming));
  }
  std::sort(guesses.by_id.begin(), guesses.by_id.end());
  return guesses;
}

Inference Guesses::of(std::uint64_t id) const {
  const auto found = std::lower_bound(by_id.begin(), by_id.end(), std::pair(id, Inference::kNone));
  return found == by_id.end() || found->first != id ? Inference::kNone : found->second;
}

std::vector<ThreadName> threads_of(std::string_view list, JsonParser& parser,
                                   StringTable& strings) {
  std::vector<ThreadName> threads;
  std::string scratch;
  for (const std::string_view element : elements_of(list)) {
    simdjson::ondemand::document document;
    JsonObject object;
    if (!open_object(parser, element, document, object)) continue;
    std::optional<std::uint64_t> tid;
    std::string name;
    for_each_field(object, [&](std::string_view key, std::string_view token, JsonValue&) {
      if (key == "tid") tid = unsigned_of(trim(token));
      if (key == "name") name = text_of(trim(token), scratch);
      return true;
    });
    if (tid) threads.push_back({*tid, strings.intern(name)});
  }
  return threads;
}

std::vector<ClockCorrection> clock_corrections_of(std::string_view list, JsonParser& parser) {
  std::vector<ClockCorrection> clocks;
  for (const std::string_view element : elements_of(list)) {
    simdjson::ondemand::document document;
    JsonObject object;
    if (!open_object(parser, element, document, object)) continue;
    ClockCorrection clock;
    for_each_field(object, [&](std::string_view key, std::string_view token, JsonValue&) {
      const std::string_view number = trim(token);
      if (key == "device") clock.device = integer_of(number).value_or(-1);
      if (key == "offset_ns") clock.offset_ns = integer_of(number).value_or(0);
      if (key == "drift_ppb") clock.drift_ppb = integer_of(number).value_or(0);
      if (key == "bounds") clock.bounds = unsigned_of(number).value_or(0);
      if (key == "asked_by") clock.asked_by = unsigned_of(number).value_or(0);
      if (key == "outliers") clock.outliers = unsigned_of(number).value_or(0);
      if (key == "slack_ns") clock.slack_ns = integer_of(number).value_or(-1);
      return true;
    });
    clocks.push_back(clock);
  }
  return clocks;
}

bool add_blocking_calls_of(std::string_view list, JsonParser& parser, StringTable& strings,
                           std::vector<BlockingCall>& calls, Diagnostics& diagnostics) {
  std::string scratch;
  for (const std::string_view element : elements_of(list)) {
    simdjson::ondemand::document document;
    JsonObject object;
    if (!open_object(parser, element, document, object)) return false;
    BlockingCall block;
    std::string_view start, duration, inferred, inferred_by;
    const bool is_whole = for_each_field(
        object, [&](std::string_view name, std::string_view token, JsonValue& value) {
          const std::string_view whole = whole_token(token, value);
          if (name == "name") block.call.name = strings.intern(text_of(whole, scratch));
          if (name == "tid") block.call.tid = unsigned_of(whole).value_or(0);
          if (name == "op") block.op = unsigned_of(whole).value_or(0);
          if (name == "ts") start = whole;
          if (name == "dur") duration = whole;
          if (name == "correlation") block.correlation = integer_of(whole).value_or(-1);
          if (name == "rows") block.rows = ids_of(whole);
          if (name == "inferred") inferred = whole;
          if (name == "inferred_by") inferred_by = whole;
          return !whole.empty();
        });
    if (!is_whole) return false;
    block.call.time = row_time_of(start, duration);
    block.guesses = guesses_of(inferred, inferred_by);
    if (block.call.time.is_known())
      calls.push_back(std::move(block));
    else
      diagnostics.report("garbage-time", strings[block.call.name]);
  }
  return true;
}

std::optional<CommRecord> comm_record_of(std::string_view object_text, JsonParser& parser,
                                         StringTable& strings) {
  std::string scratch;
  simdjson::ondemand::document document;
  JsonObject object;
  if (!open_object(parser, object_text, document, object)) return {};
  CommRecord record;
  const bool is_whole =
      for_each_field(object, [&](std::string_view name, std::string_view token, JsonValue& value) {
        const std::string_view whole = whole_token(token, value);
        if (const CommText* text = find_field(kCommTexts, name))
          record.*text->member = strings.intern(text_of(whole, scratch));
        if (const CommNumber* number = find_field(kCommNumbers, name))
          record.*number->member = integer_of(whole).value_or(-1);
        if (name == "is_p2p") record.is_p2p = whole == "true";
        return !whole.empty();
      });
  if (!is_whole) return {};
  return record;
}

}  // namespace nadi
