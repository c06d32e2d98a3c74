#include "nadi/read/time_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "nadi/read/json_text.h"

namespace nadi {
namespace {

constexpr std::uint64_t kMostMantissa = std::uint64_t{1} << 62;
constexpr int kMostExponent = 100000;

struct Decimal {
  std::uint64_t mantissa = 0;
  int exponent = 0;  // value = mantissa * 10^exponent
};

/// Takes digits off the front; digits that no longer fit only move the exponent.
bool take_digits(std::string_view& text, Decimal& value, bool is_fraction) {
  bool any = false;
  for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1)) {
    any = true;
    const bool fits = value.mantissa < kMostMantissa / 10 - 1;
    if (fits) value.mantissa = value.mantissa * 10 + static_cast<unsigned>(text.front() - '0');
    if (fits && is_fraction) --value.exponent;
    if (!fits && !is_fraction) ++value.exponent;
  }
  return any;
}

bool take_exponent(std::string_view& text, Decimal& value) {
  text.remove_prefix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  int exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc() || exponent > kMostExponent || exponent < -kMostExponent) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  value.exponent += exponent;
  return true;
}

/// The usual form: up to 16 digits and up to three decimals. Nothing also where it might not fit.
std::optional<Ns> plain_nanoseconds(std::string_view text) {
  constexpr std::size_t kMostDigits = 16;
  std::int64_t value = 0;
  std::size_t at = 0;
  const auto take = [&](std::size_t most) {
    for (const std::size_t end = std::min(text.size(), most); at < end; ++at) {
      const auto digit = static_cast<unsigned>(text[at] - '0');
      if (digit > 9) return;
      value = value * 10 + digit;
    }
  };
  take(kMostDigits);
  if (at == 0 || value >= kLatestTime / kNsPerMicro) return std::nullopt;
  int decimals = 0;
  if (at < text.size() && text[at] == '.') {
    const std::size_t first = ++at;
    take(first + 3);
    decimals = static_cast<int>(at - first);
  }
  if (at < text.size()) return std::nullopt;
  for (; decimals < 3; ++decimals) value *= 10;
  return value;
}

std::optional<std::uint64_t> scaled(Decimal value) {
  for (; value.exponent > 0 && value.mantissa != 0; --value.exponent) {
    if (value.mantissa > kMostMantissa / 10) return std::nullopt;
    value.mantissa *= 10;
  }
  unsigned last = 0;  // the digit dropped last decides the rounding
  for (; value.exponent < 0 && (value.mantissa != 0 || last != 0); ++value.exponent) {
    last = static_cast<unsigned>(value.mantissa % 10);
    value.mantissa /= 10;
  }
  return value.mantissa + (last >= 5 ? 1 : 0);
}

}  // namespace

std::optional<Ns> nanoseconds_of(std::string_view microseconds) {
  if (const auto plain = plain_nanoseconds(microseconds)) return plain;
  std::string_view text = trim(unquoted(microseconds));
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  Decimal value;
  bool any = take_digits(text, value, false);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    any = take_digits(text, value, true) || any;
  }
  if (!any) return std::nullopt;
  if ((text.starts_with('e') || text.starts_with('E')) && !take_exponent(text, value))
    return std::nullopt;
  if (!text.empty()) return std::nullopt;
  value.exponent += 3;
  const auto ns = scaled(value);
  const Ns most = is_negative ? -kEarliestTime : kLatestTime;
  if (!ns || *ns > static_cast<std::uint64_t>(most)) return std::nullopt;
  return is_negative ? -static_cast<Ns>(*ns) : static_cast<Ns>(*ns);
}

RowTime row_time_of(std::string_view start, std::string_view duration) {
  return row_time_of(nanoseconds_of(start), duration.empty() ? Ns{0} : nanoseconds_of(duration));
}

RowTime row_time_of(std::optional<Ns> start, std::optional<Ns> duration) {
  if (!start || !duration || *duration < 0 || *duration > kLongestDuration) return {};
  return {*start, *duration};
}

}  // namespace nadi
