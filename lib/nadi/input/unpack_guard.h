// Counts what unpacking gives against the limits, so that a bomb ends early.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "nadi/input/byte_source.h"

namespace nadi {

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

}  // namespace nadi
