// Loads a Chakra graph that may be packed in ways that simulators do not read.
#pragma once

#include <string>

#include "nadi/sim_bridge/graph/sim_graph.h"

namespace nadi {

/// load_sim_graph() of a file, "archive:member" or "-", plain, gzip, zstd, xz, bzip2, lz4, in a tar
/// or zip. Throws Error(kInput) of a trace, too.
SimGraph load_graph(const std::string& path, LoadOptions options = {});

}  // namespace nadi
