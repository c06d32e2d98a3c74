// Finds the members of the process groups that recorded graphs use.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nadi/chakra/groups.h"
#include "nadi/model/graph.h"

namespace nadi {

/// A group with its members as ranks of the recorded job. Its name is the same on all ranks, also
/// where the recorder named it by an address.
struct RecordedGroup {
  std::string name, desc;
  RankList ranks;
};

/// The recorded graphs' own words on the job.
struct RecordedJob {
  std::int64_t world_size = 1;
  std::vector<std::int64_t> ranks;                                ///< of each graph
  std::vector<std::shared_ptr<const DescribedGroups>> described;  ///< by graph
  std::vector<std::map<StringId, RecordedGroup>> used;            ///< by graph, collectives only
};

/// Reads what the graphs say; `described`: the groups of each, which are moved into the result.
/// Throws Error(kInput) naming file and rank where they contradict each other or do not record a
/// group's members.
RecordedJob read_recorded_job(const std::vector<Graph>& graphs,
                              std::vector<std::shared_ptr<const DescribedGroups>> described);

/// Returns an end of a message: the own rank where it is not recorded.
std::int64_t source_of(const GraphCommunication& message, std::int64_t own_rank);
std::int64_t destination_of(const GraphCommunication& message, std::int64_t own_rank);

}  // namespace nadi
