#include "nadi/converters/diff/write_diff_csv.h"

#include <algorithm>

#include "nadi/converters/events/cell_text.h"

namespace nadi {
namespace {

constexpr std::size_t kDiffBufferBytes = 1 << 16;

void append_row(const std::string& key, const DiffRow& row, std::string& out) {
  append_csv_text(key, out);
  out.push_back(',');
  for (const DiffSide* side : {&row.control, &row.test}) {
    append_number(side->count, ',', out);
    append_micros(side->duration_ns, out);
    out.push_back(',');
  }
  append_number(row.diff_count(), ',', out);
  append_micros(row.diff_ns(), out);
  out.push_back(',');
  out.push_back(hta_category(row));
  out.push_back('\n');
}

}  // namespace

std::string diff_column(DiffBy by) {
  std::string name(to_string(by));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

char hta_category(const DiffRow& row) {
  if (row.control.count == row.test.count) return '=';
  return row.test.count > row.control.count ? '+' : '-';
}

void write_diff_csv(const DiffReport& report, const ByteSink& sink) {
  std::string buffer = diff_column(report.by) +
                       ",Control_counts,Control_total_duration,Test_counts,Test_total_duration,"
                       "diff_counts,diff_duration,counts_change_categories\n";
  for (std::size_t row = 0; row < report.rows.size(); ++row) {
    append_row(key_text(report, row), report.rows[row], buffer);
    if (buffer.size() < kDiffBufferBytes) continue;
    sink(buffer);
    buffer.clear();
  }
  sink(buffer);
}

}  // namespace nadi
