// Walks over one JSON value and prints it in another dialect: Python's, or clean JSON.
#pragma once

#include <algorithm>
#include <cassert>
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

/// The end of a string with room for more: characters are put without a look at how much is left.
class TextRoom {
 public:
  /// room = how many characters may be put.
  TextRoom(std::string& text, std::size_t room) : text_(text) { take(text.size(), room); }
  TextRoom(const TextRoom&) = delete;
  TextRoom& operator=(const TextRoom&) = delete;
  ~TextRoom() { text_.resize(size()); }

  void put(char c) {
    assert(size() < text_.size());
    *end_++ = c;
  }
  void put(std::string_view text) {
    assert(text.size() <= text_.size() - size());
    end_ += text.copy(end_, text.size());
  }
  /// Puts what of `text` stands before the first character that is not wanted; returns how many.
  template <class IsWanted>
  std::size_t put_while(std::string_view text, const IsWanted& is_wanted) {
    char* end = end_;
    for (const char c : text) {
      if (!is_wanted(c)) break;
      assert(end < text_.data() + text_.size());
      *end++ = c;
    }
    const auto count = static_cast<std::size_t>(end - end_);
    end_ = end;
    return count;
  }
  /// Takes the last characters back.
  void drop(std::size_t count) { end_ -= count; }
  /// From now on `room` characters may be put.
  void reserve(std::size_t room) {
    const std::size_t used = size();
    if (text_.size() - used < room) take(used, std::max(room, text_.size()));
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(end_ - text_.data()); }
  void take(std::size_t used, std::size_t room) {
    text_.resize(used + room);
    end_ = text_.data() + used;
  }

  std::string& text_;
  char* end_ = nullptr;
};

/// Dialect has: kQuote, of plain strings (those without it, backslashes, control characters);
/// append_string(u32string, out) for all others, lone surrogates included; append_float(token,
/// value, out); text_of(JsonWord), at most twice as long as the word. Integers are kept digit by
/// digit. O(length), no recursion.
template <class Dialect>
class JsonTranslator {
 public:
  /// Translates into the end of `out`. json must be UTF-8; both must outlive the translator.
  JsonTranslator(std::string_view json, std::string& out)
      : in_(json), out_(out, kMostPerCharacter * json.size()) {}

  /// False if json is not one JSON value; then out holds a part of the translation once the
  /// translator is gone.
  bool run() {
    while (true) {
      if (!open_or_scalar()) return false;
      if (!after_value()) return false;
      if (open_.empty()) return at_end();
    }
  }

 private:
  /// The most characters that one becomes: "," becomes ", ". Floats and odd strings, which are
  /// those that are not copied as they are, take room of their own.
  static constexpr std::size_t kMostPerCharacter = 2;

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
      out_.put(c);
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
        out_.put(c);
        open_.pop_back();
        continue;
      }
      if (c != ',') return false;
      ++at_;
      out_.put(',');
      out_.put(' ');
      return open_.back() == ']' || key();
    }
    return true;
  }

  bool key() {
    if (peek() != '"' || !string() || peek() != ':') return false;
    ++at_;
    out_.put(':');
    out_.put(' ');
    return true;
  }

  // Most tokens are integers: copied as they are read.
  bool token() {
    const std::size_t begin = at_;
    const bool negative = at_ < in_.size() && in_[at_] == '-';
    if (negative) out_.put(in_[at_++]);
    const std::size_t first = at_;
    at_ += out_.put_while(in_.substr(first), is_json_digit);
    if (at_ == in_.size() || !is_json_token(in_[at_])) {
      if (negative && at_ - first == 1 && in_[first] == '0') {  // Python prints it without a sign
        out_.drop(2);
        out_.put('0');
      }
      return at_ - first == 1 || (at_ > first && in_[first] != '0');
    }
    out_.drop(at_ - begin);
    while (at_ < in_.size() && is_json_token(in_[at_])) ++at_;
    const std::string_view text = in_.substr(begin, at_ - begin);
    if (is_json_digit(in_[first]) || in_[first] == '.') {
      const auto value = parse_json_float(text);
      if (value) put_odd([&](std::string& out) { Dialect::append_float(text, *value, out); });
      return value.has_value();
    }
    const JsonWord word = json_word(text);
    if (word != JsonWord::kNone) out_.put(Dialect::text_of(word));
    return word != JsonWord::kNone;
  }

  /// append(out) appends what may be longer than what it stands for.
  template <class Append>
  void put_odd(const Append& append) {
    odd_.clear();
    append(odd_);
    out_.reserve(odd_.size() + kMostPerCharacter * (in_.size() - at_));
    out_.put(odd_);
  }

  // Most strings are plain: copied between the dialect's quotes as they are.
  bool string() {
    const std::size_t begin = ++at_;
    out_.put(Dialect::kQuote);
    at_ += out_.put_while(in_.substr(begin), [](char c) {
      return c >= 0x20 && c != 0x7f && c != '"' && c != '\\' && c != Dialect::kQuote;
    });
    if (at_ < in_.size() && in_[at_] == '"') {
      ++at_;
      out_.put(Dialect::kQuote);
      return true;
    }
    out_.drop(1 + at_ - begin);
    at_ = begin;
    return odd_string();
  }

  bool odd_string() {
    scratch_.clear();
    while (at_ < in_.size()) {
      const char c = in_[at_];
      if (c == '"') {
        ++at_;
        put_odd([&](std::string& out) { Dialect::append_string(scratch_, out); });
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
  TextRoom out_;
  std::size_t at_ = 0;
  std::size_t high_open_ = std::string_view::npos;  // where an escaped high surrogate ended
  std::string open_;                                // closing brackets still owed
  std::u32string scratch_;
  std::string odd_;
};

}  // namespace nadi
