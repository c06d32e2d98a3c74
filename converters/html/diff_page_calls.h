// The call tree of a diff's page.
#pragma once

#include "nadi/converters/html/page_json.h"
#include "nadi/diff/diff_report.h"

namespace nadi::html {

/// Adds "calls": [[parent, name, is device, mean counts, mean ns with all they call, difference of
/// own time, difference of device time]], each behind its parent, the root first; and
/// "calls_left_out": of large trees only the calls that changed most, and their callers, are there.
void add_calls(const DiffReport& report, Json& data);

}  // namespace nadi::html
