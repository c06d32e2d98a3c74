// Counts, for each CUDA graph of a trace, what is known of the order inside it.
#pragma once

#include <vector>

#include "nadi/converters/report.h"
#include "nadi/graph/built_graph.h"

namespace nadi {

/// The CUDA graphs that device rows name, by id.
std::vector<CudaGraphReport> report_cuda_graphs(const LinkedTrace& linked, const BuiltGraph& graph);

}  // namespace nadi
