// Bytes that arrive in pieces: the first byte of a fuzzer's input is their size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "nadi/input/byte_source.h"

namespace nadi {

/// `data` must outlive it.
inline ByteSource source_in_pieces(const std::uint8_t* data, std::size_t size) {
  const std::size_t piece = size == 0 ? 1 : 1 + data[0];
  return ByteSource("fuzz", [=, at = std::min<std::size_t>(size, 1)](std::span<char> into) mutable {
    const std::size_t got = std::min({into.size(), size - at, piece});
    if (got > 0) std::memcpy(into.data(), data + at, got);
    at += got;
    return got;
  });
}

}  // namespace nadi
