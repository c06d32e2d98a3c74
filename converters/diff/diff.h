// The recipe: traces of two runs -> event tables, one per side at a time -> summaries -> report.
#pragma once

#include <string>
#include <vector>

#include "nadi/diff/diff_report.h"
#include "nadi/read/progress.h"

namespace nadi {

struct DiffTraces {
  std::vector<std::string> paths;  ///< device traces of ranks, folders of them, or "-"; or
                                   ///< Chakra graphs (.et)
  std::string ranks = "first";     ///< "first", "all", or numbers and ranges: "0,2-3"
  IterationChoice iterations{IterationChoice::Kind::kFirst, {}};
};

/// Reads both sides at once, each in a thread. `choice.iterations` is not looked at: each side has
/// its own. `progress` is called from both threads, with the sums of both sides. Throws what
/// find_event_traces, choose_ranks, read_event_table and add_table throw.
DiffReport diff_traces(const DiffTraces& control, const DiffTraces& test, const DiffChoice& choice,
                       const Progress& progress = {});

}  // namespace nadi
