#include "nadi/sim_bridge/astra_sim/coarsen.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "nadi/base/adjacency.h"
#include "nadi/base/visit_by_key.h"
#include "nadi/sim_bridge/astra_sim/known_times.h"
#include "nadi/sim_bridge/astra_sim/late_launches.h"
#include "nadi/sim_bridge/astra_sim/ordered_nodes.h"
#include "nadi/sim_bridge/astra_sim/turn_taking.h"

namespace nadi::astra_sim {
namespace {

/// Nodes that start the moment the one before them in their slot ends.
struct Followers {
  std::vector<bool> follows;     ///< whatever else happens
  std::vector<bool> may_follow;  ///< unless another node gets the slot first
};

/// Finds the nodes of a slot that start the moment the one before them ends, whatever else
/// happens. That one, A, is the last of the slot with a smaller id; B waits for it, and for nothing
/// that A does not wait for, however indirectly. And no other node with a smaller id can become
/// ready while A runs: that one would wait for another slot's node which A does not wait for.
class FollowerFinder {
 public:
  FollowerFinder(const OrderedNodes& nodes, Slot slot, Followers& found)
      : nodes_(nodes), slot_(slot), found_(found) {
    for (std::uint32_t n = 0; n < nodes.size(); ++n)
      if (nodes.slot[n] == slot && others_of(n) > 0) guests_.push_back(n);
  }

  void search(const std::vector<std::uint32_t>& chain) {
    is_before_.assign(nodes_.size(), false);
    left_.assign(nodes_.size(), 0);
    open_ = 0;
    auto guest = guests_.begin();
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const std::uint32_t n = chain[i], last = i == 0 ? kNoIndex : chain[i - 1];
      for (; guest != guests_.end() && *guest < n; ++guest) enter(*guest);
      if (last != kNoIndex && nodes_.before_in_slot[n] == last && waits_for(n, last))
        (open_ == 0 ? found_.follows : found_.may_follow)[n] = true;
      mark(n);
    }
  }

 private:
  /// Nodes of other slots that it waits for.
  std::size_t others_of(std::uint32_t n) const {
    const auto on = nodes_.on.of(n);
    return static_cast<std::size_t>(std::count_if(
        on.begin(), on.end(), [&](std::uint32_t other) { return nodes_.slot[other] != slot_; }));
  }

  /// Only for nodes that `last` waits for, and itself.
  bool waits_for(std::uint32_t n, std::uint32_t last) const {
    bool is_direct = false;
    for (const std::uint32_t on : nodes_.on.of(n)) {
      if (!is_before_[on]) return false;
      is_direct |= on == last;
    }
    return is_direct;
  }

  void enter(std::uint32_t guest) {
    if (is_before_[guest]) return;
    for (const std::uint32_t on : nodes_.on.of(guest))
      if (nodes_.slot[on] != slot_ && !is_before_[on]) ++left_[guest];
    if (left_[guest] > 0) ++open_;
  }

  /// The node and all it waits for are before what follows it.
  void mark(std::uint32_t n) {
    stack_.push_back(n);
    while (!stack_.empty()) {
      const std::uint32_t at = stack_.back();
      stack_.pop_back();
      if (is_before_[at]) continue;
      is_before_[at] = true;
      if (left_[at] > 0) close(at);
      if (nodes_.slot[at] != slot_)
        for (const std::uint32_t guest : nodes_.behind.of(at))
          if (left_[guest] > 0 && --left_[guest] == 0) --open_;
      for (const std::uint32_t on : nodes_.on.of(at))
        if (!is_before_[on]) stack_.push_back(on);
    }
  }

  void close(std::uint32_t guest) {
    left_[guest] = 0;
    --open_;
  }

