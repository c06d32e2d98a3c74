// A mutator that knows traces as lists of JSON events (`traceEvents`, `nodes`): it removes, repeats
// and moves events, swaps values between them, and puts extremes and other types in their place.
// Half of the mutations are libFuzzer's own, of bytes. To be included once per fuzzer.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace nadi::fuzz {

struct Part {
  std::size_t begin, end;
  std::string of(std::string_view text) const {
    return std::string(text.substr(begin, end - begin));
  }
};
using Events = std::vector<Part>;  ///< of one list, in order

/// Where the JSON value that begins at `at` ends; where it does not, the end of the text.
inline std::size_t end_of_value(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  bool is_in_string = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      is_in_string = !is_in_string;
      if (!is_in_string && depth == 0) return at + 1;
    } else if (is_in_string) {
      at += c == '\\' ? 1 : 0;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth <= 1) return depth == 0 ? at : at + 1;
      --depth;
    } else if (depth == 0 && (c == ',' || c == '\n' || c == '\0')) {
      return at;
    }
  }
  return text.size();
}

/// The events of every list, of all files of the input; lists without any are left out.
inline std::vector<Events> find_events(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<Events> lists;
  for (const std::string_view key : {"\"traceEvents\"", "\"nodes\""})
    for (std::size_t next = text.find(key); next < text.size(); next = text.find(key, next)) {
      const std::size_t list = text.find('[', next);
      if (list == text.npos) break;
      Events events;
      next = text.find_first_not_of(kBlanks, list + 1);
      while (next < text.size() && text[next] == '{') {
        events.push_back({next, end_of_value(text, next)});
        next = text.find_first_not_of(kBlanks, events.back().end);
        if (next < text.size() && text[next] == ',')
          next = text.find_first_not_of(kBlanks, next + 1);
      }
      if (!events.empty()) lists.push_back(std::move(events));
    }
  return lists;
}

struct Field {
  std::string key;
  std::size_t value;  ///< where it begins in the whole text
};

/// The fields of an event, those of objects in it too. Where their values end is looked for only of
/// those that change: one may hold all that follow.
inline std::vector<Field> find_fields(std::string_view text, Part event) {
  std::vector<Field> fields;
  for (std::size_t at = event.begin; at < event.end; ++at) {
    if (text[at] != '"') continue;
    const std::size_t end = end_of_value(text, at);
    const std::size_t colon = text.find_first_not_of(' ', end);
    if (colon < event.end && text[colon] == ':') {
      const std::size_t value = text.find_first_not_of(' ', colon + 1);
      if (value < event.end) fields.push_back({Part{at, end}.of(text), value});
      at = colon;
    } else {
      at = end - 1;
    }
  }
  return fields;
}

class Mutation {
 public:
  Mutation(std::string text, unsigned seed) : text_(std::move(text)), random_(seed) {}

