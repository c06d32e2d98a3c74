// How a file is packed, by its name.
#pragma once

#include <cstdint>
#include <string_view>

namespace nadi {

enum class Compression : std::uint8_t { kNone, kGzip, kZstd };

/// ".gz" and ".zst" at the end of a file's name, in small letters or large.
Compression compression_of(std::string_view file_name);
/// The name without such an ending: "trace.json" of "trace.json.gz".
std::string_view without_compression(std::string_view file_name);

}  // namespace nadi
