#include "nadi/sim_bridge/job/make_job.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "nadi/base/count_text.h"
#include "nadi/base/error.h"
#include "nadi/base/range_text.h"
#include "nadi/chakra/chakra_reader.h"
#include "nadi/sim_bridge/job/recorded_groups.h"

namespace nadi {
namespace {

using Ranks = std::vector<std::int64_t>;

class JobMaker {
 public:
  JobMaker(RecordedGraphs graphs, MissingRanks missing, Diagnostics& diagnostics)
      : missing_(missing), diagnostics_(diagnostics) {
    job_.recorded = std::move(graphs);
    read_graphs();
    recorded_ = read_recorded_job(job_.graphs, std::move(described_));
    find_ends();
    job_.recorded_size = recorded_.world_size;
  }

  Job make() {
    choose_ranks();
    for (const std::int64_t rank : members_) make_rank(rank);
    name_groups();
    return std::move(job_);
  }

 private:
  /// Fills graphs, recorded_position and described_, by rank.
  void read_graphs() {
    std::vector<Graph> graphs(job_.recorded.size());
    std::vector<std::shared_ptr<const DescribedGroups>> described(graphs.size());
    GroupReader reader;
    for (std::size_t i = 0; i < graphs.size(); ++i)
      job_.recorded.visit(i, [&](const Graph& graph) {
        graphs[i] = communication_of(graph);
        described[i] = reader.read(metadata_of(graph), graph.name);
        most_nodes_ = std::max(most_nodes_, graph.size());
      });
    job_.recorded_position.resize(graphs.size());
    std::iota(job_.recorded_position.begin(), job_.recorded_position.end(), std::size_t{0});
    std::stable_sort(job_.recorded_position.begin(), job_.recorded_position.end(),
                     [&](std::size_t a, std::size_t b) { return graphs[a].rank < graphs[b].rank; });
    for (const std::size_t i : job_.recorded_position) {
      if (graphs[i].dependencies_dropped > 0)
        diagnostics_.report(Finding::kDependencyDropped, graphs[i].name,
                            graphs[i].dependencies_dropped);
      job_.graphs.push_back(std::move(graphs[i]));
      described_.push_back(std::move(described[i]));
    }
  }

  /// Fills in the other end of messages that lack it: the only rank whose messages of the same tag
  /// name this rank, else the other rank of a group, or of a job, of two.
  void find_ends() {
    using End = std::pair<std::int64_t, std::int64_t>;  // that is named, and the tag
    std::map<End, std::set<std::int64_t>> senders, receivers;
    const auto other_end = [](bool is_send, GraphCommunication& message) -> std::int64_t& {
      return is_send ? message.dst : message.src;
    };
    bool lacks_ends = false;
    each_message([&](std::size_t, bool is_send, GraphCommunication& message) {
      lacks_ends |= other_end(is_send, message) < 0;
    });
    if (!lacks_ends) return;
    each_message([&](std::size_t i, bool is_send, GraphCommunication& message) {
      if (const std::int64_t other = other_end(is_send, message); other >= 0)
        (is_send ? senders : receivers)[{other, message.tag}].insert(recorded_.ranks[i]);
    });
    each_message([&](std::size_t i, bool is_send, GraphCommunication& message) {
      std::int64_t& other = other_end(is_send, message);
      if (other >= 0) return;
      const auto& naming = is_send ? receivers : senders;
      const auto found = naming.find({recorded_.ranks[i], message.tag});
      other = found != naming.end() && found->second.size() == 1 ? *found->second.begin()
                                                                 : other_of_two(i, message.group);
      if (other >= 0) diagnostics_.report(Finding::kMessageEndInferred, job_.graphs[i].name);
    });
  }

  /// Calls take(graph, is_send, message).
  template <class Take>
  void each_message(const Take& take) {
    for (std::size_t i = 0; i < job_.graphs.size(); ++i) {
      Graph& graph = job_.graphs[i];
      for (std::size_t row = 0; row < graph.size(); ++row)
        if (graph.type[row] == NodeType::kSend || graph.type[row] == NodeType::kReceive)
          take(i, graph.type[row] == NodeType::kSend,
               graph.communications[graph.communication[row]]);
    }
  }

  /// The other rank of a group of two, or of a job of two; -1 = there are more.
  std::int64_t other_of_two(std::size_t i, StringId group) const {
    const std::int64_t own = recorded_.ranks[i];
    const auto& groups = *recorded_.described[i];
    const auto known = groups.find(std::string(job_.graphs[i].strings[group]));
    if (known != groups.end() && known->second.ranks.get().size() == 2 &&
        known->second.ranks.holds(own)) {
      const Ranks& ranks = known->second.ranks.get();
      return ranks[ranks.front() == own ? 1 : 0];
    }
    return recorded_.world_size == 2 ? 1 - own : GraphCommunication::kUnknown;
  }

