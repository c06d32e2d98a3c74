// Walks over one JSON value and prints it in another dialect: Python's, or clean JSON.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "nadi/base/utf8.h"

namespace nadi {

/// The scalars without quotes that are no numbers. Infinity and nan, which no JSON has, are taken
/// bare and in any case, as old recorders write them.
enum class JsonWord : std::uint8_t { kNone, kNull, kTrue, kFalse, kNan, kInfinity, kMinusInfinity };
JsonWord json_word(std::string_view token);

/// Returns the number of a token; nullopt = it is none. Too large a number is infinite, too small a
/// one is 0, as in Python.
std::optional<double> parse_json_float(std::string_view token);

inline bool is_json_digit(char c) { return c >= '0' && c <= '9'; }

/// Characters of numbers, literals and bare inf and nan.
inline bool is_json_token(char c) {
  return is_json_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
         c == '-' || c == '.';
}

/// Dialect has: kQuote, of plain strings (those without it, backslashes, control characters);
/// append_string(u32string, out) for all others, lone surrogates included; append_float(token,
/// value, out); text_of(JsonWord). Integers are kept digit by digit. O(length), no recursion.
template <class Dialect>
class JsonTranslator {
 public:
  /// json must be UTF-8 and outlive the translator.
  JsonTranslator(std::string_view json, std::string& out) : in_(json), out_(out) {}

  /// False if json is not one JSON value; then out holds a part of the translation.
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
    if (at_ < in_.size() && in_[at_] == '-') ++at_;
    while (at_ < in_.size() && is_json_digit(in_[at_])) ++at_;
    const bool is_integer = at_ == in_.size() || !is_json_token(in_[at_]);  // as most are
    while (at_ < in_.size() && is_json_token(in_[at_])) ++at_;
    const std::string_view text = in_.substr(begin, at_ - begin);
    const std::string_view digits = text.substr(text.starts_with('-'));
    if (digits.empty()) return false;
    if (is_integer) {
      if (digits.size() > 1 && digits[0] == '0') return false;
      out_ += digits == "0" ? digits : text;
      return true;
    }
    if (is_json_digit(digits[0]) || digits[0] == '.') {
      const auto value = parse_json_float(text);
      if (value) Dialect::append_float(text, *value, out_);
      return value.has_value();
    }
    const JsonWord word = json_word(text);
    if (word != JsonWord::kNone) out_ += Dialect::text_of(word);
    return word != JsonWord::kNone;
  }

  // Most strings are plain: copied between the dialect's quotes as they are.
  bool string() {
    const std::size_t begin = ++at_;
    while (at_ < in_.size()) {
      const char c = in_[at_];
      if (c == '"') {
        out_.push_back(Dialect::kQuote);
        out_ += in_.substr(begin, at_++ - begin);
        out_.push_back(Dialect::kQuote);
        return true;
      }
      if (c < 0x20 || c == 0x7f || c == '\\' || c == Dialect::kQuote) break;
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
        Dialect::append_string(scratch_, out_);
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

}  // namespace nadi
