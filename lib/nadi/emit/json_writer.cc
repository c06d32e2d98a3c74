#include "nadi/emit/json_writer.h"

namespace nadi {

JsonWriter& JsonWriter::key(std::string_view name) {
  raw();
  constexpr std::size_t kAround = 4;  // quotes, colon, blank
  const std::size_t begin = text_.size(), size = name.size() + kAround - !has_blanks_;
  text_.resize(begin + size, ' ');
  char* const at = text_.data() + begin;
  at[0] = at[name.size() + 1] = '"';
  name.copy(at + 1, name.size());
  at[name.size() + 2] = ':';
  is_first_ = true;
  return *this;
}

void JsonWriter::finish() {
  text_ += '\n';
  is_first_ = true;
}

void JsonWriter::separate() {
  if (!is_first_) text_ += ',';
  if (indent_ >= 0)
    break_line();
  else if (has_blanks_)
    text_ += ' ';
}

void JsonWriter::break_line() {
  text_ += '\n';
  text_.append(static_cast<std::size_t>(indent_), ' ');
  indent_ = -1;
}

void JsonWriter::begin(char bracket) {
  raw() += bracket;
  is_first_ = true;
}

void JsonWriter::end(char bracket) {
  if (indent_ >= 0) break_line();
  text_ += bracket;
  is_first_ = false;
}

}  // namespace nadi
