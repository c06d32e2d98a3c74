// Pieces of JSON appended to a text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "nadi/base/time.h"

namespace nadi::record {

void append_number(std::string& text, std::int64_t value);
void append_number(std::string& text, std::uint64_t value);
/// Appends a number; one that JSON cannot write becomes a string: "inf", "-inf", "nan".
void append_real(std::string& text, double value);
/// Appends microseconds with three decimals, as Kineto writes times.
void append_microseconds(std::string& text, Ns value);
/// Appends text in quotes. Any bytes are taken: what is no UTF-8 becomes U+FFFD.
void append_string(std::string& text, std::string_view value);

}  // namespace nadi::record
