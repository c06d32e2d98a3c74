// The ranks of one job as columns that lie over their recorded graphs: what targets change or add.
// Of nodes that do not communicate there are columns only while a rank is written (visit_ranks.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "nadi/base/adjacency.h"
#include "nadi/base/table.h"
#include "nadi/model/graph.h"
#include "nadi/sim_bridge/job/recorded_graphs.h"

namespace nadi {

/// A process group: equal name, description and members are one group on every rank.
struct JobGroup {
  std::string name, desc;           ///< as recorded; empty name = the default group
  std::vector<std::int64_t> ranks;  ///< ascending, in the job's numbering
  bool grows = false;               ///< in a larger job the members of all copies are one group
};

/// The communication of a node: as the graph that Job::graphs has of its rank says, whose strings
/// it names, but `src` and `dst` in the job's numbering.
struct JobCommunication : GraphCommunication {
  std::uint32_t job_group = kNoIndex;  ///< into Job::groups; sends, receives: kNoIndex
};

/// What a node that was not recorded is for.
enum class AddedNode : std::uint8_t {
  kNone,      ///< it was recorded
  kRestored,  ///< communication that the rank's records lack
  kDelay,     ///< time in which the rank did nothing
  kEnd,       ///< behind all others
  kWait,      ///< a delay that another rank waits for
  kArrival,   ///< a byte that comes from, or goes back to, the rank that something is done for
  kRelease,
};
/// Its name.
const char* to_string(AddedNode added);

/// The columns that a job lays over a recorded graph; node n is row n of each. Those that the graph
/// has, too, are equal to its own where no target changed them.
struct JobNodes {
  template <class T, auto absent = T{}>
  using Column = ColumnOf<JobNodes, T, absent>;
  Column<std::uint32_t, kNoIndex> row;  ///< of the recorded graph; kNoIndex = a target made it
  Column<AddedNode> added;
  Column<NodeType, NodeType::kCompute> type;
  Column<std::uint8_t> is_host;                   ///< `is_cpu_op`: runs on the host
  Column<std::uint8_t> is_delay;                  ///< pure waiting
  Column<std::uint8_t> is_dropped;                ///< not written; its order stays (relink_dropped)
  Column<std::uint32_t, kNoIndex> lane;           ///< into the graph's lanes; kNoIndex = none
  Column<std::uint32_t, kNoIndex> communication;  ///< into JobRank's; none = it is replayed
  Column<Ns> start_ns, duration_ns;  ///< beyond 13 days, a stranger's garbage, they are cut
  Column<std::int64_t> num_ops;      ///< operations; 0 = not known
  Column<std::int64_t> tensor_size;  ///< bytes moved; 0 = not known
  Column<std::uint32_t, 1> merged;   ///< nodes that it stands for, itself counted

  static constexpr auto columns() {
    return std::tuple(&JobNodes::row, &JobNodes::added, &JobNodes::type, &JobNodes::is_host,
                      &JobNodes::is_delay, &JobNodes::is_dropped, &JobNodes::lane,
                      &JobNodes::communication, &JobNodes::start_ns, &JobNodes::duration_ns,
                      &JobNodes::num_ops, &JobNodes::tensor_size, &JobNodes::merged);
  }
  std::size_t size() const { return row.size(); }
  Ns end_ns(std::size_t node) const { return start_ns[node] + duration_ns[node]; }
  /// False of nodes that a target made, and of communication that was restored.
  bool has_row(std::size_t node) const { return row[node] != kNoIndex; }

  /// Each returns the number of the new node.
  std::uint32_t add(AddedNode what);
  std::uint32_t add_copy(const JobNodes& of, std::size_t node);
  /// Makes `node` what `from` is in `of`.
  void assign(std::size_t node, const JobNodes& of, std::size_t from);
  /// Adds the nodes of a graph, all or all but delays, without what they communicate.
  void add_recorded(const Graph& graph, bool leaves_out_delays = false);
};

/// `node` may start only after `on` has finished.
struct JobDependency {
  std::uint32_t node, on;
  friend auto operator<=>(const JobDependency&, const JobDependency&) = default;
};

/// A rank of a job: in Job::ranks with those of its nodes that communicate, where communications[n]
/// is that of node n; as visit_ranks hands it over, with all.
struct JobRank : JobNodes {
  std::int64_t recorded_rank = 0;  ///< of the job that was traced
  std::uint32_t graph = 0;         ///< into Job::graphs
  bool is_copy = false;            ///< runs what another rank recorded
  bool is_idle = false;            ///< runs nothing
  Ns begins_ns = 0;  ///< its graph's time 0 on the job's clock, which the first rank's is
  bool shares_optimizer = false;  ///< its optimizer does 1 / Job::copies of the recorded work
  std::vector<JobCommunication> communications;
  std::vector<JobDependency> dependencies;  ///< any order, repeats allowed; none in Job::ranks
  std::vector<std::uint32_t> order;         ///< nodes in the order of their ids; none in Job::ranks

  /// Of a node that has one.
  JobCommunication& communication_of(std::size_t node) {
    return communications[communication[node]];
  }
  const JobCommunication& communication_of(std::size_t node) const {
    return communications[communication[node]];
  }
  /// Gives the node a communication of its own. In Job::ranks it is given to each as it is added.
  void add_communication(std::size_t node, const JobCommunication& what);
  /// `recorded`: the rank's whole graph.
  std::string_view name_of(std::size_t node, const Graph& recorded) const;
};

struct Job {
  RecordedGraphs recorded;                     ///< whole, in the order they were given
  std::vector<Graph> graphs;                   ///< communication_of them, by rank
  std::vector<std::size_t> recorded_position;  ///< of each of `graphs` in `recorded`
  std::vector<JobGroup> groups;                ///< that nodes use, in a fixed order
  std::vector<JobRank> ranks;                  ///< rank r of the job is ranks[r]
  std::int64_t recorded_size = 0;              ///< ranks of the job that was traced
  /// Delays of the recorded graphs are no nodes of its ranks: a target finds its own.
  bool leaves_out_delays = false;
  std::int64_t copies = 1;  ///< so often all of it runs, as one larger job (grow_job.h)

  /// Members of a group in the larger job.
  std::int64_t members_of(const JobGroup& group) const {
    return std::ssize(group.ranks) * (group.grows ? copies : 1);
  }
  /// Some ranks do what others recorded.
  bool is_grown() const {
    const auto is_copy = [](const JobRank& rank) { return rank.is_copy; };
    return copies > 1 ||
           (graphs.size() < ranks.size() && std::any_of(ranks.rbegin(), ranks.rend(), is_copy));
  }
  const Graph& graph_of(std::size_t rank) const { return graphs[ranks[rank].graph]; }
  /// "node 7 (nccl:all_reduce) of rank 2 (trace.2.et)", of a node of ranks[rank]
  std::string place_of(std::size_t rank, std::size_t node) const;
};

/// "a.et, b.et, c.et and 5 more": the files of graphs.
std::string names_text(const std::vector<Graph>& graphs);

/// Returns what each node depends on, ascending, each once.
Adjacency dependencies_by_node(const JobRank& rank);
/// Returns the same the other way round: the nodes that depend on each node.
Adjacency dependents_by_node(const Adjacency& dependencies);

/// Makes the nodes that depend on a dropped one depend on what that depended on: of more than 64
/// nodes, on the 64 that end last.
void relink_dropped(JobRank& rank);

}  // namespace nadi
