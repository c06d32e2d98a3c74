// Rewrites one broken JSON object as profilers really write them (K7, H5) into valid JSON.
#pragma once

#include <string>
#include <string_view>

#include "nadi/read/window.h"

namespace nadi {

/// The reading of `\"`: as an escaped quote, or as a backslash before the string's real end where
/// what follows looks like the next field ("path": "C:\", "pid": 1).
enum class Escapes : std::uint8_t { kTrusted, kDoubted };

/// Empty values, nan, inf and N/A become null; unescaped quotes, backslashes and control bytes in
/// strings are escaped; bytes that are no UTF-8 become U+FFFD. The result need not be valid: parse
/// it.
std::string repair_json(std::string_view object, Escapes escapes);

/// Calls take(text), where text is the object repaired, with the padding behind it that parsers
/// want, for one reading and then the other, until it returns true. Returns whether it did.
template <class Take>
bool take_repaired(std::string_view object, const Take& take) {
  for (const Escapes escapes : {Escapes::kTrusted, Escapes::kDoubted}) {
    std::string repaired = repair_json(object, escapes);
    const std::size_t bytes = repaired.size();
    repaired.append(Window::kPadding, '\0');
    if (take(std::string_view(repaired.data(), bytes))) return true;
  }
  return false;
}

}  // namespace nadi
