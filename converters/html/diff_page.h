// A diff as a page: bars, the call tree, and tables that sort and filter.
#pragma once

#include "nadi/diff/diff_report.h"
#include "nadi/diff/fail_if.h"
#include "nadi/emit/atomic_file.h"

namespace nadi::html {

/// Writes the page. `calls`: the same traces by call path, for the tree; may be the report itself;
/// null = no tree. The rows and calls that changed least are left out beyond a few MB, and the page
/// says so.
void write_diff_page(const DiffReport& report, const DiffReport* calls, const GateVerdict& gate,
                     const ByteSink& sink);

}  // namespace nadi::html
