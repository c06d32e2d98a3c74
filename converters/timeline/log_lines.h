// The lines of a log, however long it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/input/byte_source.h"
#include "nadi/read/progress.h"

namespace nadi {

/// Holds a buffer of 1 MiB; longer lines are skipped and counted.
class LogLines {
 public:
  explicit LogLines(ByteSource source, Progress progress = {});

  /// The next line without its newline; false at the end. It lives until the next call.
  bool next(std::string_view& line);
  /// Of the line given last; 1 = the first.
  std::uint64_t number() const { return number_; }
  std::uint64_t oversized() const { return oversized_; }
  const std::string& name() const { return source_.name(); }
  const std::string& damage() const { return source_.damage(); }

 private:
  /// Moves what is unread to the buffer's begin and reads behind it; false = nothing more comes.
  bool fill();

  ByteSource source_;
  Progress progress_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what is unread
  std::uint64_t number_ = 0, oversized_ = 0;
};

}  // namespace nadi