  /// False where the text holds no events.
  bool apply() {
    const std::vector<Events> lists = find_events(text_);
    if (lists.empty()) return false;
    const Events& events = lists[below(lists.size())];
    switch (below(6)) {
      case 0:
        remove(events);
        break;
      case 1:
        repeat(events);
        break;
      case 2:
        swap_parts(one_of(events), one_of(events));
        break;
      case 3:
        swap_values(one_of(events), one_of(lists[below(lists.size())]));
        break;
      default:
        replace_value(one_of(events));
    }
    return true;
  }
  /// An event of another input becomes one of this.
  bool add_from(std::string_view other) {
    const std::vector<Events> lists = find_events(text_), others = find_events(other);
    if (lists.empty() || others.empty()) return false;
    const Events& events = lists[below(lists.size())];
    text_.insert(one_of(events).begin, one_of(others[below(others.size())]).of(other) + ",\n");
    return true;
  }
  const std::string& text() const { return text_; }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }
  Part one_of(const Events& events) { return events[below(events.size())]; }
  Part value_of(const Field& field, Part event) const {
    return {field.value, std::min(end_of_value(text_, field.value), event.end)};
  }

  /// Behind the last of a list a comma is left: a broken end, as traces have it.
  void remove(const Events& events) {
    const std::size_t at = below(events.size());
    const std::size_t end = at + 1 < events.size() ? events[at + 1].begin : events[at].end;
    text_.erase(events[at].begin, end - events[at].begin);
  }
  /// Once, or up to 128 times.
  void repeat(const Events& events) {
    const std::string event = one_of(events).of(text_) + ",\n";
    std::string copies;
    for (std::size_t n = below(4) == 0 ? below(128) + 1 : 1; n > 0; --n) copies += event;
    text_.insert(one_of(events).begin, copies);
  }
  void swap_parts(Part a, Part b) {
    if (a.begin > b.begin) std::swap(a, b);
    if (a.end > b.begin) return;
    const std::string first = a.of(text_);
    text_.replace(a.begin, a.end - a.begin, b.of(text_));
    text_.replace(b.begin + (b.end - b.begin) - (a.end - a.begin), b.end - b.begin, first);
  }
  /// Of a field that both have.
  void swap_values(Part a, Part b) {
    const std::vector<Field> fields = find_fields(text_, a), others = find_fields(text_, b);
    if (fields.empty()) return;
    const Field& field = fields[below(fields.size())];
    const auto other = std::find_if(others.begin(), others.end(),
                                    [&](const Field& f) { return f.key == field.key; });
    if (other != others.end()) swap_parts(value_of(field, a), value_of(*other, b));
  }
  void replace_value(Part event) {
    const std::vector<Field> fields = find_fields(text_, event);
    if (fields.empty()) return;
    const Part value = value_of(fields[below(fields.size())], event);
    text_.replace(value.begin, value.end - value.begin, other_value(value.of(text_)));
  }
  std::string other_value(const std::string& old) {
    static constexpr std::array kValues = {"0",
                                           "-1",
                                           "1",
                                           "0.001",
                                           "1e308",
                                           "-1e308",
                                           "2147483647",
                                           "2147483648",
                                           "-2147483648",
                                           "4294967295",
                                           "4294967296",
                                           "9223372036854775807",
                                           "-9223372036854775808",
                                           "18446744073709551615",
                                           "9223372036854775.807",
                                           "-9223372036854775.808",
                                           "null",
                                           "true",
                                           "\"\"",
                                           "[]",
                                           "{}",
                                           "[1, 2]",
                                           "\"nan\""};
    const std::size_t which = below(kValues.size() + 3);
    if (which < kValues.size()) return kValues[which];
    if (which == kValues.size()) return std::string(below(512), '[');
    const bool is_text = old.size() >= 2 && old.front() == '"';
    if (which == kValues.size() + 1)
      return is_text ? old.substr(1, old.size() - 2) : '"' + old + '"';
    return "[" + old + ", " + old + "]";
  }

  std::string text_;
  std::minstd_rand random_;
};

/// Size of what fits; 0 = it does not.
inline std::size_t put(const std::string& text, std::uint8_t* into, std::size_t most) {
  if (text.size() > most) return 0;
  std::memcpy(into, text.data(), text.size());
  return text.size();
}

}  // namespace nadi::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  nadi::fuzz::Mutation mutation({reinterpret_cast<const char*>(data), size}, seed);
  bool is_changed = mutation.apply();
  for (unsigned more = seed / 2 % 4; is_changed && more > 0; --more) is_changed = mutation.apply();
  const std::size_t changed = is_changed ? nadi::fuzz::put(mutation.text(), data, most) : 0;
  return changed > 0 ? changed : LLVMFuzzerMutate(data, size, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data, std::size_t size,
                                                 const std::uint8_t* other, std::size_t other_size,
                                                 std::uint8_t* out, std::size_t most,
                                                 unsigned seed) {
  nadi::fuzz::Mutation mutation({reinterpret_cast<const char*>(data), size}, seed);
  if (!mutation.add_from({reinterpret_cast<const char*>(other), other_size})) return 0;
  return nadi::fuzz::put(mutation.text(), out, most);
}
