// What READMEs say, beside what the code does.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace nadi::test {

/// A file of the repository.
inline std::string readme_path(const std::string& readme) { return NADI_SOURCE_DIR "/" + readme; }

inline std::vector<std::string> readme_lines(const std::string& readme) {
  std::ifstream in(readme_path(readme));
  EXPECT_TRUE(in.is_open()) << readme;
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Expects this row of a table, as Markdown. NADI_UPDATE_README=1 writes it over the only row that
/// has the same first cell.
inline void expect_readme_row(const std::string& readme, const std::string& row) {
  std::vector<std::string> lines = readme_lines(readme);
  const std::string first_cell = row.substr(0, row.find('|', 1) + 1);
  std::string* found = nullptr;
  for (std::string& line : lines) {
    if (line == row) return;
    if (!line.starts_with(first_cell)) continue;
    ASSERT_EQ(found, nullptr) << readme << " has several rows " << first_cell;
    found = &line;
  }
  ASSERT_NE(found, nullptr) << readme << " lacks this row:\n" << row;
  if (std::getenv("NADI_UPDATE_README") == nullptr) {
    ADD_FAILURE() << readme << " has\n"
                  << *found << "\nwhich is (NADI_UPDATE_README=1 writes it)\n"
                  << row;
    return;
  }
  *found = row;
  std::ofstream out(readme_path(readme));
  for (const std::string& line : lines) out << line << "\n";
}

/// Expects these words, however lines are broken.
inline void expect_readme_says(const std::string& readme, const std::string& words) {
  std::string text;
  for (const std::string& line : readme_lines(readme)) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin != line.npos) text += line.substr(begin) + " ";
  }
  EXPECT_TRUE(text.find(words) != text.npos) << readme << " does not say: " << words;
}

/// "14,388"
inline std::string count_text(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

/// "2,003.701"
inline std::string millis_text(std::int64_t ns) {
  const std::int64_t micros = (ns + 500) / 1000;
  return count_text(static_cast<std::uint64_t>(micros / 1000)) +
         fmt::format(".{:03}", micros % 1000);
}

/// "-0.36", "0.00", with a sign "+0.02": no zero has a minus.
inline std::string decimal_text(double value, int digits, bool has_plus = false) {
  const double scale = std::pow(10, digits);
  const double rounded = std::round(value * scale) / scale;
  if (rounded == 0) return fmt::format("{:.{}f}", 0.0, digits);
  return has_plus ? fmt::format("{:+.{}f}", rounded, digits)
                  : fmt::format("{:.{}f}", rounded, digits);
}

/// The smallest and the largest of some numbers.
struct Range {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  void add(double number) {
    least = std::min(least, number);
    most = std::max(most, number);
  }
  /// "4.2 to 26.1", "-1.5 to +0.4"
  std::string text(int digits, bool has_plus = false) const {
    return decimal_text(least, digits, has_plus) + " to " + decimal_text(most, digits, has_plus);
  }
};

}  // namespace nadi::test
