// One side of a diff: the summaries of all its ranks and iterations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/diff/call_tree.h"
#include "nadi/diff/diff_choice.h"
#include "nadi/diff/diff_summary.h"
#include "nadi/diff/lane_times.h"
#include "nadi/diff/stream_pairs.h"
#include "nadi/events/event_table_reader.h"

namespace nadi {

struct SideSummary {
  std::vector<DiffSample> samples;   ///< in the order added
  std::vector<std::string> what_if;  ///< of Chakra graphs: see ComparedSide
  DiffSummary rows;                  ///< the rows chosen, by what DiffChoice::by says
  AllRows all;                       ///< of all rows chosen
  LaneSummaries lanes;               ///< of all rows of the iterations, whatever is chosen of them
  DiffSummary inputs;                ///< see InputForms; empty unless DiffChoice::compare_inputs
  DiffSummary edges;                 ///< of Chakra graphs: edges by what they join
  DiffCallTree calls;                ///< of all rows; see has_calls()
  StreamRows streams;                ///< of all device rows; none of Chakra graphs
};

/// True where a diff has the call tree: by call path, or with DiffChoice::grow_calls.
bool has_calls(const DiffChoice& choice);

/// Returns the options with which read_event_table reads a table for a diff.
EventTableOptions table_options(const DiffChoice& choice);

/// Adds the chosen iterations of a rank's table, which table_options() has read. Memory: the
/// summary, and some 40 bytes per row. Reports "no-iterations" where the trace is taken as one
/// iteration. Throws Error(kUsage) that lists the iterations where one chosen is not there; `where`
/// is for it.
void add_table(EventTable table, std::int64_t rank, const std::string& where,
               const DiffChoice& choice, SideSummary& side, Diagnostics& diagnostics);

}  // namespace nadi
