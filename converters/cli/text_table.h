// Columns of text for people: aligned, sized to what is in them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nadi::cli {

struct TextTable {
  std::vector<std::string> header;             ///< empty = no header line
  std::vector<std::vector<std::string>> rows;  ///< each as long as the longest or shorter
  std::vector<std::size_t> right_aligned;      ///< columns with numbers
};

/// The indent of tables below a headline.
inline constexpr std::size_t kIndent = 2;

/// Lines with `indent` blanks before and two between columns, each ending in a newline. Control
/// bytes of cells, which come from strangers' traces, are shown as '?'.
std::string format_table(const TextTable& table, std::size_t indent = 0);

/// 14388 as "14,388".
std::string with_commas(std::uint64_t number);
/// "1 node", "1,234 nodes".
std::string counted(std::uint64_t number, std::string_view noun);

/// 1234567 ns as "1.235 ms": three decimals at most, unit by size (ns, us, ms, s).
std::string duration_text(std::int64_t ns);

/// The same with a sign, of whole nanoseconds: "+1.235 ms".
std::string signed_duration_text(double ns);

/// "12.3 %"; "-" for a share of nothing.
std::string share_text(double part, double whole);

}  // namespace nadi::cli
