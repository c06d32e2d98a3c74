#include "nadi/sim_bridge/astra_sim/side_ranks.h"

#include <algorithm>
#include <map>

#include "nadi/base/time.h"
#include "nadi/sim_bridge/astra_sim/proxy_ranks.h"
#include "nadi/sim_bridge/astra_sim/rewrite_steps.h"
#include "nadi/sim_bridge/job/host_clocks.h"

namespace nadi::astra_sim {
namespace {

using namespace ChakraProtoMsg;

bool is_kernel(const JobNode& node) {
  return node.type == COMP_NODE && !node.is_host && !node.is_delay && node.lane != kNoIndex;
}

/// Lanes with kernels that run beside those of a busier one.
class SideLanes {
 public:
  explicit SideLanes(const JobRank& rank) : rank_(rank) {
    for (const std::uint32_t n : rank.order)
      if (is_kernel(rank.nodes[n])) {
        kernels_.push_back(n);
        busy_ns_[rank.nodes[n].lane] += rank.nodes[n].duration_ns;
      }
    std::stable_sort(kernels_.begin(), kernels_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return rank.nodes[a].start_ns < rank.nodes[b].start_ns;
    });
  }

  /// By lane: the number of its rank, from 0 on.
  std::map<std::uint32_t, std::size_t> find() {
    std::uint32_t running = kNoIndex;  // that ended last of those on no side lane
    for (const std::uint32_t kernel : kernels_) {
      const JobNode& node = rank_.nodes[kernel];
      if (sides_.contains(node.lane)) continue;
      if (running != kNoIndex && !sides_.contains(rank_.nodes[running].lane)) {
        const JobNode& other = rank_.nodes[running];
        if (other.lane != node.lane && end_of(other) > node.start_ns + kClockResolution)
          sides_.try_emplace(less_busy(node.lane, other.lane), sides_.size());
        if (sides_.contains(node.lane)) continue;
        if (!sides_.contains(other.lane) && end_of(other) >= end_of(node)) continue;
      }
      running = kernel;
    }
    return std::move(sides_);
  }

 private:
  std::uint32_t less_busy(std::uint32_t a, std::uint32_t b) const {
    const Ns of_a = busy_ns_.at(a), of_b = busy_ns_.at(b);
    return of_a == of_b ? std::max(a, b) : of_a < of_b ? a : b;
  }

  const JobRank& rank_;
  std::vector<std::uint32_t> kernels_;   // by start
  std::map<std::uint32_t, Ns> busy_ns_;  // by lane
  std::map<std::uint32_t, std::size_t> sides_;
};

/// Ranks of delays. Each lane has its own: delays of two lanes would meet on one where a what-if
/// moves the lanes against each other.
class DelayRanks {
 public:
  explicit DelayRanks(std::size_t first) : next_(first) {}

  /// Returns the number of the delay's rank: of those of its lane the one that has been free the
  /// longest, else a new one.
  std::size_t place(const JobNode& delay) {
    std::vector<DelayRank>& ranks = ranks_[delay.lane];
    auto rank = std::min_element(
        ranks.begin(), ranks.end(),
        [](const DelayRank& a, const DelayRank& b) { return a.free_from < b.free_from; });
    if (rank == ranks.end() || rank->free_from > delay.start_ns)
      rank = ranks.insert(ranks.end(), {next_++, 0});
    rank->free_from = end_of(delay);
    return rank->number;
  }

