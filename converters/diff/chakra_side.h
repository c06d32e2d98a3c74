// Chakra graphs as one side of a diff.
#pragma once

#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/diff/side_summary.h"
#include "nadi/read/progress.h"

namespace nadi {

/// True if the file is a Chakra graph, by content.
bool is_chakra_file(const std::string& path);

/// Adds the nodes of a graph as one sample. Rows are nodes; device nodes have a stream. Edges are
/// grouped by evidence, guesses ("event wait (inferred)") apart; "to no node" are
/// dependencies on nodes that the file does not hold. Delays are no rows. Memory: the summary and
/// the graph. Throws what load_chakra_graph throws, but takes cycles, and Error(kUsage) for
/// DiffBy::kCallPath and for iterations by number. What `progress` throws ends the reading.
void add_chakra_file(const std::string& path, std::int64_t rank, const DiffChoice& choice,
                     SideSummary& side, const Progress& progress = {});

}  // namespace nadi
