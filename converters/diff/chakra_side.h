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
/// grouped by what they join, since a graph does not hold the reason: "nesting" (ctrl), and of data
/// edges "thread order", "stream order" (within a lane), "launch", "synchronisation", "event wait",
/// "thread hand-off" (between lanes), "to a later node". Delays are no rows. Memory: the summary,
/// and some 40 bytes per node. Throws what the reader throws, Error(kUsage) for DiffBy::kCallPath
/// and for iterations by number. What `progress` throws ends the reading.
void add_chakra_file(const std::string& path, std::int64_t rank, const DiffChoice& choice,
                     SideSummary& side, const Progress& progress = {});

}  // namespace nadi
