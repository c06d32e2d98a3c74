// The blocking calls of a linked JSON, which its nodes have no place for.
#pragma once

#include "nadi/emit/json_writer.h"
#include "nadi/emit/linked_json_order.h"
#include "nadi/graph/graph.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Calls during which a thread waited for device rows, as a list, a line per call: name, tid,
/// ts and dur in µs, correlation, rows (ids of their nodes). A node's `sync_dep` can only name an
/// op that begins later; nadi reads this list instead, so that being blocked stays nobody's work.
void write_blocking_calls(const LinkedTrace& trace, const Graph& graph,
                          const LinkedJsonOrder& order, JsonWriter& json);

}  // namespace nadi
