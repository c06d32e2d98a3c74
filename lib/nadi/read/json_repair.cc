#include "nadi/read/json_repair.h"

#include <fmt/format.h>

#include <vector>

#include "nadi/base/utf8.h"
#include "nadi/read/json_text.h"

namespace nadi {
namespace {

/// True if `text` from `at` on reads: "key" :
bool is_key_at(std::string_view text, std::size_t at) {
  if (at >= text.size() || text[at] != '"') return false;
  const std::size_t end = text.find('"', at + 1);
  if (end == std::string_view::npos) return false;
  const std::size_t colon = skip_space(text, end + 1);
  return colon < text.size() && text[colon] == ':';
}

/// Also what JSON does not allow (007, 1.): readers of fields take it.
bool looks_like_number(std::string_view word) {
  if (word.starts_with('-')) word.remove_prefix(1);
  if (word.empty() || word.front() < '0' || word.front() > '9') return false;
  return word.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
}

class Repair {
 public:
  Repair(std::string_view text, Escapes escapes) : text_(text), escapes_(escapes) {
    out_.reserve(text.size() + text.size() / 8);
  }

  std::string run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (is_space(c)) {
        ++at_;
      } else if (c == '"') {
        string();
      } else if (c == '{' || c == '[') {
        levels_.push_back(c);
        put(c);
      } else if (c == '}' || c == ']') {
        close(c);
      } else if (c == ',' || c == ':') {
        separator(c);
      } else {
        word();
      }
    }
    return std::move(out_);
  }

 private:
  bool in_object() const { return levels_.empty() || levels_.back() == '{'; }
  char last() const { return out_.empty() ? '\0' : out_.back(); }

  void put(char c) {
    out_.push_back(c);
    ++at_;
  }

  void close(char c) {
    if (last() == ':') out_ += "null";
    if (last() == ',') out_.pop_back();
    if (!levels_.empty()) levels_.pop_back();
    put(c);
  }

  void separator(char c) {
    if (c == ',' && last() == ':') out_ += "null";
    if (c == ',' && (last() == ',' || last() == '{' || last() == '[')) {
      ++at_;
    } else {
      put(c);
    }
  }

  // nan, inf, -Infinity, N/A and whatever else stands where a value should.
  void word() {
    const std::size_t end = std::min(text_.find_first_of(",}]\n\"", at_), text_.size());
    const std::string_view text = trim(text_.substr(at_, end - at_));
    const bool is_valid =
        text == "true" || text == "false" || text == "null" || looks_like_number(text);
    out_ += is_valid ? text : "null";
    at_ = end;
  }

  void string() {
    const bool is_key = in_object() && last() != ':';
    put('"');
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' && is_end(at_, is_key)) return put('"');
      if (c == '"') {
        out_ += "\\\"";
        ++at_;
      } else if (c == '\\') {
        backslash(is_key);
      } else {
        character(c);
      }
    }
  }

  /// True if the quote at `at` ends its string, as far as what follows shows.
  bool is_end(std::size_t at, bool is_key) const {
    const std::size_t next = skip_space(text_, at + 1);
    if (next >= text_.size()) return true;
    const char c = text_[next];
    if (is_key) return c == ':';
    if (in_object()) {
      if (c == '}') {
        const std::size_t after = skip_space(text_, next + 1);
        return after >= text_.size() || text_[after] == ',' || text_[after] == '}' ||
               text_[after] == ']';
      }
      return c == ',' && is_key_at(text_, skip_space(text_, next + 1));
    }
    if (c == ']') return true;
    const std::size_t after = skip_space(text_, next + 1);
    return c == ',' && after < text_.size() &&
           std::string_view("\"[{-0123456789tfn").find(text_[after]) != std::string_view::npos;
  }

  void backslash(bool is_key) {
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    const bool is_doubted = next == '"' && escapes_ == Escapes::kDoubted && is_end(at_ + 1, is_key);
    const bool is_hex =
        next != 'u' || (at_ + 6 <= text_.size() &&
                        text_.substr(at_ + 2, 4).find_first_not_of("0123456789abcdefABCDEF") ==
                            std::string_view::npos);
    const bool is_escape =
        next != '\0' && std::string_view("\"\\/bfnrtu").find(next) != std::string_view::npos;
    if (!is_escape || !is_hex || is_doubted) {
      out_ += "\\\\";
      ++at_;
    } else {
      put('\\');
      put(next);
    }
  }

  void character(char c) {
    if (static_cast<unsigned char>(c) < 0x20) {
      out_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      ++at_;
      return;
    }
    append_utf8(next_character(text_, at_), out_);
  }

  std::string_view text_;
  Escapes escapes_;
  std::size_t at_ = 0;
  std::string out_;
  std::vector<char> levels_;
};

}  // namespace

std::string repair_json(std::string_view object, Escapes escapes) {
  return Repair(object, escapes).run();
}

}  // namespace nadi