 private:
  struct DelayRank {
    std::size_t number;
    Ns free_from;
  };
  std::size_t next_;
  std::map<std::uint32_t, std::vector<DelayRank>> ranks_;  // by lane
};

JobRank side_of(const JobRank& whole) {
  JobRank side;
  side.recorded_rank = whole.recorded_rank;
  side.graph = whole.graph;
  return side;
}

std::uint32_t add_node(JobRank& rank, JobNode node) {
  const auto number = static_cast<std::uint32_t>(rank.nodes.size());
  rank.order.push_back(number);
  rank.nodes.push_back(node);
  return number;
}

std::uint32_t add_message(JobRank& side, NodeType type, const char* name, Ns start_ns,
                          const JobCommunication& message) {
  JobNode node;
  node.type = type;
  node.synthetic_name = name;
  node.start_ns = start_ns;
  node.communication = static_cast<std::uint32_t>(side.communications.size());
  side.communications.push_back(message);
  return add_node(side, node);
}

/// A rank that ends on a message has to have no host nodes, or may never finish.
void as_device_work(JobNode& delay) {
  delay.is_host = delay.is_delay = false;
  delay.row = kNoIndex;
  delay.synthetic_name = "wait";
}

/// A receive, the node, and a send. The messages take their time from the node's.
void add_work(JobRank& side, std::size_t r, const JobNode& moved, JobCommunication message) {
  const auto own = message.dst;
  message.src = static_cast<std::int64_t>(r);
  const std::uint32_t before = side.nodes.empty() ? kNoIndex : side.order.end()[-3];
  const std::uint32_t arrival =
      add_message(side, COMM_RECV_NODE, "arrival", moved.start_ns, message);
  if (before != kNoIndex) side.dependencies.push_back({arrival, before});
  JobNode compute = moved;
  if (moved.is_delay) as_device_work(compute);
  compute.duration_ns = std::max<Ns>(moved.duration_ns - 2 * kProxyMessageNs, 0);
  const std::uint32_t work = add_node(side, compute);
  message.src = own;
  message.dst = static_cast<std::int64_t>(r);
  const std::uint32_t release =
      add_message(side, COMM_SEND_NODE, "release", end_of(moved), message);
  side.dependencies.push_back({work, arrival});
  side.dependencies.push_back({release, work});
}

/// The node becomes a communication with the side, rank `number`, which does its work.
void move_node(JobRank& whole, std::size_t r, std::uint32_t n, JobRank& side, std::size_t number) {
  JobCommunication message;
  message.bytes = 1;
  message.dst = static_cast<std::int64_t>(number);
  message.tag = std::ssize(side.nodes);
  JobNode& node = whole.nodes[n];
  add_work(side, r, node, message);
  node.communication = static_cast<std::uint32_t>(whole.communications.size());
  node.is_host = node.is_delay = false;
  node.num_ops = node.tensor_size = 0;
  whole.communications.push_back(message);
}

}  // namespace

void gather_short_delays(JobRank& rank, double memory_gb_per_s) {
  std::map<std::uint32_t, Ns> gathered;  // by lane
  for (JobNode& node : rank.nodes) {
    if (!node.is_delay || node.is_dropped) continue;
    Ns& so_far = gathered[node.lane];
    so_far += node.duration_ns;
    node.is_dropped = so_far < kNsPerMicro;
    if (node.is_dropped) continue;
    node.duration_ns = so_far - so_far % kNsPerMicro;
    so_far -= node.duration_ns;
    set_cost_by_time(node, memory_gb_per_s);
  }
}

std::vector<JobRank> move_aside(std::size_t r, std::size_t first, JobRank& whole) {
  const std::map<std::uint32_t, std::size_t> lanes = SideLanes(whole).find();
  std::vector<JobRank> sides(lanes.size(), side_of(whole));
  DelayRanks delays(lanes.size());
  for (const std::uint32_t n : whole.order) {
    const JobNode& node = whole.nodes[n];
    std::size_t side = sides.size();
    if (node.is_delay) {
      side = delays.place(node);
      if (side == sides.size()) sides.push_back(side_of(whole));
    } else if (is_kernel(node)) {
      const auto known = lanes.find(node.lane);
      if (known != lanes.end()) side = known->second;
    }
    if (side < sides.size()) move_node(whole, r, n, sides[side], first + side);
  }
  return sides;
}

}  // namespace nadi::astra_sim