  const OrderedNodes& nodes_;
  const Slot slot_;
  Followers& found_;
  std::vector<std::uint32_t> guests_;  // of the slot, that wait for other slots
  std::vector<bool> is_before_;        // by node: the chain's latest waits for it
  std::vector<std::uint32_t> left_;    // by guest: what may still keep it from being ready
  std::size_t open_ = 0;               // guests that may become ready at any time
  std::vector<std::uint32_t> stack_;
};

void find_followers(const OrderedNodes& nodes, Slot slot, Followers& found) {
  FollowerFinder finder(nodes, slot, found);
  for (const auto& chain : chains_of(nodes, slot)) finder.search(chain);
}

/// What waits for a host node of a run, and for a row that ends no earlier, waits for the row
/// alone; or for one that ends up to `most_off_ns` earlier, for which it starts that much earlier.
void drop_launches_that_cannot_bind(OrderedNodes& nodes, const std::vector<bool>& follows,
                                    Ns most_off_ns) {
  const HostRuns hosts = host_runs(nodes, follows);
  // Of hosts as there, of others the run after which they begin and their end at the earliest. What
  // waits for a host node behind it (late_launches.h) goes on to do so: that one is not there yet.
  std::vector<std::uint32_t> run(nodes.size(), 0);
  std::vector<Ns> end(nodes.size(), 0);
  Adjacency kept;
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const auto on = nodes.on.of(n);
    if (nodes.slot[n] == Slot::kHost) {
      run[n] = hosts.run[n];
      end[n] = hosts.end[n];
      kept.node.insert(kept.node.end(), on.begin(), on.end());
      kept.end_node();
      continue;
    }
    for (const std::uint32_t source : on) run[n] = std::max(run[n], run[source]);
    Ns begin = 0, until = -1;  // what it waits for, at the earliest; the last launch to drop
    for (const std::uint32_t source : on)
      if (run[source] == run[n] && nodes.slot[source] != Slot::kHost) {
        begin = std::max(begin, end[source]);
        until = begin + most_off_ns;
      }
    for (const std::uint32_t source : on) {
      const bool is_of_run = nodes.slot[source] == Slot::kHost && run[source] == run[n];
      if (is_of_run && run[n] != 0 && end[source] <= until) continue;
      kept.node.push_back(source);
      if (is_of_run) begin = std::max(begin, end[source]);
    }
    kept.end_node();
    end[n] = begin + (nodes.slot[n] == Slot::kDevice ? whole_ns(nodes.ns[n]) : 0);
  }
  nodes.link(std::move(kept));
}

/// Nodes that become one, of a chain.
class GroupMaker {
 public:
  GroupMaker(const OrderedNodes& nodes, const Followers& followers,
             const std::vector<bool>& is_waited_for, Ns most_off_ns)
      : nodes_(nodes),
        followers_(followers),
        is_waited_for_(is_waited_for),
        most_off_ns_(most_off_ns),
        group_(nodes.size()) {
    for (std::uint32_t n = 0; n < nodes.size(); ++n) group_[n] = n;
  }

  void add(const std::vector<std::uint32_t>& chain) {
    bool is_late = false;
    Ns late = 0;    // of what waits for the group
    Ns length = 0;  // of the group
    for (std::size_t i = 1; i < chain.size(); ++i) {
      const std::uint32_t n = chain[i], before = chain[i - 1];
      is_late |= is_waited_for_[before];
      const Ns later = is_late ? late + nodes_.ns[n] : 0;
      length += nodes_.ns[before];
      const bool follows = followers_.follows[n] ||
                           (followers_.may_follow[n] && length + nodes_.ns[n] <= most_off_ns_);
      const bool joins = follows && nodes_.before_in_lane[n] == before && later <= most_off_ns_;
      if (!joins) length = 0;
      late = joins ? later : 0;
      is_late &= joins;
      if (joins) group_[n] = group_[before];
    }
  }

  /// By node: the first one of its group.
  std::vector<std::uint32_t> take() { return std::move(group_); }

 private:
  const OrderedNodes& nodes_;
  const Followers& followers_;
  const std::vector<bool>& is_waited_for_;
  const Ns most_off_ns_;
  std::vector<std::uint32_t> group_;
};

/// The rank's nodes, which wait for nothing that never binds.
std::pair<OrderedNodes, KnownTimes> nodes_and_times(const JobRank& rank) {
  OrderedNodes nodes = ordered_nodes(rank);
  KnownTimes known(nodes);
  drop_waits_that_never_bind(known, nodes);
  return {std::move(nodes), std::move(known)};
}

/// Where several nodes may want a slot, the last part of a group stays a node of its own.
/// ASTRA-sim handles what ends in one instant in the order in which it began, and that decides
/// which of the nodes that get ready by it are first: what ends must have begun when it did before.
void keep_last_parts(const OrderedNodes& nodes, const Followers& followers,
                     std::vector<std::uint32_t>& group) {
  const auto& contended = followers.may_follow;
  if (std::find(contended.begin(), contended.end(), true) == contended.end()) return;
  std::vector<std::uint32_t> last(nodes.size());
  for (std::uint32_t n = 0; n < nodes.size(); ++n) last[group[n]] = n;
  for (std::uint32_t n = 0; n < nodes.size(); ++n)
    if (group[n] == n) group[last[n]] = last[n];
}