  /// Fills members_: recorded numbers of the job's ranks, ascending.
  void choose_ranks() {
    Ranks needed = needed_ranks(), absent;
    std::set_difference(needed.begin(), needed.end(), recorded_.ranks.begin(),
                        recorded_.ranks.end(), std::back_inserter(absent));
    members_ = recorded_.ranks;
    if (absent.empty()) return;
    if (missing_ == MissingRanks::kRefuse) refuse(absent);
    if (missing_ == MissingRanks::kDrop) {
      diagnostics_.report(Finding::kAbsentRanksDropped, range_text(absent), absent.size());
      return;
    }
    require_copies_fit(absent);
    members_.resize(static_cast<std::size_t>(recorded_.world_size));
    std::iota(members_.begin(), members_.end(), 0);
    diagnostics_.report(Finding::kAbsentRanksCopied, range_text(absent),
                        members_.size() - recorded_.ranks.size());
  }

  /// Those recorded and those they communicate with.
  Ranks needed_ranks() const {
    std::set<std::int64_t> needed(recorded_.ranks.begin(), recorded_.ranks.end());
    std::set<const Ranks*> known;
    for (std::size_t i = 0; i < job_.graphs.size(); ++i) {
      for (const auto& [name, group] : recorded_.used[i])
        if (const Ranks& ranks = group.ranks.get(); known.insert(&ranks).second)
          needed.insert(ranks.begin(), ranks.end());
      for (const GraphCommunication& message : job_.graphs[i].communications) {
        needed.insert(source_of(message, recorded_.ranks[i]));
        needed.insert(destination_of(message, recorded_.ranks[i]));
      }
    }
    return {needed.begin(), needed.end()};
  }

  [[noreturn]] void refuse(const Ranks& absent) const {
    throw Error(ErrorCode::kInput, names_text(job_.graphs),
                std::to_string(job_.graphs.size()) + " of the job's " +
                    count_text(recorded_.world_size, "rank") +
                    " were given, and these are needed too: " + range_text(absent),
                "Give their traces too, or choose `missing=drop` (groups without them) or "
                "`missing=copy` (they run a copy of a recorded rank)");
  }

  void require_copies_fit(const Ranks& absent) const {
    constexpr std::size_t kMostNodes = 1 << 26;  // about 8 GB of files
    if (absent.size() * most_nodes_ <= kMostNodes) return;
    throw Error(ErrorCode::kInput, job_.graphs.front().name,
                "copies for " + count_text(absent.size(), "rank") +
                    " that nobody recorded would have over 67 million nodes",
                "Choose `missing=drop` (groups without them), or convert fewer steps (`steps`)");
  }

  /// The graph a rank runs: its own, else that of the rank at the same position in the recorded
  /// block.
  std::size_t graph_for(std::int64_t rank) const {
    const auto own = std::find(recorded_.ranks.begin(), recorded_.ranks.end(), rank);
    if (own != recorded_.ranks.end())
      return static_cast<std::size_t>(own - recorded_.ranks.begin());
    return static_cast<std::size_t>(rank) % recorded_.ranks.size();
  }

  void make_rank(std::int64_t number) {
    const std::size_t g = graph_for(number);
    JobRank rank;
    rank.recorded_rank = number;
    rank.graph = static_cast<std::uint32_t>(g);
    rank.is_copy = recorded_.ranks[g] != number;
    const Graph& graph = job_.graphs[g];
    rank.add_recorded(graph);
    rank.communications.reserve(graph.size());
    for (std::uint32_t row = 0; row < graph.size(); ++row)
      add_communication(graph.communications[graph.communication[row]], row, rank);
    job_.ranks.push_back(std::move(rank));
  }

  void add_communication(const GraphCommunication& recorded, std::uint32_t node, JobRank& rank) {
    JobCommunication communication{recorded};
    communication.bytes = std::max<std::int64_t>(recorded.bytes, 0);
    if (rank.type[node] == NodeType::kCollective) {
      communication.src = communication.dst = GraphCommunication::kUnknown;
      communication.job_group = group_of(recorded.group, rank);
    } else {
      communication.type = GraphCommunication::kUnknown;
      set_ends(recorded, node, rank, communication);
    }
    rank.add_communication(node, communication);
  }

  std::uint32_t group_of(StringId name, const JobRank& rank) {
    const auto [known, is_new] = group_of_name_.try_emplace({rank.recorded_rank, name}, 0U);
    if (is_new) {
      const RecordedGroup& own = recorded_.used[rank.graph].at(name);
      known->second = add_group(rank.is_copy ? translate(own, rank) : own);
    }
    return known->second;
  }

