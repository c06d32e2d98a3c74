// A diff as CSV, as HTA writes it.
#pragma once

#include <string>

#include "nadi/diff/diff_report.h"
#include "nadi/emit/atomic_file.h"

namespace nadi {

/// A header and a line per row (RFC 4180, LF). Columns as HTA's TraceDiff: name (or what
/// the rows are grouped by), Control_counts, Control_total_duration, Test_counts,
/// Test_total_duration, diff_counts, diff_duration, counts_change_categories; times in
/// microseconds, with three decimals where the nanoseconds ask for it.
void write_diff_csv(const DiffReport& report, const ByteSink& sink);

/// The name of the first column: "name", "short_name", "call_path".
std::string diff_column(DiffBy by);

/// HTA's counts_change_categories: '+', '-' or '='.
char hta_category(const DiffRow& row);

}  // namespace nadi
