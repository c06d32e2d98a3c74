// Links what a linked JSON holds: its nodes are joined already, and record by id what launched them
// and what they wait for.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/link/link.h"
#include "nadi/linked_json/linked_json.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Links the JSON (by value: it is taken over). Waits that its nodes record, beside those of
/// blocking calls, become LinkedTrace::recorded_dependencies; those that name no node are counted
/// ("recorded-wait-unresolved"). Of nadi's files the waits of ops for device rows are left out: the
/// blocking calls say when they were. Where MLCommons' linker names an op that launched device
/// rows, these are what is waited for: by the op that waits if they ended by its return, else by
/// the rows that it launched. options.match and options.clock have no effect.
LinkedTrace link_traces(LinkedJson json, const LinkOptions& options, Diagnostics& diagnostics);

}  // namespace nadi
