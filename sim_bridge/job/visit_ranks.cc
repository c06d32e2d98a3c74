#include "nadi/sim_bridge/job/visit_ranks.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/sim_bridge/job/order_job.h"
#include "nadi/sim_bridge/job/prepare.h"

namespace nadi {
namespace {

/// Puts communication that a rank's records lack where it ran.
class LostNodes {
 public:
  explicit LostNodes(JobRank& rank) : rank_(rank) {}

  /// It waits for the node of its lane that ended before it, and the one behind waits for it.
  void insert(const JobRank& of_job, std::size_t lost) {
    auto& lane = lane_by_end(of_job.lane[lost]);
    const std::uint32_t made = rank_.add_copy(of_job, lost);
    const Ns end = rank_.end_ns(made);
    const auto behind =
        std::lower_bound(lane.begin(), lane.end(), end,
                         [&](std::uint32_t n, Ns time) { return rank_.end_ns(n) < time; });
    if (behind != lane.begin()) {
      const std::uint32_t before = *(behind - 1);
      rank_.dependencies.push_back({made, before});
      Ns& start = rank_.start_ns[made];
      start = std::clamp(rank_.end_ns(before), start, end);
      rank_.duration_ns[made] = end - start;
    }
    if (behind != lane.end()) rank_.dependencies.push_back({*behind, made});
    lane.insert(behind, made);
  }

 private:
  std::vector<std::uint32_t>& lane_by_end(std::uint32_t lane) {
    const auto [known, is_new] = lanes_.try_emplace(lane);
    if (!is_new) return known->second;
    for (std::uint32_t n = 0; n < rank_.size(); ++n)
      if (rank_.lane[n] == lane && !rank_.is_dropped[n]) known->second.push_back(n);
    std::stable_sort(known->second.begin(), known->second.end(),
                     [&](auto a, auto b) { return rank_.end_ns(a) < rank_.end_ns(b); });
    return known->second;
  }

  JobRank& rank_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> lanes_;
};

/// The rank with all nodes of its graph, those that communicate as the job has them.
JobRank whole_rank(const JobRank& of_job, const Graph& graph, bool leaves_out_delays,
                   Diagnostics& diagnostics) {
  JobRank rank;
  rank.recorded_rank = of_job.recorded_rank;
  rank.graph = of_job.graph;
  rank.is_copy = of_job.is_copy;
  rank.communications = of_job.communications;
  // Targets add some nodes: without room for them each column would become twice as long.
  const std::size_t room = graph.size() + graph.size() / 8;
  for_each_column<JobNodes>(rank, [&](auto& column) { column.reserve(room); });
  rank.add_recorded(graph, leaves_out_delays);
  rank.dependencies.reserve(num_edges(graph.structure));
  std::vector<std::uint32_t> node_of(graph.size(), kNoIndex);
  for (std::uint32_t node = 0; node < rank.size(); ++node) node_of[rank.row[node]] = node;
  std::size_t communicating = 0;
  for (std::uint32_t node = 0; node < rank.size(); ++node) {
    const std::uint32_t row = rank.row[node];
    if (graph.communication[row] != kNoIndex) {
      rank.assign(node, of_job, communicating++);
      rank.row[node] = row;
    }
    for (const std::uint32_t on : graph.dependencies(row))
      if (node_of[on] != kNoIndex) rank.dependencies.push_back({node, node_of[on]});
  }
  drop_unknown_types(rank, diagnostics);
  LostNodes lost(rank);
  for (; communicating < of_job.size(); ++communicating) lost.insert(of_job, communicating);
  return rank;
}

/// Recorded nodes never do, but those of damaged times may once lost ones stand between them.
[[noreturn]] void refuse_cycle(const Graph& graph, const JobRank& rank) {
  throw Error(ErrorCode::kInput, graph.name,
              "nodes of rank " + std::to_string(rank.recorded_rank) +
                  " would wait for each other in a cycle: its times leave no place for "
                  "communication that its records lack",
              "Record that rank again, or convert the steps that all ranks have (`steps=A-B`)");
}

}  // namespace

void visit_ranks(const Job& job, const JobMatches& matches, const ChangeRank& change,
                 Diagnostics& diagnostics, const TakeRank& take, std::size_t rounds) {
  const auto visit = [&](std::size_t r, Diagnostics& said, const auto& use) {
    const JobRank& of_job = job.ranks[r];
    job.recorded.visit(job.recorded_position[of_job.graph], [&](const Graph& graph) {
      JobRank rank =
          of_job.is_idle ? of_job : whole_rank(of_job, graph, job.leaves_out_delays, said);
      rank.begins_ns = matches.clocks[r].shift_ns;
      change(graph, rank, said);
      use(graph, rank);
    });
  };
  std::vector<CommunicationWaits> waits;
  for (std::size_t r = 0; r < job.ranks.size(); ++r)
    visit(r, diagnostics, [&](const Graph& graph, const JobRank& rank) {
      waits.push_back(find_communication_waits(rank, matches.clocks[r]));
      if (waits.back().has_cycle) refuse_cycle(graph, rank);
    });
  const auto turns = order_communications(job, matches, waits);
  waits.clear();
  Diagnostics said_before;
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t r = 0; r < job.ranks.size(); ++r)
      visit(r, said_before, [&](const Graph& graph, JobRank& rank) {
        order_nodes(rank, matches.clocks[r], turns[r]);
        take(r, graph, rank);
      });
}

}  // namespace nadi
