// Checksums of files, as `xxh128sum` prints them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace nadi {

/// XXH128 (https://xxhash.com) of bytes that come in pieces.
class Checksum {
 public:
  Checksum();
  ~Checksum();
  Checksum(const Checksum&) = delete;
  Checksum& operator=(const Checksum&) = delete;

  void add(std::string_view bytes);
  /// 32 hexadecimal digits.
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Of the bytes of a file as they lie there. Throws Error(kInput) where it cannot be read.
std::string checksum_of_file(const std::string& path);

}  // namespace nadi
