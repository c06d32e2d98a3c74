// JSON tokens of attributes as values of their columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "nadi/events/attribute.h"

namespace nadi {

/// An integer, also quoted, with a fraction of zeros, or true (1) and false (0); else nothing.
std::optional<std::int64_t> int_value(std::string_view token);
/// A number, also quoted; else nothing.
std::optional<double> float_value(std::string_view token);
/// A string's text with escapes resolved; other tokens as JSON text on one line. Uses `scratch`
/// only where the text is not the token's own.
std::string_view text_value(std::string_view token, std::string& scratch);
/// The type of a column whose first value is `token`.
AttributeType type_of_token(std::string_view token);

}  // namespace nadi