std::vector<std::uint32_t> find_groups(const KnownTimes& known, Ns most_off_ns, OrderedNodes& nodes,
                                       JobRank& rank) {
  Followers followers{std::vector<bool>(nodes.size()), std::vector<bool>(nodes.size())};
  std::vector<bool>& follows = followers.follows;
  std::vector<bool> is_waited_for(nodes.size(), false);
  find_followers(nodes, Slot::kHost, followers);
  for (std::uint32_t n = 0; n < nodes.size(); ++n)
    if (nodes.slot[n] == Slot::kHost && known.follows(n, nodes)) follows[n] = true;
  drop_launches_that_cannot_bind(nodes, follows, most_off_ns);
  close_gaps_of_late_launches(nodes, known, follows, rank);
  drop_launches_that_cannot_bind(nodes, follows, most_off_ns);
  find_followers(nodes, Slot::kDevice, followers);
  GroupMaker groups(nodes, followers, is_waited_for, most_off_ns);
  for (const Slot slot : {Slot::kHost, Slot::kDevice})
    for (const auto& chain : chains_of(nodes, slot)) {
      const bool has_followers = std::any_of(chain.begin(), chain.end(), [&](std::uint32_t n) {
        return follows[n] || followers.may_follow[n];
      });
      if (!has_followers) continue;
      find_waited_for(nodes, waits_for_chain(nodes, chain), is_waited_for);
      groups.add(chain);
    }
  std::vector<std::uint32_t> group = groups.take();
  keep_last_parts(nodes, followers, group);
  return group;
}

/// Joins the nodes of each group in the rank's columns; returns by node the one it is part of.
std::vector<std::uint32_t> join_groups(const std::vector<std::uint32_t>& group, JobRank& rank) {
  std::vector<std::uint32_t> into(rank.size()), named(group.size(), kNoIndex);
  for (std::uint32_t node = 0; node < rank.size(); ++node) into[node] = node;
  for (std::uint32_t n = 0; n < group.size(); ++n) {
    std::uint32_t& name = named[group[n]];
    const std::uint32_t node = rank.order[n];
    if (name == kNoIndex || (rank.is_delay[name] != 0 && rank.is_delay[node] == 0)) name = node;
  }
  std::vector<Ns> start_ns(group.size()), duration_ns(group.size(), 0);
  for (std::uint32_t n = 0; n < group.size(); ++n) {
    const std::uint32_t node = rank.order[n], joined = named[group[n]];
    into[node] = joined;
    if (group[n] == n) start_ns[n] = rank.start_ns[node];
    duration_ns[group[n]] += rank.duration_ns[node];
    if (node == joined) continue;
    rank.merged[joined] += rank.merged[node];
    rank.num_ops[joined] += rank.num_ops[node];
    rank.tensor_size[joined] += rank.tensor_size[node];
    rank.is_dropped[node] = 1;
  }
  for (std::uint32_t n = 0; n < group.size(); ++n)
    if (group[n] == n) {
      rank.start_ns[named[n]] = start_ns[n];
      rank.duration_ns[named[n]] = duration_ns[n];
    }
  return into;
}

/// What is left, each behind what it waits for, else by the position of its last part: that is when
/// it ends.
void order_joined(const OrderedNodes& nodes, const std::vector<std::uint32_t>& group,
                  const std::vector<std::uint32_t>& into, JobRank& rank) {
  std::vector<std::uint32_t> end(group.size(), 0);  // by first: position of the last
  for (std::uint32_t n = 0; n < group.size(); ++n) end[group[n]] = n;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // firsts: before, behind
  for (std::uint32_t n = 0; n < group.size(); ++n)
    if (group[n] == n)
      for (const std::uint32_t on : nodes.on.of(n)) edges.emplace_back(group[on], n);
  const Adjacency behind = grouped_by_node(
      group.size(), edges.size(), [&](std::size_t i) { return edges[i].first; },
      [&](std::size_t i) { return edges[i].second; });
  const std::vector<std::uint32_t> fine = std::move(rank.order);
  rank.order.clear();
  rank.dependencies.clear();
  visit_by_key(
      behind, [&](std::uint32_t n) { return end[n]; },
      [&](std::uint32_t first) {
        if (group[first] != first) return;
        rank.order.push_back(into[fine[first]]);
        for (const std::uint32_t next : behind.of(first))
          rank.dependencies.push_back({into[fine[next]], into[fine[first]]});
      });
}

}  // namespace

Coarsening coarsen(JobRank& rank, Ns most_off_ns) {
  Coarsening result;
  result.fine_order = rank.order;
  auto [nodes, known] = nodes_and_times(rank);
  if (let_hosts_run_first(nodes, known, rank)) std::tie(nodes, known) = nodes_and_times(rank);
  const std::vector<std::uint32_t> group = find_groups(known, most_off_ns, nodes, rank);
  result.into = join_groups(group, rank);
  order_joined(nodes, group, result.into, rank);
  return result;
}

}  // namespace nadi::astra_sim
