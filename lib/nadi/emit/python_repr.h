// JSON text to the text Python prints for the same value: what Chakra's IOInfo strings hold.
#pragma once

#include <string>
#include <string_view>

namespace nadi {

/// Appends str(json.loads(json)) to out: `[[1,"a",null]]` -> `[[1, 'a', None]]`. Floats have the
/// shortest digits that read back equal, in exponent form only for a decimal exponent below -4 or
/// from 16 up; integers are kept digit by digit; inf and nan are understood bare, in any case, as
/// old recorders write them. Text that is no UTF-8 gets U+FFFD. Empty text is an empty list.
/// O(length) time, no recursion. False if json is not one JSON value: then out holds what it held.
/// (A key repeated within one object is printed twice, where Python keeps the last.)
/// Rules: https://docs.python.org/3/library/functions.html#repr, facts in schema/chakra.md.
bool append_python_repr(std::string_view json, std::string& out);

/// Appends Python's repr of a float: `1.0`, `0.0001`, `1e-05`, `1e+16`, `inf`, `nan`.
void append_python_float(double value, std::string& out);

}  // namespace nadi
