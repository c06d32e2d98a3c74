// Values of events as those of their columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "nadi/events/attribute.h"
#include "nadi/read/event_value.h"

namespace nadi {

/// An integer, also quoted, with a fraction of zeros, or true (1) and false (0); else nothing.
std::optional<std::int64_t> int_value(const EventValue& value);
/// A number, also quoted; else nothing.
std::optional<double> float_value(const EventValue& value);
/// A string's text with escapes resolved; other values as JSON text on one line. Uses `scratch`
/// only where the text is not the value's own.
std::string_view text_value(const EventValue& value, std::string& scratch);
/// The type of a column whose first value is `value`.
AttributeType type_of(const EventValue& value);

}  // namespace nadi
