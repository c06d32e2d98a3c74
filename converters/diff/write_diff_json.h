// A diff as JSON, with all there is.
#pragma once

#include "nadi/diff/check_diff.h"
#include "nadi/diff/diff_report.h"
#include "nadi/emit/atomic_file.h"

namespace nadi {

/// One object: by, device, gate (where conditions were asked: is_open, conditions, failed with the
/// rows at fault), control, test, total (own times), inclusive_total, ops_diff in HTA's words and
/// rows (by call path: calls), lanes, edges, changed_inputs, diagnostics. Rows and calls have
/// `mean_own`, their own time. Places of diagnostics are worded by word. Bytes that are no UTF-8
/// become U+FFFD.
void write_diff_json(const DiffReport& report, const GateVerdict& gate, const ByteSink& sink,
                     WordPlace word = in_library_words);

}  // namespace nadi
