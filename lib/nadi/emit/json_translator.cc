#include "nadi/emit/json_translator.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace nadi {
namespace {

// What a number too large or too small for a double is: decided by its decimal exponent.
double out_of_range_value(std::string_view token) {
  const bool negative = token.front() == '-';
  const std::size_t mark = token.find_first_of("eE");
  const std::string_view digits = token.substr(negative, mark - negative);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  std::int64_t exponent = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  if (mark != token.npos) {
    const std::string_view power = token.substr(mark + 1 + (token[mark + 1] == '+'));
    std::int64_t shift = power.front() == '-' ? -1'000'000'000 : 1'000'000'000;
    std::from_chars(power.data(), power.data() + power.size(), shift);  // stays if out of range
    exponent += std::clamp<std::int64_t>(shift, -1'000'000'000, 1'000'000'000);
  }
  const double size = exponent > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  return negative ? -size : size;
}

}  // namespace

std::optional<double> parse_json_float(std::string_view token) {
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (end != token.data() + token.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return out_of_range_value(token);
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

JsonWord json_word(std::string_view token) {
  if (token == "null") return JsonWord::kNull;
  if (token == "true") return JsonWord::kTrue;
  if (token == "false") return JsonWord::kFalse;
  const bool negative = token.starts_with('-');
  std::string word(token.substr(negative));
  for (char& c : word) c = static_cast<char>(c | 0x20);
  if (word == "nan") return JsonWord::kNan;
  if (word != "inf" && word != "infinity") return JsonWord::kNone;
  return negative ? JsonWord::kMinusInfinity : JsonWord::kInfinity;
}

}  // namespace nadi
