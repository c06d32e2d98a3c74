// Classifies what a device row does, as one of a few words: "gemm", "communication", "copy".
#pragma once

#include <string_view>

namespace nadi {

/// Returns the family by category (read/category_table.h) and by words in the name; "other" where
/// none is known.
std::string_view kernel_family_of(std::string_view category, std::string_view name);
/// The same of rows without a category, as graphs have them: copies and sets are known by the names
/// that profilers give them.
std::string_view kernel_family_of(std::string_view name);

/// True for the families of copies and sets, which compute nothing.
bool is_memory_family(std::string_view family);

}  // namespace nadi
