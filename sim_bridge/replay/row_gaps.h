// What a stream takes from one row to the next.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/model/graph.h"

namespace nadi {

/// Returns by row of the graph the time, in ns, from the end of the row before it on its stream
/// until it can begin, whatever else it waits for. A row whose launch is in the graph, that
/// waited for nothing else and began within 5 us shows its own. All others have the median of those
/// of their device, in or outside of launches of CUDA graphs, where enough show it, and no more
/// than was measured. Empty where starts are not known.
std::vector<std::uint16_t> row_gaps(const Graph& graph);

}  // namespace nadi
