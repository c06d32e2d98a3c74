// Matches profiler ops with host ops by call trees: for traces whose order differs.
#pragma once

#include "nadi/link/match_iterations.h"

namespace nadi {

/// Threads whose order is the same, but for ops more or less, are located by it
/// (iteration_search.h) where the trees match no more of their ops. The trees are mapped by name
/// and structure: equal subtrees first, in order and then out of order, then equal but for the
/// order of siblings, then siblings aligned by name; children of what is matched are matched alike.
/// Ops without children that moved among siblings of one name are gap-filled: nothing else
/// identifies them. What is left between neighbours that are matched is aligned by name. Iterations
/// are ranges of outermost ops that look like the host's. Time n log n but for the tables of the
/// alignments, which have a budget; memory linear; no recursion.
SequenceMatch locate_by_tree(const HostTrace& host, const DeviceTrace& device,
                             DifferingToo differing = DifferingToo::kNo);

}  // namespace nadi
