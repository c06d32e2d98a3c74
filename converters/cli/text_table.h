// Columns of text for people: aligned, sized to what is in them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/count_text.h"

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

/// A table that is filled cell by cell; its first row names the columns, and all rows have the
/// same.
class CellTable {
 public:
  void begin_row() {
    is_first_ = table_.rows.empty();
    table_.rows.emplace_back();
  }
  void number(std::string_view title, std::string cell) {
    if (is_first_) table_.right_aligned.push_back(table_.rows.back().size());
    text(title, std::move(cell));
  }
  void text(std::string_view title, std::string cell) {
    if (is_first_) table_.header.emplace_back(title);
    table_.rows.back().push_back(std::move(cell));
  }
  std::size_t rows() const { return table_.rows.size(); }
  std::string format(std::size_t indent = kIndent) const { return format_table(table_, indent); }

 private:
  TextTable table_;
  bool is_first_ = true;
};

/// "1 node", "1,234 nodes".
std::string counted(std::uint64_t number, std::string_view noun);

/// 1234567 ns as "1.235 ms": three decimals at most, unit by size (ns, us, ms, s).
std::string duration_text(std::int64_t ns);

/// The same with a sign, of whole nanoseconds: "+1.235 ms".
std::string signed_duration_text(double ns);

/// "12.3 %"; "-" for a share of nothing.
std::string share_text(double part, double whole);
/// The same of two lengths of time.
inline std::string time_share_text(std::int64_t part_ns, std::int64_t whole_ns) {
  return share_text(static_cast<double>(part_ns), static_cast<double>(whole_ns));
}

}  // namespace nadi::cli
