// The function to which writers give their bytes.
#pragma once

#include <functional>
#include <string_view>

namespace nadi {

/// Takes bytes in order, in pieces of any size. Throws Error when it cannot.
using ByteSink = std::function<void(std::string_view)>;

}  // namespace nadi
