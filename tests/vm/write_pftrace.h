// The same trace as Cuspy's JSON, in the bytes of Perfetto's protocol buffers, as Cuspy's encoder
// writes them: with its order, and without what it leaves out (P2-P17).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "nadi/base/time.h"

namespace nadi::vm {

/// Keys that rows of `trace` have for this form alone: who is who (P8-P10).
inline constexpr const char* kEventId = "event_id";             ///< device rows
inline constexpr const char* kEventWaitIds = "event_wait_ids";  ///< device rows: predecessors
inline constexpr const char* kLaunchedIds = "launched_ids";     ///< calls: the rows they launched

/// trace: Chrome's form, with tids as the profiler has them before it takes their absolute value;
/// base_ns: epoch time of `ts` 0.
std::string write_pftrace(const nlohmann::ordered_json& trace, Ns base_ns);

}  // namespace nadi::vm
