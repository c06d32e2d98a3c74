// The moving window: the part of a trace that is in memory, from the place read next.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "nadi/input/byte_source.h"
#include "nadi/read/progress.h"

namespace nadi {

class Window {
 public:
  /// Readable bytes behind the text, for parsers that look ahead (simdjson wants 64).
  static constexpr std::size_t kPadding = 64;

  Window(ByteSource& source, const Progress& progress);
  Window(ByteSource& source, Progress&& progress) = delete;  // it is kept by reference

  /// The bytes from the place read next; valid until fill(). kPadding bytes behind are readable.
  std::string_view text() const { return {buffer_.get() + begin_, end_ - begin_}; }
  /// Reads on until text() has more bytes than now; the window grows if it must. false = no more.
  bool fill();
  /// Reads on until text() has `bytes` bytes; false = there are not so many.
  bool fill_to(std::size_t bytes);
  /// Moves the place read next by `bytes` of text().
  void advance(std::size_t bytes) { begin_ += bytes; }
  /// Reports the progress for the last time: all that is of use has been read.
  void finish();
  /// Offset of text() in the decompressed stream, bytes.
  std::uint64_t position() const { return moved_ + begin_; }
  const ByteSource& source() const { return source_; }
  /// Largest size the window ever had, bytes.
  std::size_t capacity() const { return capacity_; }

 private:
  void make_room();
  void report_progress();

  ByteSource& source_;
  const Progress& progress_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0, begin_ = 0, end_ = 0;
  std::uint64_t moved_ = 0;  // bytes that have left the window
  std::uint64_t reported_ = 0;
  bool at_end_ = false;
};

}  // namespace nadi
