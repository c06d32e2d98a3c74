// What the ranks of one job communicate, in the form that targets rewrite; all other nodes of a
// rank are there only while it is written (visit_ranks.h).
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/adjacency.h"
#include "nadi/model/graph.h"
#include "nadi/sim_bridge/job/recorded_graphs.h"

namespace nadi {

/// A process group: equal name, description and members are one group on every rank.
struct JobGroup {
  std::string name, desc;           ///< as recorded; empty name = the default group
  std::vector<std::int64_t> ranks;  ///< ascending, in the job's numbering
  bool grows = false;               ///< in a larger job the members of all copies are one group
};

/// The communication of a node.
struct JobCommunication {
  std::int64_t type = GraphCommunication::kUnknown;  ///< CollectiveCommType; sends, receives: none
  std::int64_t bytes = 0;                            ///< as schema/chakra.md defines `comm_size`
  std::int64_t src = -1, dst = -1, tag = -1;  ///< ranks in the job's numbering; -1 = not recorded
  std::int64_t seq = -1;                      ///< `comm_seq`; -1 = not recorded
  std::uint32_t group = kNoIndex;             ///< into Job::groups; sends, receives: kNoIndex
  std::string_view group_name;                ///< as recorded
};

/// A node of one rank.
struct JobNode {
  NodeType type = NodeType::kCompute;
  bool is_host = false;                    ///< `is_cpu_op`: runs on the host
  bool is_delay = false;                   ///< pure waiting
  bool is_dropped = false;                 ///< is not written; its order stays (relink_dropped)
  std::uint32_t row = kNoIndex;            ///< of the recorded graph; kNoIndex = a target made it
  std::uint32_t lane = kNoIndex;           ///< into the recorded graph's lanes; kNoIndex = none
  std::uint32_t communication = kNoIndex;  ///< into JobRank::communications; none = it is replayed
  const char* synthetic_name = "";         ///< of nodes a target made
  Ns start_ns = 0, duration_ns = 0;
  std::int64_t num_ops = 0;      ///< operations; 0 = not known
  std::int64_t tensor_size = 0;  ///< bytes moved; 0 = not known
};

inline Ns end_of(const JobNode& node) { return node.start_ns + node.duration_ns; }

/// The node of a row, without its communication; times beyond 13 days, a stranger's garbage, are
/// cut.
JobNode recorded_node(const Graph& graph, std::uint32_t row);

/// `node` may start only after `on` has finished.
struct JobDependency {
  std::uint32_t node, on;
  friend auto operator<=>(const JobDependency&, const JobDependency&) = default;
};

/// A rank of a job: in Job::ranks with those of its nodes that communicate, node n being that of
/// communications[n]; as visit_ranks hands it over, with all.
struct JobRank {
  std::int64_t recorded_rank = 0;  ///< of the job that was traced
  std::uint32_t graph = 0;         ///< into Job::graphs
  bool is_copy = false;            ///< runs what another rank recorded
  bool is_idle = false;            ///< runs nothing
  Ns begins_ns = 0;  ///< its graph's time 0 on the job's clock, which the first rank's is
  bool shares_optimizer = false;  ///< its optimizer does 1 / Job::copies of the recorded work
  std::vector<JobNode> nodes;
  std::vector<JobCommunication> communications;
  std::vector<JobDependency> dependencies;  ///< any order, repeats allowed; none in Job::ranks
  std::vector<std::uint32_t> order;         ///< nodes in the order of their ids; none in Job::ranks
};

struct Job {
  RecordedGraphs recorded;         ///< whole, in the order they were given
  std::vector<Graph> graphs;       ///< communication_of them, by rank
  std::vector<std::size_t> place;  ///< of each of `graphs` in `recorded`
  std::vector<JobGroup> groups;    ///< that nodes use, in a fixed order
  std::vector<JobRank> ranks;      ///< rank r of the job is ranks[r]
  std::int64_t recorded_size = 0;  ///< ranks of the job that was traced
  std::int64_t copies = 1;         ///< so often all of it runs, as one larger job (grow_job.h)

  /// Members of a group in the larger job.
  std::int64_t members_of(const JobGroup& group) const {
    return std::ssize(group.ranks) * (group.grows ? copies : 1);
  }
  const Graph& graph_of(std::size_t rank) const { return graphs[ranks[rank].graph]; }
  /// "node 7 (nccl:all_reduce) of rank 2 (trace.2.et)", of a node of ranks[rank]
  std::string place_of(std::size_t rank, std::size_t node) const;
};

/// "a.et, b.et, c.et and 5 more": the files of graphs.
std::string names_text(const std::vector<Graph>& graphs);

/// `graph`: the whole recorded graph of the node's rank.
std::string_view name_of(const JobNode& node, const Graph& graph);

/// Returns what each node depends on, ascending, each once.
Adjacency dependencies_by_node(const JobRank& rank);
/// Returns the nodes that depend on each node, ascending, each once.
Adjacency dependents_by_node(const JobRank& rank);

/// Makes the nodes that depend on a dropped one depend on what that depended on: of more than 64
/// nodes, on the 64 that end last.
void relink_dropped(JobRank& rank);

}  // namespace nadi
