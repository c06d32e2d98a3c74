// Finds the members of the process groups that recorded graphs use, and which group of one graph is
// which of another's: for jobs and for replay.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nadi/chakra/groups.h"
#include "nadi/model/graph.h"

namespace nadi {

/// A group with its members as ranks of the recorded job. Its name is the same on all ranks, also
/// where the recorder named it by an address.
struct RecordedGroup {
  std::string name, desc;
  RankList ranks;  ///< empty = not recorded
};
using UsedGroups = std::map<StringId, RecordedGroup>;  // of a graph, by its own name

/// The groups that each graph uses in its collectives, and in its messages if `with_messages`;
/// `find` returns a graph's group of a name, and is called in the order of first use.
/// Old recorders name a group by its address, another one in each process. Among groups of equal
/// members, names that stand in one graph alone are paired by the order of first use, and take the
/// first graph's name, if every graph has as many of them. Otherwise the names are real, and some
/// graphs lack groups (cut traces).
std::vector<UsedGroups> unite_groups(
    std::span<const Graph> graphs, bool with_messages,
    const std::function<RecordedGroup(std::size_t graph, const std::string& name)>& find);

/// The recorded graphs' own words on the job.
struct RecordedJob {
  std::int64_t world_size = 1;
  std::vector<std::int64_t> ranks;                                ///< of each graph
  std::vector<std::shared_ptr<const DescribedGroups>> described;  ///< by graph
  std::vector<UsedGroups> used;                                   ///< by graph, collectives only
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
