// The plain bytes of a ByteSource: those of a file or of a caller's function.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "nadi/input/byte_source.h"

namespace nadi {

struct ByteSource::Stream {
  virtual ~Stream() = default;
  virtual std::size_t read(std::span<char> into) = 0;
  /// Reads until the span is full or the stream ends, and gives how many bytes that were.
  std::size_t fill(std::span<char> into) {
    std::size_t size = 0;
    while (size < into.size()) {
      const std::size_t got = read(into.subspan(size));
      if (got == 0) break;
      size += got;
    }
    return size;
  }

  std::uint64_t consumed = 0, total = 0;  // bytes of the file, compressed
  std::string damage, container;
};

/// Bytes as they are, the first of which can be looked at before they are read.
class RawStream : public ByteSource::Stream {
 public:
  std::size_t read(std::span<char> into) final;
  /// The first bytes (up to `size`), which read() gives again.
  std::string_view peek(std::size_t size);

 private:
  /// Fills a part of the span and gives its size; 0 = end.
  virtual std::size_t read_some(std::span<char> into) = 0;

  std::string ahead_;  // peeked, not yet read
  std::size_t ahead_used_ = 0;
};

/// The bytes of a file or of standard input.
class RawFile : public RawStream {
 public:
  /// Throws Error(kInput) when the file is missing, unreadable or a directory.
  explicit RawFile(const std::string& path);
  ~RawFile() override;
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

 private:
  std::size_t read_some(std::span<char> into) override;

  std::string path_;
  int file_ = -1;
};

/// The bytes that a caller's function gives; `bytes` = their number, 0 = not known.
class RawFunction : public RawStream {
 public:
  RawFunction(ByteSource::ReadFunction function, std::uint64_t bytes)
      : function_(std::move(function)) {
    total = bytes;
  }

 private:
  std::size_t read_some(std::span<char> into) override { return function_(into); }

  ByteSource::ReadFunction function_;
};

}  // namespace nadi
