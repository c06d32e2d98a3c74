#include "nadi/emit/python_repr.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "nadi/emit/python_printable.h"
#include "nadi/emit/utf8.h"

namespace nadi {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Characters of numbers, literals and bare inf/nan.
bool is_token(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' ||
         c == '.';
}

void append_hex(char letter, int digits, std::uint32_t value, std::string& out) {
  out.push_back('\\');
  out.push_back(letter);
  while (digits-- > 0) out.push_back("0123456789abcdef"[value >> (4 * digits) & 0xf]);
}

void append_character(char32_t c, char quote, std::string& out) {
  if (c == static_cast<char32_t>(quote) || c == '\\') {
    out.push_back('\\');
    out.push_back(static_cast<char>(c));
  } else if (c == '\n') {
    out += "\\n";
  } else if (c == '\r') {
    out += "\\r";
  } else if (c == '\t') {
    out += "\\t";
  } else if (is_python_printable(c)) {
    append_utf8(c, out);
  } else if (c < 0x100) {
    append_hex('x', 2, c, out);
  } else if (c < 0x10000) {
    append_hex('u', 4, c, out);
  } else {
    append_hex('U', 8, c, out);
  }
}

void append_quoted(const std::u32string& text, std::string& out) {
  const bool has_single = text.find(U'\'') != text.npos, has_double = text.find(U'"') != text.npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  out.push_back(quote);
  for (const char32_t c : text) append_character(c, quote, out);
  out.push_back(quote);
}

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

std::optional<double> parse_float(std::string_view token) {
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (end != token.data() + token.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return out_of_range_value(token);
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

std::string_view bare_word(std::string_view token) {
  if (token == "null") return "None";
  if (token == "true") return "True";
  if (token == "false") return "False";
  const bool negative = token.starts_with('-');
  std::string word(token.substr(negative));
  for (char& c : word) c = static_cast<char>(c | 0x20);
  if (word == "nan") return "nan";
  if (word == "inf" || word == "infinity") return negative ? "-inf" : "inf";
  return {};
}

class Translator {
 public:
  Translator(std::string_view json, std::string& out) : in_(json), out_(out) {}

  bool run() {
    while (true) {
      if (!open_or_scalar()) return false;
      if (!after_value()) return false;
      if (open_.empty()) return at_end();
    }
  }

 private:
  char peek() {
    while (at_ < in_.size() &&
           (in_[at_] == ' ' || in_[at_] == '\n' || in_[at_] == '\r' || in_[at_] == '\t'))
      ++at_;
    return at_ < in_.size() ? in_[at_] : '\0';
  }
  bool at_end() { return peek() == '\0' && at_ == in_.size(); }

  // Reads up to and including the next scalar or empty list; opens lists and objects on the way.
  bool open_or_scalar() {
    while (true) {
      const char c = peek();
      if (c == '"') return string();
      if (c != '[' && c != '{') return token();
      ++at_;
      out_.push_back(c);
      open_.push_back(c == '[' ? ']' : '}');
      if (peek() == open_.back()) return true;
      if (c == '{' && !key()) return false;
    }
  }

  // Closes what ends here; true at the next value's begin or at the end of the outermost value.
  bool after_value() {
    while (!open_.empty()) {
      const char c = peek();
      if (c == open_.back()) {
        ++at_;
        out_.push_back(c);
        open_.pop_back();
        continue;
      }
      if (c != ',') return false;
      ++at_;
      out_ += ", ";
      return open_.back() == ']' || key();
    }
    return true;
  }

  bool key() {
    if (peek() != '"' || !string() || peek() != ':') return false;
    ++at_;
    out_ += ": ";
    return true;
  }

  bool token() {
    const std::size_t begin = at_;
    while (at_ < in_.size() && is_token(in_[at_])) ++at_;
    const std::string_view text = in_.substr(begin, at_ - begin);
    const std::string_view digits = text.substr(text.starts_with('-'));
    if (digits.empty()) return false;
    if (std::all_of(digits.begin(), digits.end(), is_digit)) {
      if (digits.size() > 1 && digits[0] == '0') return false;
      out_ += digits == "0" ? digits : text;
      return true;
    }
    if (is_digit(digits[0]) || digits[0] == '.') {
      const auto value = parse_float(text);
      if (value) append_python_float(*value, out_);
      return value.has_value();
    }
    const std::string_view word = bare_word(text);
    out_ += word;
    return !word.empty();
  }

  // Most strings are plain: copied between single quotes as they are.
  bool string() {
    const std::size_t begin = ++at_;
    while (at_ < in_.size()) {
      const char c = in_[at_];
      if (c == '"') {
        out_.push_back('\'');
        out_ += in_.substr(begin, at_++ - begin);
        out_.push_back('\'');
        return true;
      }
      if (c < 0x20 || c == 0x7f || c == '\\' || c == '\'') break;
      ++at_;
    }
    at_ = begin;
    return odd_string();
  }

  bool odd_string() {
    scratch_.clear();
    while (at_ < in_.size()) {
      const char c = in_[at_];
      if (c == '"') {
        ++at_;
        append_quoted(scratch_, out_);
        return true;
      }
      if (c != '\\') {
        scratch_.push_back(next_character(in_, at_));
      } else if (!escape()) {
        return false;
      }
    }
    return false;
  }

  bool escape() {
    if (++at_ >= in_.size()) return false;
    const char c = in_[at_++];
    if (c == 'u') return unicode_escape();
    constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t which = kLetters.find(c);
    if (which == kLetters.npos) return false;
    scratch_.push_back(static_cast<char32_t>(kMeanings[which]));
    return true;
  }

  // A high and a low surrogate make one character; a lone one stays, as in Python.
  bool unicode_escape() {
    const auto unit = four_digits();
    if (!unit) return false;
    const bool joins =
        *unit >= 0xdc00 && *unit <= 0xdfff && !scratch_.empty() && high_open_ == at_ - 6;
    if (joins) {
      scratch_.back() = 0x10000 + ((scratch_.back() - 0xd800) << 10) + (*unit - 0xdc00);
    } else {
      scratch_.push_back(*unit);
    }
    high_open_ = *unit >= 0xd800 && *unit <= 0xdbff ? at_ : std::string_view::npos;
    return true;
  }

  std::optional<char32_t> four_digits() {
    if (in_.size() - at_ < 4) return std::nullopt;
    std::uint32_t value = 0;
    const char* first = in_.data() + at_;
    const auto [end, error] = std::from_chars(first, first + 4, value, 16);
    if (error != std::errc{} || end != first + 4) return std::nullopt;
    at_ += 4;
    return value;
  }

  std::string_view in_;
  std::string& out_;
  std::size_t at_ = 0;
  std::size_t high_open_ = std::string_view::npos;  // where an escaped high surrogate ended
  std::string open_;                                // closing brackets still owed
  std::u32string scratch_;
};

}  // namespace

void append_python_float(double value, std::string& out) {
  if (std::isnan(value)) {
    out += "nan";
    return;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
    return;
  }
  char text[40];
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  std::string_view all(text, static_cast<std::size_t>(end - text));
  if (all.front() == '-') {
    out.push_back('-');
    all.remove_prefix(1);
  }
  const std::size_t mark = all.find('e');
  int exponent = 0;
  std::from_chars(all.data() + mark + 1 + (all[mark + 1] == '+'), end, exponent);
  if (exponent < -4 || exponent >= 16) {
    out += all;  // to_chars and Python agree here: at least two digits of exponent
    return;
  }
  std::string digits(1, all[0]);
  if (mark > 2) digits += all.substr(2, mark - 2);
  if (exponent < 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-exponent - 1), '0');
    out += digits;
    return;
  }
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) digits.append(whole + 1 - digits.size(), '0');
  out.append(digits, 0, whole);
  out.push_back('.');
  out.append(digits, whole);
}

bool append_python_repr(std::string_view json, std::string& out) {
  if (json.empty()) {
    out += "[]";
    return true;
  }
  const std::size_t before = out.size();
  const bool is_ascii = ascii_prefix(json) == json.size();
  const std::string repaired = is_ascii || is_utf8(json) ? std::string() : repair_utf8(json);
  if (!repaired.empty()) json = repaired;
  if (Translator(json, out).run()) return true;
  out.resize(before);
  return false;
}

}  // namespace nadi
