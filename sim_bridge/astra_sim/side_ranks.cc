#include "nadi/sim_bridge/astra_sim/side_ranks.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <utility>

#include "nadi/base/time.h"
#include "nadi/sim_bridge/astra_sim/host_delays.h"
#include "nadi/sim_bridge/astra_sim/operations.h"
#include "nadi/sim_bridge/astra_sim/proxy_ranks.h"
#include "nadi/sim_bridge/job/host_clocks.h"

namespace nadi::astra_sim {
namespace {

bool computes_on_lane(const JobNode& node, bool is_host) {
  return node.type == NodeType::kCompute && node.is_host == is_host && !node.is_delay &&
         node.lane != kNoIndex;
}
bool is_kernel(const JobNode& node) { return computes_on_lane(node, false); }
bool is_host_work(const JobNode& node) { return computes_on_lane(node, true); }

/// Nodes of one kind, by start, with the time for which each lane is busy with them.
struct NodesOfLanes {
  template <class IsOfKind>
  NodesOfLanes(const JobRank& whole, const IsOfKind& is_of_kind) : rank(whole) {
    for (const std::uint32_t n : rank.order)
      if (is_of_kind(rank.nodes[n])) {
        nodes.push_back(n);
        busy_ns[rank.nodes[n].lane] += rank.nodes[n].duration_ns;
      }
    std::stable_sort(nodes.begin(), nodes.end(), [&](std::uint32_t a, std::uint32_t b) {
      return rank.nodes[a].start_ns < rank.nodes[b].start_ns;
    });
  }

  /// Calls set_aside(node) with the one on the less busy lane where two run side by side.
  template <class IsAside, class SetAside>
  void visit_overlaps(const IsAside& is_aside, const SetAside& set_aside) const {
    std::uint32_t running = kNoIndex;  // that ended last of those not aside
    for (const std::uint32_t n : nodes) {
      if (is_aside(n)) continue;
      const JobNode& node = rank.nodes[n];
      if (running != kNoIndex && !is_aside(running)) {
        const JobNode& other = rank.nodes[running];
        if (other.lane != node.lane && end_of(other) > node.start_ns + kClockResolution)
          set_aside(is_less_busy(node.lane, other.lane) ? n : running);
        if (is_aside(n)) continue;
        if (!is_aside(running) && end_of(other) >= end_of(node)) continue;
      }
      running = n;
    }
  }

  bool is_less_busy(std::uint32_t a, std::uint32_t b) const {
    const Ns of_a = busy_ns.at(a), of_b = busy_ns.at(b);
    return of_a == of_b ? a > b : of_a < of_b;
  }

  const JobRank& rank;
  std::vector<std::uint32_t> nodes;
  std::map<std::uint32_t, Ns> busy_ns;  // by lane
};

/// Ranks of delays. Delays behind nodes of one lane begin in the order of these, whatever their
/// times are, so each lane has its own: two lanes' delays would wait for each other on one where a
/// what-if moves the lanes against each other.
class DelayRanks {
 public:
  explicit DelayRanks(const JobRank& whole)
      : nodes_(whole.nodes), waits_for_(dependencies_by_node(whole)) {}

  /// Returns the number of the delay's rank: of those of its lane the one that has been free the
  /// longest, if it is free, else `next`.
  std::size_t place(std::uint32_t n, std::size_t next) {
    auto& ranks = ranks_[lane_before(n)];
    std::size_t number = next;
    if (!ranks.empty() && ranks.top().first <= nodes_[n].start_ns) {
      number = ranks.top().second;
      ranks.pop();
    }
    ranks.emplace(end_of(nodes_[n]), number);
    return number;
  }

 private:
  /// By the time from which each is free, the earliest on top.
  using RanksByTime = std::priority_queue<std::pair<Ns, std::size_t>,
                                          std::vector<std::pair<Ns, std::size_t>>, std::greater<>>;

  /// Of what ends last of all that the delay waits for; kNoIndex = it waits for nothing.
  std::uint32_t lane_before(std::uint32_t n) const {
    std::uint32_t last = kNoIndex;
    for (const std::uint32_t on : waits_for_.of(n))
      if (last == kNoIndex || end_of(nodes_[on]) > end_of(nodes_[last])) last = on;
    return last == kNoIndex ? kNoIndex : nodes_[last].lane;
  }

