// What files hold, for tests that look at it.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "nadi/input/byte_source.h"

namespace nadi {

/// Returns the bytes of a file; empty = there is none.
inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns what a file holds that may be packed.
inline std::string read_unpacked(const std::filesystem::path& path) {
  ByteSource source = ByteSource::open(path.string());
  std::string text, piece(1 << 16, '\0');
  while (const std::size_t size = source.read(piece)) text.append(piece, 0, size);
  return text;
}

}  // namespace nadi
