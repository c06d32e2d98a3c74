#include "nadi/sim_bridge/job/recorded_groups.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "nadi/base/count_text.h"
#include "nadi/base/error.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi {
namespace {

constexpr std::int64_t kMostRanks = 1 << 20;
constexpr const char* kSameJob = "Pass the traces of one job";

std::string of_rank(std::int64_t rank) { return "rank " + std::to_string(rank); }

std::vector<std::int64_t> ranks_of_graphs(const std::vector<Graph>& graphs) {
  std::vector<std::int64_t> ranks;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const std::int64_t rank = graphs[i].rank.value_or(static_cast<std::int64_t>(i));
    if (rank < 0 || rank >= kMostRanks)
      throw Error(ErrorCode::kInput, graphs[i].name, "says it is " + of_rank(rank),
                  "Pass its rank: nadi convert `rank`");
    const auto twice = std::find(ranks.begin(), ranks.end(), rank);
    if (twice != ranks.end())
      throw Error(ErrorCode::kInput, graphs[i].name,
                  "is " + of_rank(rank) + ", and so is " +
                      graphs[static_cast<std::size_t>(twice - ranks.begin())].name,
                  kSameJob);
    ranks.push_back(rank);
  }
  return ranks;
}

StringId group_of(const Graph& graph, std::size_t node) {
  return graph.communications[graph.communication[node]].group;
}

class Reader {
 public:
  Reader(const std::vector<Graph>& graphs,
         std::vector<std::shared_ptr<const DescribedGroups>> described)
      : graphs_(graphs) {
    job_.described = std::move(described);
  }

  RecordedJob read() {
    job_.ranks = ranks_of_graphs(graphs_);
    find_world_size();
    all_ranks_ = all_ranks(job_.world_size);
    for (std::size_t i = 0; i < graphs_.size(); ++i) require_within_world(i);
    for (std::size_t i = 0; i < graphs_.size(); ++i) find_users(i);
    job_.used = unite_groups(graphs_, false, [&](std::size_t graph, const std::string& name) {
      return resolve(graph, name);
    });
    return std::move(job_);
  }

 private:
  void find_world_size() {
    const std::optional<std::int64_t> declared = declared_world_size(graphs_, job_.ranks);
    std::int64_t least = 1;
    std::size_t by = 0;
    for (std::size_t i = 0; i < graphs_.size(); ++i) {
      const std::int64_t implied = least_world_size(i);
      if (implied <= least) continue;
      least = implied;
      by = i;
    }
    job_.world_size = declared && *declared > 0 ? *declared : least;
    if (job_.world_size > kMostRanks)
      throw Error(ErrorCode::kInput, graphs_[by].name,
                  "speaks of a job of " + count_text(job_.world_size, "rank"),
                  "Jobs of up to 1,048,576 ranks are known");
  }

  /// What ranks, groups and messages of a graph imply.
  std::int64_t least_world_size(std::size_t i) const {
    // Of the greatest rank there is, too, no rank is next: both are beyond every job.
    const auto next = [](std::int64_t rank) {
      return std::min(rank, std::numeric_limits<std::int64_t>::max() - 1) + 1;
    };
    std::int64_t size = next(job_.ranks[i]);
    for (const auto& [name, group] : *job_.described[i]) {
      size = std::max(size, group.size);
      if (!group.ranks.empty()) size = std::max(size, next(group.ranks.get().back()));
    }
    for (const GraphCommunication& c : graphs_[i].communications)
      size = std::max({size, next(c.src), next(c.dst)});
    return size;
  }

  void require_within_world(std::size_t i) const {
    const std::int64_t size = least_world_size(i);
    if (size <= job_.world_size) return;
    throw Error(ErrorCode::kInput, graphs_[i].name,
                of_rank(job_.ranks[i]) + " speaks of rank " + std::to_string(size - 1) +
                    ", but the job has " + count_text(job_.world_size, "rank"),
                kSameJob);
  }

  void find_users(std::size_t i) {
    const Graph& graph = graphs_[i];
    for (std::size_t n = 0; n < graph.size(); ++n)
      if (graph.type[n] == NodeType::kCollective)
        users_[std::string(graph.strings[group_of(graph, n)])].insert(job_.ranks[i]);
  }

