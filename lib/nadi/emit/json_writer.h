// Writes JSON piece by piece: puts commas, colons and quotes where they belong, whatever texts
// hold. What is small enough to be held whole is an nlohmann::json instead.
#pragma once

#include <charconv>
#include <concepts>
#include <ranges>
#include <string>
#include <string_view>

#include "nadi/base/json_string.h"
#include "nadi/base/time.h"

namespace nadi {

/// Written as microseconds with three decimals: a number.
struct JsonMicros {
  Ns ns = 0;
};

class JsonWriter {
 public:
  enum class Blanks : bool { kNone, kSome };  ///< {"a":1,"b":2} or {"a": 1, "b": 2}
  explicit JsonWriter(Blanks blanks = Blanks::kNone) : has_blanks_(blanks == Blanks::kSome) {}

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_list() { begin('['); }
  void end_list() { end(']'); }
  /// Writes the key of a value, which must follow. The name holds nothing to escape.
  JsonWriter& key(std::string_view name);

  /// Writes text, a whole number, a bool, JsonMicros, or a range of those.
  template <class Value>
  void value(const Value& value);
  template <class Value>
  void member(std::string_view name, const Value& value) {
    key(name).value(value);
  }
  /// Writes text, as of several keys and values, behind which a value must follow.
  JsonWriter& before_value(std::string_view written) {
    raw() += written;
    is_first_ = true;
    return *this;
  }
  /// Begins a value, which the caller appends.
  std::string& raw() {
    if (!is_first_ || indent_ >= 0) separate();
    is_first_ = false;
    return text_;
  }

  /// Lets what comes next, be it an end, begin on a line of its own behind `indent` blanks.
  void next_line(int indent = 0) { indent_ = indent; }
  /// Ends the document and its line; another may follow.
  void finish();

  /// The text written so far. It may be taken away in pieces.
  std::string& text() { return text_; }

 private:
  void separate();
  void break_line();
  void begin(char bracket);
  void end(char bracket);

  std::string text_;
  bool has_blanks_;
  bool is_first_ = true;  // in its list or object, or behind its key
  int indent_ = -1;       // of the line that begins here; -1 = none does
};

template <class Value>
void JsonWriter::value(const Value& value) {
  if constexpr (std::convertible_to<Value, std::string_view>) {
    append_json_string(value, raw());
  } else if constexpr (std::same_as<Value, bool>) {
    raw() += value ? "true" : "false";
  } else if constexpr (std::integral<Value>) {
    char digits[24];
    raw().append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  } else if constexpr (std::ranges::range<Value>) {
    begin_list();
    for (const auto& element : value) this->value(element);
    end_list();
  } else {
    append_json_micros(value.ns, raw());
  }
}

}  // namespace nadi
