// One value of an event as its file has it, text or number, whatever form of trace that is.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "nadi/base/time.h"
#include "nadi/read/json_text.h"

namespace nadi {

/// Refers to text that is another's. JSON stays text until it is asked for, since many values never
/// are; values of Perfetto traces are what their packets hold.
class EventValue {
 public:
  /// Absent, as null is.
  constexpr EventValue() = default;
  /// A JSON value as written: strings with their quotes, lists and objects whole.
  static EventValue of_json(std::string_view token) { return {Kind::kJson, token, 0}; }
  /// Text in UTF-8, without quotes or escapes.
  static EventValue of_text(std::string_view text) { return {Kind::kText, text, 0}; }
  static EventValue of_integer(std::int64_t number) {
    return {Kind::kInteger, {}, static_cast<std::uint64_t>(number)};
  }
  static EventValue of_natural(std::uint64_t number) { return {Kind::kNatural, {}, number}; }
  static EventValue of_real(double number) {
    return {Kind::kReal, {}, std::bit_cast<std::uint64_t>(number)};
  }
  /// Nanoseconds; as JSON they are microseconds.
  static EventValue of_time(Ns ns) { return {Kind::kTime, {}, static_cast<std::uint64_t>(ns)}; }

  bool is_absent() const { return kind_ == Kind::kAbsent; }

  /// The number, also where it is written as text; nothing if it is none, or none of that range.
  std::optional<std::int64_t> integer() const {
    if (kind_ == Kind::kAbsent) return std::nullopt;
    return kind_ == Kind::kJson ? integer_of(text_) : other_integer();
  }
  std::optional<std::uint64_t> natural() const {
    if (kind_ == Kind::kAbsent) return std::nullopt;
    return kind_ == Kind::kJson ? unsigned_of(text_) : other_natural();
  }
  /// The number of a device, stream, context, event, correlation or rank; -1 = none, as
  /// identity_of() has it.
  std::int64_t identity() const { return identity_of(integer()); }
  /// Nothing where it is no time, or one beyond kEarliestTime or kLatestTime.
  std::optional<Ns> time() const;
  /// Text with its escapes resolved; other values as JSON. Uses `scratch` where it must be made.
  std::string_view text(std::string& scratch) const;
  /// Text as written, escapes included, or a number of JSON; empty for numbers of other forms.
  std::string_view view() const { return kind_ == Kind::kJson ? unquoted(text_) : text_; }
  /// The JSON value as written, or as it would be; empty = absent.
  std::string_view token(std::string& scratch) const;
  void append_json(std::string& out) const;
  bool is_text() const {
    return kind_ == Kind::kText || (kind_ == Kind::kJson && text_.starts_with('"'));
  }

  bool operator==(const EventValue&) const = default;

  /// The text that it refers to, to be kept elsewhere.
  std::string_view& referred() { return text_; }

 private:
  enum class Kind : std::uint8_t { kAbsent, kJson, kText, kInteger, kNatural, kReal, kTime };

  constexpr EventValue(Kind kind, std::string_view text, std::uint64_t number)
      : text_(text), number_(number), kind_(kind) {}
  std::optional<std::int64_t> other_integer() const;
  std::optional<std::uint64_t> other_natural() const;

  std::string_view text_;
  std::uint64_t number_ = 0;
  Kind kind_ = Kind::kAbsent;
};

}  // namespace nadi
