// Makes a job in which every rank has its nodes from the recorded graphs of some or all ranks.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi {

/// The treatment of ranks that communicate with recorded ones but were not recorded.
enum class MissingRanks : std::uint8_t {
  kRefuse,  ///< an error that names them
  kDrop,    ///< groups lose them, messages to and from them go away
  kCopy,    ///< each runs what a recorded rank ran, in its own groups
};

/// Makes the job of graphs in any order, each of which is looked at once; their metadata name rank,
/// world size and groups (schema/chakra.md). Ranks of the job are numbered from 0 without holes.
/// Throws Error(kInput) that names file and rank where ranks are absent, given twice or beyond the
/// world size, or a group's members are not recorded.
Job make_job(RecordedGraphs graphs, MissingRanks missing, Diagnostics& diagnostics);

}  // namespace nadi
