#include "nadi/converters/cli/suggestion.h"

#include <algorithm>
#include <numeric>

namespace nadi::cli {
namespace {

/// Letters to add, leave out, replace, or exchange with the next one (optimal string alignment).
std::size_t differences(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    std::swap(last, row);
  }
  return last.back();
}

}  // namespace

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongest = 64;
  if (word.size() > kLongest) return {};
  const std::string* nearest = nullptr;
  std::size_t fewest = 0;
  for (const std::string& other : known) {
    const std::size_t count = differences(word, other);
    if (3 * count > std::max(word.size(), other.size()) || (nearest != nullptr && count >= fewest))
      continue;
    nearest = &other;
    fewest = count;
  }
  return nearest == nullptr ? std::string() : " Did you mean " + *nearest + "?";
}

}  // namespace nadi::cli
