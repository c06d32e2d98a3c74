#include "nadi/sim_bridge/astra_sim/late_launches.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace nadi::astra_sim {
namespace {

/// Runs of the host whose nodes may share their time anew.
class ChangingRuns {
 public:
  ChangingRuns(const OrderedNodes& nodes, const std::vector<bool>& follows)
      : nodes_(nodes), runs_(host_runs(nodes, follows)), observers_(nodes.size(), 0) {
    members_ = grouped_by_node(
        runs_.count + 1, nodes.size(), [&](std::size_t n) { return runs_.run[n]; },
        [](std::size_t n) { return static_cast<std::uint32_t>(n); });
    for (std::uint32_t n = 0; n < nodes.size(); ++n)
      for (const std::uint32_t on : nodes.on.of(n))
        if (nodes.slot[on] == Slot::kHost && runs_.run[n] != runs_.run[on]) ++observers_[on];
  }

  /// 0 = none: it is none of the host's.
  std::uint32_t run_of(std::uint32_t n) const { return runs_.run[n]; }
  Ns end(std::uint32_t n) const { return runs_.end[n]; }
  void observe(std::uint32_t n) { ++observers_[n]; }
  void let_go(std::uint32_t n) { --observers_[n]; }

  /// The node of the run that ends at that time after its begin, for which time may move between
  /// two neighbours; kNoIndex = there is none. The time is not after the run's end.
  std::uint32_t end_one_at(std::uint32_t run, Ns time, std::vector<Ns>& moved) {
    const auto members = members_.of(run);
    const auto found = std::lower_bound(members.begin(), members.end(), time,
                                        [&](std::uint32_t n, Ns at) { return end(n) < at; });
    if (end(*found) == time) return *found;
    if (found != members.begin() && can_move(found[-1], *found)) {
      move_end(found[-1], *found, time, moved);
      return found[-1];
    }
    if (found + 1 != members.end() && can_move(*found, found[1])) {
      move_end(*found, found[1], time, moved);
      return *found;
    }
    return kNoIndex;
  }

 private:
  /// The fractions of a microsecond are carried on within a lane.
  bool can_move(std::uint32_t n, std::uint32_t next) const {
    return observers_[n] == 0 && nodes_.lane[n] == nodes_.lane[next];
  }

  void move_end(std::uint32_t n, std::uint32_t next, Ns time, std::vector<Ns>& moved) {
    moved[n] += time - end(n);
    moved[next] -= time - end(n);
    runs_.end[n] = time;
  }

  const OrderedNodes& nodes_;
  HostRuns runs_;
  Adjacency members_;                     // by run
  std::vector<std::uint32_t> observers_;  // what waits for a host node, but its run
};

/// Where other rows of the device could run: rows that a node of a chain neither waits for nor is
/// waited for by.
struct OpenTimes {
  std::vector<bool> before;  ///< by node of the chain: between it and the one before it
  std::vector<bool> beside;  ///< beside it
};

OpenTimes find_open_times(const OrderedNodes& nodes, const ChainWaits& waits, std::uint32_t size) {
  const auto& [number, last] = waits;
  std::vector<std::uint32_t> first(nodes.size(), size + 1);  // of the chain that waits for it
  for (auto n = static_cast<std::uint32_t>(nodes.size()); n-- > 0;)
    for (const std::uint32_t on : nodes.on.of(n))
      first[on] = std::min(first[on], number[n] != 0 ? number[n] : first[n]);
  std::vector<std::int64_t> begun(size + 2, 0), ended(size + 2, 0);  // rows, by number
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    if (nodes.slot[n] != Slot::kDevice || number[n] != 0) continue;
    ++begun[last[n] + 1];
    ++ended[first[n]];
  }
  OpenTimes open{std::vector<bool>(size), std::vector<bool>(size)};
  std::int64_t rows = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    rows += begun[i + 1];
    open.before[i] = rows > 0;
    rows -= ended[i + 1];
    open.beside[i] = rows > 0;
  }
  return open;
}

class GapCloser {
 public:
  GapCloser(OrderedNodes& nodes, const KnownTimes& known, std::vector<bool>& follows)
      : nodes_(nodes),
        known_(known),
        follows_(follows),
        runs_(nodes, follows),
        is_waited_for_(nodes.size(), false),
        moved_(nodes.size(), 0),
        left_out_(nodes.size(), 0),
        added_(nodes.size(), kNoIndex) {}

  void close(const std::vector<std::uint32_t>& chain) {
    const ChainWaits waits = waits_for_chain(nodes_, chain);
    find_waited_for(nodes_, waits, is_waited_for_);
    const OpenTimes open = find_open_times(nodes_, waits, static_cast<std::uint32_t>(chain.size()));
    std::vector<Group> groups;
    for (std::size_t i = 0; i < chain.size(); ++i) {
      if (i > 0 && !is_open(open, chain, i) && joins(groups.back(), chain[i - 1], chain[i]))
        add(chain[i], groups.back());
      else
        groups.push_back(begin(chain[i]));
      groups.back().is_alone = groups.back().is_alone && !open.beside[i];
    }
    for (auto group = groups.rbegin(); group != groups.rend(); ++group) end(*group);
  }

