// Findings about a call or device row, with the place said as people find it in a trace viewer.
#pragma once

#include <string_view>

#include "nadi/base/diagnostics.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Reports one of the kind; the place is "NAME at 12.345 ms, correlation 7", the name cut
/// short and the time counted from the trace's first event.
void report_at(Diagnostics& diagnostics, Finding kind, const LinkedTrace& linked,
               std::string_view name, Ns time, std::int64_t correlation);

}  // namespace nadi
