// Gives copies and sets whose direction is an argument the names that Kineto gives them.
#pragma once

#include <string>
#include <string_view>

namespace nadi {

/// Returns "Memcpy DtoH (Device -> Pageable)" for the texts of Cuspy's `copy kind`, `src kind` and
/// `dst kind` (N15): words, or numbers of CUPTI's enumerations.
std::string copy_name(std::string_view copy_kind, std::string_view source, std::string_view target);
/// Returns "Memset (Device)" for the text of `memory kind`.
std::string set_name(std::string_view memory_kind);

}  // namespace nadi