  /// What came of it.
  void apply(JobRank& rank) {
    Adjacency on;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      for (const std::uint32_t source : nodes_.on.of(n))
        if (!is_left_out(n, source)) on.node.push_back(source);
      if (added_[n] != kNoIndex) on.node.push_back(added_[n]);
      on.end_node();
      if (moved_[n] != 0) nodes_.ns[n] = std::max<Ns>(whole_ns(nodes_.ns[n]) + moved_[n], 1);
      rank.duration_ns[rank.order[n]] += moved_[n];
    }
    nodes_.link(std::move(on));
  }

 private:
  bool is_left_out(std::uint32_t n, std::uint32_t source) const {
    return left_out_[n] != 0 && runs_.run_of(source) == left_out_[n];
  }

  /// Rows that will follow each other.
  struct Group {
    std::vector<std::uint32_t> rows;
    std::uint32_t run = 0;  // of their launches; 0 = none
    Ns launched = 0;        // when the first must begin, after the run's begin
    Ns taken = 0;           // by all rows
    bool closes = false;    // rows after the first wait for launches
    bool is_alone = true;   // no other row can run beside one of them
  };

  /// Of the times before a node of the chain.
  bool is_open(const OpenTimes& open, const std::vector<std::uint32_t>& chain,
               std::size_t i) const {
    const bool is_known_as_closed =
        known_.are_known(chain[i - 1], chain[i]) && known_.ran_before(chain[i]) == chain[i - 1];
    return open.before[i] && !is_known_as_closed;
  }

  Group begin(std::uint32_t n) const {
    Group group{{n}};
    for (const std::uint32_t on : nodes_.on.of(n))
      group.run = std::max(group.run, runs_.run_of(on));
    if (group.run != 0) group.launched = latest_launch(n, group.run);
    group.taken = whole_ns(nodes_.ns[n]);
    return group;
  }

  void add(std::uint32_t n, Group& group) const {
    group.rows.push_back(n);
    const Ns launch = latest_launch(n, group.run);
    if (launch >= 0) {
      group.closes = true;
      group.launched = std::max(group.launched, launch - group.taken);
    }
    group.taken += whole_ns(nodes_.ns[n]);
  }

  /// Of that run; -1 = none.
  Ns latest_launch(std::uint32_t n, std::uint32_t run) const {
    if (left_out_[n] == run) return added_[n] == kNoIndex ? -1 : runs_.end(added_[n]);
    Ns latest = -1;
    for (const std::uint32_t on : nodes_.on.of(n))
      if (nodes_.slot[on] == Slot::kHost && runs_.run_of(on) == run)
        latest = std::max(latest, runs_.end(on));
    return latest;
  }

  bool joins(const Group& group, std::uint32_t before, std::uint32_t n) const {
    if (nodes_.before_in_slot[n] != before || nodes_.before_in_lane[n] != before ||
        is_waited_for_[before])
      return false;
    const auto on = nodes_.on.of(n);
    return std::all_of(on.begin(), on.end(), [&](std::uint32_t source) {
      return source == before || (group.run != 0 && runs_.run_of(source) == group.run);
    });
  }

  void end(Group& group) {
    const Ns launched = group.launched;
    bool is_closed = waits_for_waiters(group) && place(group);
    if (!is_closed) {
      group.launched = launched;
      is_closed = !group.closes || place(group);
    }
    if (is_closed)
      for (std::size_t i = 1; i < group.rows.size(); ++i) follows_[group.rows[i]] = true;
  }

  /// Lets the rows end when the first of what waits for the last one is launched, if all that waits
  /// for it is launched later than it would end: nothing starts later for it.
  bool waits_for_waiters(Group& group) const {
    const auto behind = nodes_.behind.of(group.rows.back());
    if (group.run == 0 || !group.is_alone || behind.empty()) return false;
    Ns earliest = std::numeric_limits<Ns>::max();
    for (const std::uint32_t n : behind)
      earliest =
          std::min(earliest, nodes_.slot[n] == Slot::kHost ? -1 : latest_launch(n, group.run));
    if (earliest <= group.launched + group.taken) return false;
    group.launched = earliest - group.taken;
    return true;
  }

  /// False if no host node can end when the first row must begin.
  bool place(const Group& group) {
    const auto each_launch = [&](auto do_it) {
      for (const std::uint32_t n : group.rows)
        for (const std::uint32_t on : nodes_.on.of(n))
          if (runs_.run_of(on) == group.run) do_it(on);
    };
    each_launch([&](std::uint32_t on) { runs_.let_go(on); });
    const std::uint32_t moment = runs_.end_one_at(group.run, group.launched, moved_);
    if (moment == kNoIndex) {
      each_launch([&](std::uint32_t on) { runs_.observe(on); });
      return false;
    }
    for (const std::uint32_t n : group.rows) left_out_[n] = group.run;
    added_[group.rows.front()] = moment;
    runs_.observe(moment);
    return true;
  }

  OrderedNodes& nodes_;
  const KnownTimes& known_;
  std::vector<bool>& follows_;
  ChangingRuns runs_;
  std::vector<bool> is_waited_for_;
  std::vector<Ns> moved_;                // by host node: what its duration changes by
  std::vector<std::uint32_t> left_out_;  // by row: the run for which it waits no more; 0 = none
  std::vector<std::uint32_t> added_;     // by row: the host node for which it waits instead
};

}  // namespace

void close_gaps_of_late_launches(OrderedNodes& nodes, const KnownTimes& known,
                                 std::vector<bool>& follows, JobRank& rank) {
  GapCloser closer(nodes, known, follows);
  for (const auto& chain : chains_of(nodes, Slot::kDevice)) closer.close(chain);
  closer.apply(rank);
}

}  // namespace nadi::astra_sim
