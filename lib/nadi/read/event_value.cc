#include "nadi/read/event_value.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "nadi/base/json_string.h"
#include "nadi/read/time_text.h"

namespace nadi {

std::optional<std::int64_t> EventValue::other_integer() const {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (kind_ == Kind::kInteger || (kind_ == Kind::kNatural && number_ <= kMost))
    return static_cast<std::int64_t>(number_);
  if (kind_ == Kind::kText) return integer_of(text_);
  if (kind_ != Kind::kReal) return std::nullopt;
  std::string scratch;
  return integer_of(token(scratch));
}

std::optional<std::uint64_t> EventValue::other_natural() const {
  if (kind_ == Kind::kNatural) return number_;
  if (kind_ == Kind::kText) return unsigned_of(text_);
  const auto number = other_integer();
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

std::optional<Ns> EventValue::time() const {
  if (kind_ == Kind::kJson) return nanoseconds_of(text_);
  const auto ns = static_cast<Ns>(number_);
  const bool is_time = kind_ == Kind::kTime && ns >= kEarliestTime && ns <= kLatestTime;
  return is_time ? std::optional(ns) : std::nullopt;
}

std::string_view EventValue::text(std::string& scratch) const {
  if (kind_ == Kind::kText) return text_;
  return text_of(token(scratch), scratch);
}

std::string_view EventValue::token(std::string& scratch) const {
  if (kind_ == Kind::kJson || kind_ == Kind::kAbsent) return text_;
  scratch.clear();
  append_json(scratch);
  return scratch;
}

void EventValue::append_json(std::string& out) const {
  const auto append = [&out](const fmt::format_int& number) {
    out.append(number.data(), number.size());
  };
  const auto real = std::bit_cast<double>(number_);
  switch (kind_) {
    case Kind::kAbsent:
    case Kind::kJson:
      out += text_;
      return;
    case Kind::kText:
      return append_json_string(text_, out);
    case Kind::kInteger:
      return append(fmt::format_int(static_cast<std::int64_t>(number_)));
    case Kind::kNatural:
      return append(fmt::format_int(number_));
    case Kind::kTime:
      return append_json_micros(static_cast<Ns>(number_), out);
    case Kind::kReal:  // JSON has no infinities
      out += std::isfinite(real) ? fmt::format("{}", real) : fmt::format("\"{}\"", real);
      return;
  }
}

}  // namespace nadi
