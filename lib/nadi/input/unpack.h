// Unpacks what is compressed, up to limits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "nadi/input/byte_source.h"
#include "nadi/input/raw_stream.h"

namespace nadi {

/// Counts what unpacking gives against the limits, so that a bomb ends early.
class UnpackGuard {
 public:
  explicit UnpackGuard(const UnpackLimits& limits) : limits_(limits) {}

  /// A file or member follows. Says which limit that breaks; empty = none.
  std::string begin_file(std::string_view archive);
  /// Adds unpacked bytes; packed = all that were read so far to give all of them.
  /// Says which limit they break; empty = none. Throws TooManyBytes where the limits say so.
  std::string add(std::uint64_t bytes, std::uint64_t packed, std::string_view name);

 private:
  UnpackLimits limits_;
  std::uint64_t files_ = 0, file_bytes_ = 0, bytes_ = 0;
};

/// The content of `raw`, unpacked once if it is gzip, zstd, xz, bzip2 or lz4, else as it is.
/// Unpacked bytes end with damage where they are beyond the limits. `name` is for messages.
std::unique_ptr<ByteSource::Stream> unpack_once(std::unique_ptr<RawStream> raw,
                                                const std::string& name,
                                                const UnpackLimits& limits);

/// True for the beginning (262 bytes or more, if there are so many) of a tar or zip archive.
bool is_archive(std::string_view head);
/// True for the beginning of what unpack_once() unpacks.
bool is_compressed(std::string_view head);

}  // namespace nadi
