// The short name of an op or a kernel: without arguments, template arguments and return type.
#pragma once

#include <string>
#include <string_view>

namespace nadi {

/// HTA's rule: names that begin with Memcpy, Memset, hipMemcpy, hipMemset or dma, and names without
/// '<' and '(' stay. Of others "->", what is between '<' and its '>' and between '(' and its ')'
/// go, and the last blank-separated word stays; a closing bracket without its opening one takes all
/// that is before it.
std::string short_name_of(std::string_view name);

}  // namespace nadi
