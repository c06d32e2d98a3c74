// A diff as files: CSV as HTA writes it, JSON with all there is.
#pragma once

#include "nadi/diff/check_diff.h"
#include "nadi/diff/diff_report.h"
#include "nadi/emit/atomic_file.h"

namespace nadi {

/// A header and a line per row (RFC 4180, LF). Columns as HTA's TraceDiff: name (or what
/// the rows are grouped by), Control_counts, Control_total_duration, Test_counts,
/// Test_total_duration, diff_counts, diff_duration, counts_change_categories; times in
/// microseconds, with three decimals where the nanoseconds ask for it.
void write_diff_csv(const DiffReport& report, const ByteSink& sink);

/// One object: by, device, gate (where conditions were asked: is_open, conditions, failed with the
/// rows at fault), control, test, total (own times), inclusive_total, ops_diff in HTA's words and
/// rows (by call path: calls), lanes, edges, changed_inputs, diagnostics. Rows and calls have
/// `mean_own`, their own time. Places of diagnostics are worded by word. Bytes that are no UTF-8
/// become U+FFFD.
void write_diff_json(const DiffReport& report, const GateVerdict& gate, const ByteSink& sink,
                     WordPlace word = in_library_words);

/// The name of the first column: "name", "short_name", "call_path".
std::string diff_column(DiffBy by);

}  // namespace nadi