  std::uint32_t add_group(const RecordedGroup& group) {
    const auto [known, is_new] = groups_.try_emplace(
        {group.ranks, group.name}, static_cast<std::uint32_t>(job_.groups.size()));
    if (!is_new) return known->second;
    Ranks ranks;
    for (std::size_t r = 0; r < members_.size(); ++r)
      if (group.ranks.holds(members_[r])) ranks.push_back(static_cast<std::int64_t>(r));
    job_.groups.push_back({group.name, group.desc, std::move(ranks)});
    return known->second;
  }

  /// The group that for a copy is what `own` is for the rank it copies.
  RecordedGroup translate(const RecordedGroup& own, const JobRank& rank) {
    if (own.ranks.holds(rank.recorded_rank)) return own;
    for (const auto& described : recorded_.described)
      for (const auto& [name, group] : *described)
        if (group.desc == own.desc && group.ranks.get().size() == own.ranks.get().size()) {
          const RankList& ranks = group.ranks;
          if (ranks.holds(rank.recorded_rank) && !ranks.holds(recorded_.ranks[rank.graph]))
            return {name, group.desc, ranks};
        }
    return shift(own, rank);
  }

  /// A parallel group nobody describes: as far from `own` as the copy from the recorded rank.
  RecordedGroup shift(RecordedGroup own, const JobRank& rank) {
    const std::int64_t by = rank.recorded_rank - recorded_.ranks[rank.graph];
    Ranks ranks = own.ranks.get();
    for (std::int64_t& member : ranks) member += by;
    if (ranks.front() < 0 || ranks.back() >= recorded_.world_size)
      throw Error(ErrorCode::kInput, job_.graphs[rank.graph].name,
                  "rank " + std::to_string(rank.recorded_rank) + " cannot copy rank " +
                      std::to_string(recorded_.ranks[rank.graph]) +
                      ": nothing tells which group it has in place of \"" + own.name + "\"",
                  "Record that rank too, or choose `missing=drop`");
    diagnostics_.report(Finding::kGroupGuessed,
                        "\"" + own.name + "\" of rank " + std::to_string(rank.recorded_rank));
    own.ranks = RankList(std::move(ranks));
    return own;
  }

  void set_ends(const GraphCommunication& recorded, std::uint32_t node, JobRank& rank,
                JobCommunication& communication) {
    const std::int64_t own = recorded_.ranks[rank.graph], by = rank.recorded_rank - own;
    communication.src = number_of(source_of(recorded, own) + by);
    communication.dst = number_of(destination_of(recorded, own) + by);
    const bool is_send = rank.type[node] == NodeType::kSend;
    const bool is_recorded = (is_send ? recorded.dst : recorded.src) >= 0;
    if (is_recorded && communication.src >= 0 && communication.dst >= 0) return;
    const Graph& graph = job_.graphs[rank.graph];
    const std::string place = "node " + std::to_string(graph.id[rank.row[node]]) + " of rank " +
                              std::to_string(rank.recorded_rank);
    if (missing_ == MissingRanks::kRefuse || (is_recorded && missing_ == MissingRanks::kCopy))
      throw Error(ErrorCode::kInput, graph.name,
                  place + (is_recorded ? " exchanges a message with a rank the job has not"
                                       : " does not tell the other end of its message"),
                  "`missing=drop` leaves such messages out");
    rank.is_dropped[node] = true;
    diagnostics_.report(Finding::kMessageDropped, place);
  }

  /// Number in the job of a recorded rank; -1 = it is not in the job.
  std::int64_t number_of(std::int64_t recorded) const {
    const auto position = std::lower_bound(members_.begin(), members_.end(), recorded);
    return position != members_.end() && *position == recorded ? position - members_.begin() : -1;
  }

  /// Groups in an order that does not depend on which rank uses them first.
  void name_groups() {
    std::vector<std::uint32_t> order, position(job_.groups.size());
    for (const auto& [key, index] : groups_) order.push_back(index);
    std::vector<JobGroup> sorted;
    for (const std::uint32_t index : order) {
      position[index] = static_cast<std::uint32_t>(sorted.size());
      sorted.push_back(std::move(job_.groups[index]));
    }
    job_.groups = std::move(sorted);
    for (JobRank& rank : job_.ranks)
      for (JobCommunication& communication : rank.communications)
        if (std::uint32_t& group = communication.job_group; group != kNoIndex)
          group = position[group];
  }

  const MissingRanks missing_;
  Diagnostics& diagnostics_;
  Job job_;
  std::vector<std::shared_ptr<const DescribedGroups>> described_;  // until they are read
  RecordedJob recorded_;
  std::size_t most_nodes_ = 0;  // of a graph
  Ranks members_;
  std::map<std::pair<RankList, std::string>, std::uint32_t> groups_;  // by members, then name
  std::map<std::pair<std::int64_t, StringId>, std::uint32_t> group_of_name_;
};

}  // namespace

Job make_job(RecordedGraphs graphs, MissingRanks missing, Diagnostics& diagnostics) {
  return JobMaker(std::move(graphs), missing, diagnostics).make();
}

}  // namespace nadi
