#include "nadi/converters/cli/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace nadi::cli {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string printable(std::string text) {
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

/// Characters, not bytes, of UTF-8 text: continuation bytes do not count.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::vector<std::size_t> column_widths(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], width_of(line[i]));
    }
  }
  return widths;
}

}  // namespace

std::string format_table(const TextTable& table, std::size_t indent) {
  std::vector<std::vector<std::string>> lines;
  if (!table.header.empty()) lines.push_back(table.header);
  lines.insert(lines.end(), table.rows.begin(), table.rows.end());
  for (auto& line : lines) {
    for (auto& cell : line) cell = printable(std::move(cell));
  }
  const auto widths = column_widths(lines);
  std::string text;
  for (const auto& line : lines) {
    std::string out(indent, ' ');
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string blanks(widths[i] - width_of(line[i]), ' ');
      const bool right = std::count(table.right_aligned.begin(), table.right_aligned.end(), i) > 0;
      out += (right ? blanks + line[i] : line[i] + blanks) + "  ";
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
  }
  return text;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return with_commas(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

std::string duration_text(std::int64_t ns) {
  struct Unit {
    double ns;
    const char* name;
  };
  constexpr std::array<Unit, 3> kUnits{{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}}};
  for (const Unit& unit : kUnits) {
    if (std::abs(static_cast<double>(ns)) >= unit.ns) {
      return fmt::format("{:.3f} {}", static_cast<double>(ns) / unit.ns, unit.name);
    }
  }
  return fmt::format("{} ns", ns);
}

std::string signed_duration_text(double ns) {
  return (ns > 0 ? "+" : "") + duration_text(std::llround(ns));
}

std::string share_text(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "-";
}

}  // namespace nadi::cli
