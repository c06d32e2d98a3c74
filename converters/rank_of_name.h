// Finds, in its name, the rank of a trace that does not record it: one rule for all verbs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nadi {

/// The number behind "rank" in a file's name, else behind "worker", else that of "tp", "pp" and
/// "dp" together where no size is needed for it: the number of the only one that is there, or of tp
/// where the others are 0. -1 = the name has none. A number alone is no rank.
std::int64_t rank_in_name(std::string_view name);

/// The same of a path: a folder "rank3", "rank-3" or "rank_3" goes before the file's name.
std::int64_t rank_in_path(std::string_view path);

/// The number of such a folder; -1 = it names no rank.
std::int64_t rank_of_folder(std::string_view folder);

/// True where only the names beside it say which rank a name means: it has tp, pp or dp.
bool needs_other_names(std::string_view name);

/// The ranks of files that lie together, by all of their names; -1 = unknown. Where tp, pp
/// and dp stand in the names, it is tp if all of these differ, else they are numbered with tp
/// counting fastest, dp slowest. Names without such a word that differ in one number have that.
std::vector<std::int64_t> ranks_in_names(const std::vector<std::string_view>& names);

/// The last number before the endings of a name, by which the traces of a rank find each other; -1
/// = none.
std::int64_t last_number_in(std::string_view name);

/// A number with so many digits is a time; none of fewer is.
inline constexpr std::size_t kDigitsOfStamp = 10;

/// A name with # in place of each number, and the numbers as text.
struct NumberedName {
  std::string text;
  std::vector<std::string_view> numbers;  ///< into the name
};
NumberedName numbered_name(std::string_view name);

/// The digits that a text begins with.
std::string_view leading_digits(std::string_view text);

/// The value of digits; -1 = more than ranks have.
std::int64_t rank_number(std::string_view digits);

}  // namespace nadi
