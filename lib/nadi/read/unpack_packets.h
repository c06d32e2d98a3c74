// Unpacks the packets that other writers of Perfetto traces pack into one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nadi {

/// Appends what `packed` holds to `out`, up to `most_bytes`; false = it is damaged, or holds more.
bool unpack_zlib(std::string_view packed, std::size_t most_bytes, std::string& out);
bool unpack_zstd(std::string_view packed, std::size_t most_bytes, std::string& out);

}  // namespace nadi
