// Pieces of JSON appended to a text.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

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
/// "[0, 1]"; "[0, ...]" where the list has more than `most` entries.
std::string list_text(const std::vector<std::int64_t>& list,
                      std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace nadi::record
