#include "nadi/converters/timeline/log_lines.h"

#include <algorithm>

namespace nadi {

LogLines::LogLines(ByteSource source, Progress progress)
    : source_(std::move(source)), progress_(std::move(progress)), buffer_(1 << 20) {}

bool LogLines::next(std::string_view& line) {
  bool is_too_long = false;
  for (std::size_t searched = 0;;) {
    const std::string_view unread(buffer_.data() + begin_, end_ - begin_);
    const std::size_t newline = unread.find('\n', searched);
    if (newline != std::string_view::npos) {
      ++number_;
      begin_ += newline + 1;
      if (!is_too_long) {
        line = unread.substr(0, newline);
        return true;
      }
      is_too_long = false;
      searched = 0;
      continue;
    }
    searched = unread.size();
    if (unread.size() == buffer_.size()) {
      if (!is_too_long) ++oversized_;
      is_too_long = true;
      begin_ = end_;
      searched = 0;
    }
    if (fill()) continue;
    if (begin_ == end_ || is_too_long) return false;
    line = {buffer_.data() + begin_, end_ - begin_};  // the last line has no newline
    begin_ = end_;
    ++number_;
    return true;
  }
}

bool LogLines::fill() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  const std::size_t got = source_.read({buffer_.data() + end_, buffer_.size() - end_});
  end_ += got;
  if (progress_) progress_(source_.consumed(), source_.total());
  return got > 0;
}

}  // namespace nadi
