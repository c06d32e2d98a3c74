// All ranks of a job on one clock, as a page draws them: their lanes, the critical path across
// them, and which communications meet.
#pragma once

#include <span>
#include <string>

#include "nadi/converters/html/drawn_lanes.h"
#include "nadi/converters/load_job.h"
#include "nadi/sim_bridge/replay/replay.h"

namespace nadi::html {

/// One execution of the job: as measured, or a replay.
struct DrawnTimes {
  std::string name;  ///< "measured"; empty where there is only one
  const ReplayTimes& times;
  bool is_measured = false;
};

/// {origin_ns, span_ns, ranks, ranks_left_out, run, path, path_resolution_ns, meetings,
/// meetings_left_out}.
/// ranks: what drawn_lanes() gives of each, with `rank` and `input`, the files that name its graph
/// on a command line. run: the execution whose path and meetings these are, the one at `of_path`.
/// path: the begin, then three numbers a stretch, one behind the other without gaps: place of the
/// rank, lane, length. meetings: [name of the first, is a message, [place of the rank, lane, begin,
/// length, …]], of a message the send first. graphs_of_page: those of all drawings of the page,
/// which share the pieces that it may have.
Json drawn_job(const ReplayJob& job, std::span<const DrawnTimes> runs, std::size_t of_path,
               const GraphInputs& inputs, std::size_t graphs_of_page, DrawnNames& names);

}  // namespace nadi::html
