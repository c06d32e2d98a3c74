// A diff as a page: bars, the call tree, and tables that sort and filter.
#pragma once

#include "nadi/diff/check_diff.h"
#include "nadi/diff/diff_report.h"
#include "nadi/emit/atomic_file.h"

namespace nadi::html {

/// Writes the page; with the call tree where the report has it. The rows and calls that changed
/// least are left out beyond a few MB, and the page says so. Places of findings are worded by word.
void write_diff_page(const DiffReport& report, const GateVerdict& gate, const ByteSink& sink,
                     WordPlace word = in_library_words);

}  // namespace nadi::html
