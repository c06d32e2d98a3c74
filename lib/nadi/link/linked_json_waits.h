// Takes over what the nodes of a linked JSON record of each other by id: callers of device rows,
// and waits.
#pragma once

#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/link/waits.h"
#include "nadi/model/linked_json.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Makes each launched row's caller its parent, where that is an op; after find_launching_ops.
void set_linked_json_callers(LinkedTrace& linked, const LinkedJsonRelations& recorded);

/// Adds the waits of blocking calls, and marks those that blocked for what
/// nobody knows; before waits are implied or inferred.
void add_linked_json_blocks(WaitList& waits, const LinkedTrace& linked,
                            const LinkedJsonRelations& recorded);

/// Returns the waits that the file records beside those of blocking calls. Those that name no node
/// are counted ("recorded-wait-unresolved"). Of nadi's files the waits of ops for device rows are
/// left out: add_linked_json_blocks knows when they were. Where MLCommons' linker names an op that
/// launched device rows, these are what is waited for: by the op that waits if they ended by its
/// return, else by the rows that it launched.
std::vector<RecordedDependency> linked_json_dependencies(const LinkedTrace& linked,
                                                         const LinkedJsonRelations& recorded,
                                                         Diagnostics& diagnostics);

}  // namespace nadi
