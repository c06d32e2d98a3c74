#include "nadi/read/window.h"

#include <algorithm>
#include <cstring>

namespace nadi {
namespace {

constexpr std::size_t kFirstBytes = 1 << 18;  // stays in the second-level cache
constexpr std::uint64_t kProgressBytes = 1 << 20;

}  // namespace

Window::Window(ByteSource& source, const Progress& progress)
    : source_(source),
      progress_(progress),
      buffer_(std::make_unique<char[]>(kFirstBytes + kPadding)),
      capacity_(kFirstBytes) {}

void Window::make_room() {
  const std::size_t used = end_ - begin_;
  if (used > capacity_ / 2) {
    auto larger = std::make_unique_for_overwrite<char[]>(capacity_ * 2 + kPadding);
    std::memcpy(larger.get(), buffer_.get() + begin_, used);
    buffer_ = std::move(larger);
    capacity_ *= 2;
  } else {
    std::memmove(buffer_.get(), buffer_.get() + begin_, used);
  }
  moved_ += begin_;
  begin_ = 0;
  end_ = used;
}

bool Window::fill() {
  if (at_end_) return false;
  if (end_ == capacity_) make_room();
  const std::size_t got = source_.read({buffer_.get() + end_, capacity_ - end_});
  end_ += got;
  std::memset(buffer_.get() + end_, 0, kPadding);
  at_end_ = got == 0;
  report_progress();
  return got > 0;
}

bool Window::fill_to(std::size_t bytes) {
  while (end_ - begin_ < bytes)
    if (!fill()) return false;
  return true;
}

void Window::finish() {
  const std::uint64_t total = source_.total() > 0 ? source_.total() : source_.consumed();
  if (progress_) progress_(total, source_.total());
}

void Window::report_progress() {
  const std::uint64_t consumed = source_.consumed();
  if (!progress_ || consumed < reported_ + kProgressBytes) return;
  reported_ = consumed;
  progress_(consumed, source_.total());
}

}  // namespace nadi