  const std::vector<JobNode>& nodes_;
  const Adjacency waits_for_;
  std::map<std::uint32_t, RanksByTime> ranks_;  // by lane
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

/// A receive, the node, and a send. The messages take their time from the node's.
void add_work(JobRank& side, std::size_t r, const JobNode& moved, JobCommunication message) {
  const auto own = message.dst;
  message.src = static_cast<std::int64_t>(r);
  const std::uint32_t before = side.nodes.empty() ? kNoIndex : side.order.end()[-3];
  const std::uint32_t arrival =
      add_message(side, NodeType::kReceive, "arrival", moved.start_ns, message);
  if (before != kNoIndex) side.dependencies.push_back({arrival, before});
  JobNode compute = moved;
  compute.is_host = compute.is_delay = false;
  if (moved.is_delay) {
    compute.row = compute.lane = kNoIndex;
    compute.synthetic_name = "wait";
  }
  compute.duration_ns = std::max<Ns>(moved.duration_ns - 2 * kProxyMessageNs, 0);
  const std::uint32_t work = add_node(side, compute);
  message.src = own;
  message.dst = static_cast<std::int64_t>(r);
  const std::uint32_t release =
      add_message(side, NodeType::kSend, "release", end_of(moved), message);
  side.dependencies.push_back({work, arrival});
  side.dependencies.push_back({release, work});
}

/// Moves nodes of a rank to sides, which are numbered as they get their first.
class SideMaker {
 public:
  SideMaker(std::size_t r, std::size_t first, double memory_gb_per_s, JobRank& whole)
      : r_(r),
        first_(first),
        memory_gb_per_s_(memory_gb_per_s),
        whole_(whole),
        delays_(whole),
        is_aside_(whole.nodes.size(), false) {
    std::set<std::uint32_t> lanes;  // of streams aside
    const auto is_aside = [&](std::uint32_t n) { return lanes.contains(whole_.nodes[n].lane); };
    NodesOfLanes(whole, is_kernel).visit_overlaps(is_aside, [&](std::uint32_t n) {
      lanes.insert(whole_.nodes[n].lane);
    });
    for (const std::uint32_t n : whole.order)
      is_aside_[n] = is_kernel(whole.nodes[n]) && is_aside(n);
    NodesOfLanes(whole, is_host_work)
        .visit_overlaps([&](std::uint32_t n) { return is_aside_[n]; },
                        [&](std::uint32_t n) { is_aside_[n] = true; });
  }

  std::vector<JobRank> make() {
    for (const std::uint32_t n : whole_.order) {
      const JobNode& node = whole_.nodes[n];
      if (node.is_delay)
        move(n, delays_.place(n, sides_.size()));
      else if (is_aside_[n])
        move(n, side_of_lane_.try_emplace(node.lane, sides_.size()).first->second);
    }
    return std::move(sides_);
  }

 private:
  /// The node becomes a communication with the side, which does its work.
  void move(std::uint32_t n, std::size_t side) {
    if (side == sides_.size()) sides_.push_back(side_of(whole_));
    JobNode& node = whole_.nodes[n];
    if (node.is_delay || node.is_host) set_cost_by_time(node, memory_gb_per_s_);
    JobCommunication message;
    message.bytes = 1;
    message.dst = static_cast<std::int64_t>(first_ + side);
    message.tag = std::ssize(sides_[side].nodes);
    add_work(sides_[side], r_, node, message);
    node.communication = static_cast<std::uint32_t>(whole_.communications.size());
    node.is_host = node.is_delay = false;
    node.num_ops = node.tensor_size = 0;
    whole_.communications.push_back(message);
  }

  const std::size_t r_, first_;
  const double memory_gb_per_s_;
  JobRank& whole_;
  DelayRanks delays_;
  std::vector<bool> is_aside_;  // by node
  std::map<std::uint32_t, std::size_t> side_of_lane_;
  std::vector<JobRank> sides_;
};

}  // namespace

void gather_short_delays(JobRank& rank) {
  std::map<std::uint32_t, Ns> gathered;  // by lane
  for (const std::uint32_t n : nodes_by_start(rank)) {
    JobNode& node = rank.nodes[n];
    if (!node.is_delay) continue;
    Ns& so_far = gathered[node.lane];
    so_far += node.duration_ns;
    node.is_dropped = so_far < kNsPerMicro / 2;
    if (node.is_dropped) continue;
    node.duration_ns = (so_far + kNsPerMicro / 2) / kNsPerMicro * kNsPerMicro;
    so_far -= node.duration_ns;
  }
}

std::vector<JobRank> move_aside(std::size_t r, std::size_t first, double memory_gb_per_s,
                                JobRank& whole) {
  return SideMaker(r, first, memory_gb_per_s, whole).make();
}

}  // namespace nadi::astra_sim
