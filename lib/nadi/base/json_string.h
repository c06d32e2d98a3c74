// Text and times as JSON has them.
#pragma once

#include <string>
#include <string_view>

#include "nadi/base/time.h"

namespace nadi {

/// True for what is a number in JSON, so not for "007", "1." or "sm_90".
bool is_json_number(std::string_view text);

/// Appends text with its quotes; bytes that are no UTF-8 become U+FFFD.
void append_json_string(std::string_view text, std::string& out);

/// Appends a character as strings hold it: quotes and control characters escaped, a surrogate as
/// U+FFFD.
void append_json_character(char32_t c, std::string& out);

/// Appends nanoseconds as microseconds with three decimals.
void append_json_micros(Ns ns, std::string& out);

}  // namespace nadi
