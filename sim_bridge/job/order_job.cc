#include "nadi/sim_bridge/job/order_job.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>

#include "nadi/base/error.h"

namespace nadi {
namespace {

using namespace ChakraProtoMsg;

class MergedOrder {
 public:
  MergedOrder(Job& job, const JobMatches& matches) : job_(job), matches_(matches) {
    std::size_t nodes = 0;
    for (const JobRank& rank : job.ranks) {
      first_.push_back(static_cast<std::uint32_t>(nodes));
      nodes += rank.nodes.size();
    }
    if (nodes >= kNoIndex)
      throw Error(ErrorCode::kInput, job.graphs.front().name,
                  "the job has more than 4,294,967,294 nodes", "Convert fewer steps or ranks");
    rank_.resize(nodes);
    start_.resize(nodes);
    for (std::uint32_t r = 0; r < job.ranks.size(); ++r)
      for (std::uint32_t n = 0; n < job.ranks[r].nodes.size(); ++n) {
        rank_[first_[r] + n] = r;
        start_[first_[r] + n] = job_start(r, n);
      }
  }

  void sort() {
    merge_collectives();
    count_waits();
    for (JobRank& rank : job_.ranks) rank.order.clear();
    for (std::uint32_t vertex = 0; vertex < rank_.size(); ++vertex)
      if (merged_[vertex] == vertex && waits_for_[vertex] == 0) push(vertex);
    while (!ready_.empty()) {
      const std::uint32_t vertex = std::get<2>(ready_.top());
      ready_.pop();
      finish(vertex);
    }
    require_all();
    for (JobRank& rank : job_.ranks)
      std::erase_if(rank.order, [&](std::uint32_t n) { return rank.nodes[n].is_dropped; });
  }

 private:
  Ns job_start(std::uint32_t rank, std::uint32_t node) const {
    return matches_.clocks[rank].job_ns(job_.ranks[rank].nodes[node].start_ns);
  }

  bool is_merged(const JobCollective& collective) const {
    const auto rank = static_cast<std::size_t>(job_.groups[collective.group].ranks.front());
    const JobNode& node = job_.ranks[rank].nodes[collective.nodes.front()];
    return node.type == COMM_COLL_NODE &&
           job_.ranks[rank].communications[node.communication].type != BROADCAST;
  }

  /// A collective stands at the vertex of its first member, at its last member's start.
  void merge_collectives() {
    merged_.resize(rank_.size());
    std::iota(merged_.begin(), merged_.end(), 0U);
    collective_of_.assign(rank_.size(), kNoIndex);
    for (std::uint32_t c = 0; c < matches_.collectives.size(); ++c) {
      const JobCollective& collective = matches_.collectives[c];
      if (!is_merged(collective)) continue;
      const auto& ranks = job_.groups[collective.group].ranks;
      const std::uint32_t lead = vertex_of(ranks.front(), collective.nodes.front());
      collective_of_[lead] = c;
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        const std::uint32_t member = vertex_of(ranks[i], collective.nodes[i]);
        merged_[member] = lead;
        start_[lead] = std::max(start_[lead], start_[member]);
      }
    }
  }

  std::uint32_t vertex_of(std::int64_t rank, std::uint32_t node) const {
    return first_[static_cast<std::size_t>(rank)] + node;
  }

  void count_waits() {
    waits_for_.assign(rank_.size(), 0);
    dependents_.resize(job_.ranks.size());
    for (std::size_t r = 0; r < job_.ranks.size(); ++r) {
      dependents_[r] = dependents_by_node(job_.ranks[r]);
      for (const std::uint32_t node : dependents_[r].node) ++waits_for_[merged_[first_[r] + node]];
    }
    receives_.assign(rank_.size(), kNoIndex);
    for (const JobMessage& message : matches_.messages) {
      const std::uint32_t receive = vertex_of(message.destination, message.receive);
      receives_[vertex_of(message.source, message.send)] = receive;
      ++waits_for_[receive];
    }
  }

  void push(std::uint32_t vertex) { ready_.push({start_[vertex], rank_[vertex], vertex}); }

  void finish(std::uint32_t vertex) {
    if (collective_of_[vertex] == kNoIndex) return finish_node(vertex);
    const JobCollective& collective = matches_.collectives[collective_of_[vertex]];
    const auto& ranks = job_.groups[collective.group].ranks;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      finish_node(vertex_of(ranks[i], collective.nodes[i]));
  }

  void finish_node(std::uint32_t vertex) {
    const std::uint32_t r = rank_[vertex], node = vertex - first_[r];
    job_.ranks[r].order.push_back(node);
    for (const std::uint32_t dependent : dependents_[r].of(node)) release(first_[r] + dependent);
    if (receives_[vertex] != kNoIndex) release(receives_[vertex]);
  }

  void release(std::uint32_t vertex) {
    if (--waits_for_[merged_[vertex]] == 0) push(merged_[vertex]);
  }

  /// Names for each rank that is stuck its first communication that is.
  void require_all() const {
    std::string stuck;
    for (std::size_t r = 0; r < job_.ranks.size(); ++r) {
      const JobRank& rank = job_.ranks[r];
      if (rank.order.size() == rank.nodes.size()) continue;
      std::vector<bool> is_done(rank.nodes.size(), false);
      for (const std::uint32_t node : rank.order) is_done[node] = true;
      for (std::uint32_t node = 0; node < rank.nodes.size(); ++node)
        if (!is_done[node] && rank.nodes[node].communication != kNoIndex) {
          stuck += "\n  " + job_.place_of(r, node) + group_text(rank, node);
          break;
        }
    }
    if (stuck.empty()) return;
    throw Error(ErrorCode::kInput, job_.graphs.front().name,
                "ranks would wait for each other in a circle; the first that wait:" + stuck,
                "Their collectives are in different orders, or traces of different runs were "
                "given");
  }

  std::string group_text(const JobRank& rank, std::uint32_t node) const {
    const JobCommunication& c = rank.communications[rank.nodes[node].communication];
    if (c.group == kNoIndex)
      return " from rank " + recorded_text(c.src) + " to rank " + recorded_text(c.dst);
    return " in group \"" + job_.groups[c.group].name + "\"";
  }

  std::string recorded_text(std::int64_t rank) const {
    return std::to_string(job_.ranks[static_cast<std::size_t>(rank)].recorded_rank);
  }

  using Ready = std::tuple<Ns, std::uint32_t, std::uint32_t>;  // start, rank, vertex

  Job& job_;
  const JobMatches& matches_;
  std::vector<std::uint32_t> first_;  // vertex of a rank's first node
  std::vector<std::uint32_t> rank_, merged_, waits_for_, collective_of_, receives_;  // by vertex
  std::vector<Ns> start_;                                                            // by vertex
  std::vector<Adjacency> dependents_;                                                // by rank
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
};

}  // namespace

void order_job(Job& job, const JobMatches& matches) { MergedOrder(job, matches).sort(); }

void chain_communications(JobRank& rank) {
  std::uint32_t last = kNoIndex;
  for (const std::uint32_t node : rank.order) {
    const NodeType type = rank.nodes[node].type;
    if (type != COMM_COLL_NODE && type != COMM_SEND_NODE) continue;
    if (last != kNoIndex) rank.dependencies.push_back({node, last});
    last = node;
  }
}

}  // namespace nadi
