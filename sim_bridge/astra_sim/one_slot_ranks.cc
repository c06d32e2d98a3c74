#include "nadi/sim_bridge/astra_sim/one_slot_ranks.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <utility>

#include "nadi/base/time.h"
#include "nadi/sim_bridge/astra_sim/operations.h"
#include "nadi/sim_bridge/astra_sim/proxy_ranks.h"
#include "nadi/sim_bridge/job/host_clocks.h"
#include "nadi/sim_bridge/job/prepare.h"

namespace nadi::astra_sim {
namespace {

bool computes_on_lane(const JobRank& rank, std::uint32_t n, bool is_host) {
  return rank.type[n] == NodeType::kCompute && rank.is_host[n] == is_host && !rank.is_delay[n] &&
         rank.lane[n] != kNoIndex;
}

/// Host work or kernels, by start, with the time for which each lane is busy with them.
struct NodesOfLanes {
  NodesOfLanes(const JobRank& whole, bool is_host) : rank(whole) {
    for (const std::uint32_t n : rank.order)
      if (computes_on_lane(rank, n, is_host)) {
        nodes.push_back(n);
        busy_ns[rank.lane[n]] += rank.duration_ns[n];
      }
    std::stable_sort(nodes.begin(), nodes.end(), [&](std::uint32_t a, std::uint32_t b) {
      return rank.start_ns[a] < rank.start_ns[b];
    });
  }

  /// Calls set_aside(node) with the one on the less busy lane where two run side by side.
  template <class IsAside, class SetAside>
  void visit_overlaps(const IsAside& is_aside, const SetAside& set_aside) const {
    std::uint32_t running = kNoIndex;  // that ended last of those not aside
    for (const std::uint32_t n : nodes) {
      if (is_aside(n)) continue;
      if (running != kNoIndex && !is_aside(running)) {
        const std::uint32_t lane = rank.lane[n], other = rank.lane[running];
        const Ns end = rank.end_ns(running);
        if (other != lane && end > rank.start_ns[n] + kClockResolution)
          set_aside(is_less_busy(lane, other) ? n : running);
        if (is_aside(n)) continue;
        if (!is_aside(running) && end >= rank.end_ns(n)) continue;
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

/// Ranks of delays. Each lane has its own for the delays behind its nodes, which begin in the order
/// of these nodes, whatever their times are. On one rank, the delays of two lanes would wait for
/// each other where a what-if moves the lanes against each other.
class DelayRanks {
 public:
  explicit DelayRanks(const JobRank& whole)
      : nodes_(whole), waits_for_(dependencies_by_node(whole)) {}

  /// Returns the number of the delay's rank: of those of its lane the one that has been free the
  /// longest, if it is free, else `next`.
  std::size_t place(std::uint32_t n, std::size_t next) {
    auto& ranks = ranks_[lane_before(n)];
    std::size_t number = next;
    if (!ranks.empty() && ranks.top().first <= nodes_.start_ns[n]) {
      number = ranks.top().second;
      ranks.pop();
    }
    ranks.emplace(nodes_.end_ns(n), number);
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
      if (last == kNoIndex || nodes_.end_ns(on) > nodes_.end_ns(last)) last = on;
    return last == kNoIndex ? kNoIndex : nodes_.lane[last];
  }

  const JobNodes& nodes_;
  const Adjacency waits_for_;
  std::map<std::uint32_t, RanksByTime> ranks_;  // by lane
};

JobRank side_of(const JobRank& whole) {
  JobRank side;
  side.recorded_rank = whole.recorded_rank;
  side.graph = whole.graph;
  return side;
}

std::uint32_t add_message(JobRank& side, NodeType type, AddedNode added, Ns start_ns,
                          const JobCommunication& message) {
  const std::uint32_t node = side.add(added);
  side.type[node] = type;
  side.start_ns[node] = start_ns;
  side.add_communication(node, message);
  return node;
}

/// A receive, what `whole` does in node `moved`, and a send. The messages take their time from the
/// node's.
void add_work(JobRank& side, std::size_t r, const JobRank& whole, std::uint32_t moved,
              JobCommunication message) {
  const auto own = message.dst;
  message.src = static_cast<std::int64_t>(r);
  const std::uint32_t arrival =
      add_message(side, NodeType::kReceive, AddedNode::kArrival, whole.start_ns[moved], message);
  if (arrival > 0) side.dependencies.push_back({arrival, arrival - 3});
  const std::uint32_t work = side.add_copy(whole, moved);
  if (whole.is_delay[moved]) {
    side.row[work] = side.lane[work] = kNoIndex;
    side.added[work] = AddedNode::kWait;
  }
  side.is_host[work] = side.is_delay[work] = false;
  side.duration_ns[work] = std::max<Ns>(whole.duration_ns[moved] - 2 * kProxyMessageNs, 0);
  message.src = own;
  message.dst = static_cast<std::int64_t>(r);
  const std::uint32_t release =
      add_message(side, NodeType::kSend, AddedNode::kRelease, whole.end_ns(moved), message);
  side.dependencies.push_back({work, arrival});
  side.dependencies.push_back({release, work});
  for (const std::uint32_t node : {arrival, work, release}) side.order.push_back(node);
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
        is_aside_(whole.size(), false) {
    std::set<std::uint32_t> lanes;  // of streams aside
    const auto is_aside = [&](std::uint32_t n) { return lanes.contains(whole_.lane[n]); };
    NodesOfLanes(whole, false).visit_overlaps(is_aside, [&](std::uint32_t n) {
      lanes.insert(whole_.lane[n]);
    });
    for (const std::uint32_t n : whole.order)
      is_aside_[n] = computes_on_lane(whole, n, false) && is_aside(n);
    NodesOfLanes(whole, true)
        .visit_overlaps([&](std::uint32_t n) { return is_aside_[n]; },
                        [&](std::uint32_t n) { is_aside_[n] = true; });
  }

  std::vector<JobRank> make() {
    for (const std::uint32_t n : whole_.order) {
      if (whole_.is_delay[n])
        move(n, delays_.place(n, sides_.size()));
      else if (is_aside_[n])
        move(n, side_of_lane_.try_emplace(whole_.lane[n], sides_.size()).first->second);
    }
    return std::move(sides_);
  }

 private:
  /// The node becomes a communication with the side, which does its work.
  void move(std::uint32_t n, std::size_t side) {
    if (side == sides_.size()) sides_.push_back(side_of(whole_));
    if (whole_.is_delay[n] || whole_.is_host[n]) set_cost_by_time(whole_, n, memory_gb_per_s_);
    JobCommunication message;
    message.bytes = 1;
    message.dst = static_cast<std::int64_t>(first_ + side);
    message.tag = static_cast<std::int64_t>(sides_[side].size());
    add_work(sides_[side], r_, whole_, n, message);
    whole_.add_communication(n, message);
    whole_.is_host[n] = whole_.is_delay[n] = false;
    whole_.num_ops[n] = whole_.tensor_size[n] = 0;
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
    if (!rank.is_delay[n]) continue;
    Ns &so_far = gathered[rank.lane[n]], &duration = rank.duration_ns[n];
    so_far += duration;
    rank.is_dropped[n] = so_far < kNsPerMicro / 2;
    if (rank.is_dropped[n]) continue;
    duration = (so_far + kNsPerMicro / 2) / kNsPerMicro * kNsPerMicro;
    so_far -= duration;
  }
}

std::vector<JobRank> move_aside(std::size_t r, std::size_t first, double memory_gb_per_s,
                                JobRank& whole) {
  return SideMaker(r, first, memory_gb_per_s, whole).make();
}

}  // namespace nadi::astra_sim
