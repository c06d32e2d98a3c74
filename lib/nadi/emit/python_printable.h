// The characters that Python prints as they are (str.isprintable), by the table of Unicode 14.
#pragma once

#include <cstdint>

namespace nadi {

/// False for what Python's repr escapes: control, format, surrogate, private, unassigned and
/// separator characters other than the blank.
bool is_python_printable(std::uint32_t code_point);

}  // namespace nadi