  RecordedGroup resolve(std::size_t i, const std::string& name) const {
    RecordedGroup group{name, {}, {}};
    const auto known = job_.described[i]->find(name);
    const DescribedGroup* described = known == job_.described[i]->end() ? nullptr : &known->second;
    if (described != nullptr) {
      group.desc = described->desc;
      group.ranks = described->ranks;
    }
    if (group.ranks.empty()) group.ranks = members_not_listed(i, name, described);
    if (!group.ranks.holds(job_.ranks[i]))
      throw Error(ErrorCode::kInput, graphs_[i].name,
                  of_rank(job_.ranks[i]) + " communicates in group \"" + name +
                      "\", of which it is no member",
                  "Is it the trace of another rank? Pass `rank`, or name the files by rank");
    return group;
  }

  /// `described`: null = it is not.
  RankList members_not_listed(std::size_t i, const std::string& name,
                              const DescribedGroup* described) const {
    if (name.empty() || (described != nullptr && is_of_all_ranks(*described, job_.world_size)))
      return all_ranks_;
    const std::int64_t size = described == nullptr ? -1 : described->size;
    const std::set<std::int64_t>& users = users_.at(name);
    const bool all_recorded = std::ssize(job_.ranks) == job_.world_size;
    if (std::ssize(users) == size || (size < 0 && all_recorded))
      return RankList({users.begin(), users.end()});
    throw Error(ErrorCode::kInput, graphs_[i].name,
                of_rank(job_.ranks[i]) + " does not tell the members of group \"" + name + "\"",
                "Convert all ranks of the job, or record with PyTorch 2.4 or later, which tells "
                "them");
  }

  const std::vector<Graph>& graphs_;
  RecordedJob job_;
  RankList all_ranks_;
  std::map<std::string, std::set<std::int64_t>> users_;  // by group name
};

/// Groups of one list of members: the graph, and its group; in the order of graphs and first use.
using Alike = std::vector<std::pair<std::size_t, RecordedGroup*>>;

void merge_names(const Alike& groups) {
  std::map<std::string, std::size_t> users;
  std::map<std::size_t, std::vector<RecordedGroup*>> own;  // by graph: names that it has alone
  for (const auto& [graph, group] : groups) {
    ++users[group->name];
    own[graph];
  }
  for (const auto& [graph, group] : groups) {
    const std::size_t with_name = users.at(group->name);
    if (with_name == own.size()) continue;
    if (with_name > 1) return;
    own[graph].push_back(group);
  }
  const std::vector<RecordedGroup*>& first = own.begin()->second;
  for (const auto& [graph, of_graph] : own)
    if (of_graph.size() != first.size()) return;
  for (const auto& [graph, of_graph] : own)
    for (std::size_t position = 0; position < of_graph.size(); ++position)
      of_graph[position]->name = first[position]->name;
}

}  // namespace

std::vector<UsedGroups> unite_groups(
    std::span<const Graph> graphs, bool with_messages,
    const std::function<RecordedGroup(std::size_t graph, const std::string& name)>& find) {
  std::vector<UsedGroups> used(graphs.size());
  std::map<RankList, Alike> by_ranks;
  for (std::size_t i = 0; i < graphs.size(); ++i)
    for (std::size_t node = 0; node < graphs[i].size(); ++node) {
      if (graphs[i].communication[node] == kNoIndex) continue;
      if (!with_messages && graphs[i].type[node] != NodeType::kCollective) continue;
      const StringId name = group_of(graphs[i], node);
      const auto [known, is_new] = used[i].try_emplace(name);
      if (!is_new) continue;
      known->second = find(i, std::string(graphs[i].strings[name]));
      if (!known->second.ranks.empty())
        by_ranks[known->second.ranks].emplace_back(i, &known->second);
    }
  for (const auto& [ranks, groups] : by_ranks) merge_names(groups);
  return used;
}

RecordedJob read_recorded_job(const std::vector<Graph>& graphs,
                              std::vector<std::shared_ptr<const DescribedGroups>> described) {
  return Reader(graphs, std::move(described)).read();
}

std::int64_t source_of(const GraphCommunication& message, std::int64_t own_rank) {
  return message.src >= 0 ? message.src : own_rank;
}
std::int64_t destination_of(const GraphCommunication& message, std::int64_t own_rank) {
  return message.dst >= 0 ? message.dst : own_rank;
}

}  // namespace nadi
