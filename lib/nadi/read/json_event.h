// Reads an event of a device trace from JSON.
#pragma once

#include <string_view>

#include "nadi/read/field_walk.h"
#include "nadi/read/trace_event.h"

namespace nadi {

/// Parses `text` (Window::kPadding readable bytes behind it), to which `event` then refers; false =
/// broken JSON.
bool parse_event(JsonParser& parser, std::string_view text, const ArgumentKeys& keys,
                 TraceEvent& event);

}  // namespace nadi
