// Loads the graphs of a job from whatever holds them: graphs, or traces that are converted first.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/converters/archive/settle_traces.h"
#include "nadi/converters/convert.h"

namespace nadi {

/// What names a graph on a command line, where it is not its own name: the files of which it was
/// made, by name.
using GraphInputs = std::map<std::string, std::vector<std::string>>;

struct LoadedJob {
  std::vector<Graph> graphs;
  GraphInputs inputs;
  bool lacks_ranks = false;  ///< some were left out
};

/// Graphs as load_graph gives them, each named after its file. Traces and folders (as
/// find_job_inputs takes them) are converted in memory, with `convert` for all but traces and
/// output; what was found meanwhile is added to the diagnostics. Of the ranks of a folder those
/// whose traces cannot be converted are left out ("rank-left-out"). Throws what find_job_inputs,
/// load_graph and convert_in_memory throw, Error(kInput) where memory_limit() is too small, and
/// Error(kUsage) of a graph where steps are chosen.
/// `window`: as find_job_inputs takes it.
LoadedJob load_job(const std::vector<std::string>& paths, const GraphColumns& columns,
                   const ConvertOptions& convert, Diagnostics& diagnostics,
                   const WindowChoice& window = {});

}  // namespace nadi
