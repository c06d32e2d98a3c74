// Words of a text file with their places, for error messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/input/byte_source.h"

namespace nadi {

struct TextWord {
  std::string_view text;
  std::size_t column = 1;  ///< 1 = first byte of the line
};

struct TextLine {
  std::size_t number = 0;       ///< 1 = first line of the file
  std::vector<TextWord> words;  ///< the first 64
};

/// All of a text file in memory, given line by line.
class TextLines {
 public:
  /// Throws Error (kInput) for more than `most_bytes`, damaged input and bytes that are no text
  /// (NUL, UTF-16).
  TextLines(ByteSource source, std::size_t most_bytes);

  /// The next line that is not blank; false at the end. Words live as long as this object.
  bool next(TextLine& line);

  /// Throws Error (kInput): "FILE, line 3, column 7: WHAT. REMEDY".
  [[noreturn]] void fail(const TextLine& line, std::size_t column, const std::string& what,
                         const std::string& remedy) const;
  /// Of the whole file or its end.
  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const;

 private:
  void reject_binary() const;

  std::string name_, text_;
  std::size_t at_ = 0, number_ = 0;
};

/// text in quotes for a message: at most 40 bytes, no control bytes, UTF-8.
std::string quoted(std::string_view text);

}  // namespace nadi
