// Measures the Finder data ("AppleDouble") that macOS archivers may put in front of a file's bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace nadi {

/// Bytes of the AppleDouble header and entries that `head` begins with; 0 = there is none.
/// Format: RFC 1740, appendix B.
std::size_t apple_double_bytes(std::string_view head);

}  // namespace nadi
