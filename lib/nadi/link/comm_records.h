// Communication records of both traces joined: per op, per device row, and the process groups.
#pragma once

#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Joins two records of the same operation: what `first` knows, else what `second` knows. Where one
/// has its splits cut and the other whole, the whole ones are taken.
CommRecord merge_records(const CommRecord& first, const CommRecord& second,
                         const StringTable& strings);

/// Fills linked.comms and makes linked.ops.comm point into it: the profiler's recorded sizes first,
/// the host trace's arguments second; annotations `nccl:NAME` of older traces become records too.
void join_op_records(LinkedTrace& linked);

/// Fills linked.carried and linked.first_carried: which recorded operations each communication
/// kernel carries. A kernel launched inside a record carries that; one of a process group launched
/// outside (coalesced) carries the records its thread made since its last communication launch.
void find_carried_records(LinkedTrace& linked);

/// Returns distributedInfo's groups, with the host trace's added or completed by name.
std::vector<ProcessGroup> merged_groups(const std::vector<ProcessGroup>& of_device,
                                        const std::vector<ProcessGroup>& of_host);

}  // namespace nadi
