// JSON from traces as valid JSON, whatever the trace held.
#pragma once

#include <string>
#include <string_view>

namespace nadi {

/// Appends a JSON value as valid JSON: bare inf and nan of old recorders become "inf", "-inf",
/// "nan", lone surrogates U+FFFD, control characters escapes; numbers keep their text where it is
/// valid. Empty text is an empty list. False if json is no value: then it was appended as a string.
bool append_clean_json(std::string_view json, std::string& out);

}  // namespace nadi
