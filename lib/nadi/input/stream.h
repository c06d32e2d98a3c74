// The sources of a ByteSource: plain bytes of a file, an archive, or a caller's function.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "nadi/input/byte_source.h"

namespace nadi {

struct ByteSource::Stream {
  virtual ~Stream() = default;
  virtual std::size_t read(std::span<char> into) = 0;

  std::uint64_t consumed = 0, total = 0;  // bytes of the file, compressed
  std::string damage, container;
};

/// The bytes of a file or of standard input as they are; `name` is for messages.
class RawFile : public ByteSource::Stream {
 public:
  /// Throws Error(kInput) when the file is missing, unreadable or a directory.
  explicit RawFile(const std::string& path);
  ~RawFile() override;
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  std::size_t read(std::span<char> into) override;
  /// The first bytes (up to `size`), which read() gives again.
  std::string_view peek(std::size_t size);

 private:
  std::size_t read_some(std::span<char> into);

  std::string path_;
  int file_ = -1;
  std::string ahead_;  // peeked, not yet read
  std::size_t ahead_used_ = 0;
};

/// Unpacks `raw` with libarchive. `member` empty = the only one.
/// Throws Error(kInput) when it cannot be unpacked or the member is not there.
std::unique_ptr<ByteSource::Stream> open_archive(std::unique_ptr<RawFile> raw,
                                                 const std::string& name,
                                                 const std::string& member);

}  // namespace nadi
