// Guesses the known word that a mistyped one stands for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nadi::cli {

/// " Did you mean convert?" for the known word that differs from `word` in the fewest letters;
/// empty where all differ in more than a third of theirs.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

}  // namespace nadi::cli
