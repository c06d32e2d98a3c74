#include "nadi/sim_bridge/astra_sim/turn_taking.h"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

namespace nadi::astra_sim {
namespace {

/// rows[i], then hosts[i], then rows[i + 1]: one row more than hosts.
struct Turns {
  std::vector<std::uint32_t> rows, hosts;
};

class TurnFinder {
 public:
  TurnFinder(const OrderedNodes& nodes, const KnownTimes& known) : nodes_(nodes), known_(known) {}

  std::vector<Turns> find() {
    std::vector<Turns> found;
    std::vector<bool> is_taken(nodes_.size(), false);
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      if (nodes_.slot[n] != Slot::kDevice || !known_.is_known(n) || is_taken[n]) continue;
      Turns turns = from(n);
      for (const std::uint32_t row : turns.rows) is_taken[row] = true;
      if (turns.hosts.size() > 1) found.push_back(std::move(turns));
    }
    return found;
  }

 private:
  Turns from(std::uint32_t first) const {
    Turns turns{{first}, {}};
    if (!begins_when_ready(first)) return turns;
    for (;;) {
      const std::uint32_t row = turns.rows.back(), host = begun_at_end(row, Slot::kHost);
      if (host == kNoIndex) return turns;
      const std::uint32_t next = begun_at_end(host, Slot::kDevice);
      if (next == kNoIndex || !take_turns(row, host, next) || !can_begin_early(host, turns))
        return turns;
      turns.rows.push_back(next);
      turns.hosts.push_back(host);
    }
  }

  /// True where the node begins as soon as what it waits for has ended.
  bool begins_when_ready(std::uint32_t n) const {
    const auto on = nodes_.on.of(n);
    return std::any_of(on.begin(), on.end(), [&](std::uint32_t source) {
      return known_.end_ns(source, n) == known_.start_ns(n);
    });
  }

  /// What waits for the node and begins when it ends; kNoIndex = nothing.
  std::uint32_t begun_at_end(std::uint32_t n, Slot slot) const {
    for (const std::uint32_t next : nodes_.behind.of(n))
      if (nodes_.slot[next] == slot && known_.are_known(n, next) &&
          known_.start_ns(next) == known_.end_ns(n, next))
        return next;
    return kNoIndex;
  }

  /// True where only each other and the next row wait for the row and the host node, the next row
  /// waits for nothing else, and the host does nothing until that has ended.
  bool take_turns(std::uint32_t row, std::uint32_t host, std::uint32_t next) const {
    const std::uint32_t host_next = known_.ran_after(host);
    const auto on = nodes_.on.of(next);
    return nodes_.before_in_lane[next] == row && known_.ran_before(next) == row &&
           std::all_of(on.begin(), on.end(),
                       [&](std::uint32_t source) { return source == row || source == host; }) &&
           is_waited_for_only_by(row, {host, next}, next) &&
           is_waited_for_only_by(host, {next}, next) && host_next != kNoIndex &&
           known_.start_ns(host_next) >= known_.end_ns(next, host_next);
  }

  /// All that it waits for, and the host's work before it, has ended when the first row begins, but
  /// its own row and the host node of the turn before.
  bool can_begin_early(std::uint32_t host, const Turns& turns) const {
    const std::uint32_t first = turns.rows.front(),
                        last = turns.hosts.empty() ? kNoIndex : turns.hosts.back();
    const auto has_ended = [&](std::uint32_t source) {
      return source < first && known_.end_ns(source, first) <= known_.start_ns(first);
    };
    const std::uint32_t before = known_.ran_before(host);
    const auto on = nodes_.on.of(host);
    return (before == last || (last == kNoIndex && has_ended(before))) &&
           std::all_of(on.begin(), on.end(), [&](std::uint32_t source) {
             return source == turns.rows.back() || source == last || has_ended(source);
           });
  }

  /// Or by what waits for `last`, too.
  bool is_waited_for_only_by(std::uint32_t n, std::initializer_list<std::uint32_t> waiters,
                             std::uint32_t last) const {
    const auto behind = nodes_.behind.of(n);
    return std::all_of(behind.begin(), behind.end(), [&](std::uint32_t waiter) {
      const auto on = nodes_.on.of(waiter);
      return std::find(waiters.begin(), waiters.end(), waiter) != waiters.end() ||
             std::find(on.begin(), on.end(), last) != on.end();
    });
  }

  const OrderedNodes& nodes_;
  const KnownTimes& known_;
};

}  // namespace

bool let_hosts_run_first(const OrderedNodes& nodes, const KnownTimes& known, JobRank& rank) {
  const std::vector<Turns> found = TurnFinder(nodes, known).find();
  if (found.empty()) return false;
  std::vector<std::vector<std::uint32_t>> on(nodes.size());
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const auto sources = nodes.on.of(n);
    on[n].assign(sources.begin(), sources.end());
  }
  std::vector<std::uint32_t> moves_before(nodes.size(), kNoIndex);  // by first row: into `found`
  std::vector<bool> moves(nodes.size(), false);
  for (std::uint32_t t = 0; t < found.size(); ++t) {
    const auto& [rows, hosts] = found[t];
    moves_before[rows.front()] = t;
    std::erase(on[hosts.front()], rows.front());
    on[hosts.front()].insert(on[hosts.front()].end(), on[rows.front()].begin(),
                             on[rows.front()].end());
    for (std::size_t i = 1; i < hosts.size(); ++i) {
      std::erase(on[hosts[i]], rows[i]);
      on[hosts[i]].push_back(hosts[i - 1]);
    }
    on[rows.front()].push_back(hosts.back());
    for (std::size_t i = 1; i < rows.size(); ++i) on[rows[i]] = {rows[i - 1]};
    for (const std::uint32_t host : hosts) moves[host] = true;
  }
  const std::vector<std::uint32_t> fine = rank.order;
  rank.order.clear();
  rank.dependencies.clear();
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    if (moves_before[n] != kNoIndex)
      for (const std::uint32_t host : found[moves_before[n]].hosts)
        rank.order.push_back(fine[host]);
    if (!moves[n]) rank.order.push_back(fine[n]);
    for (const std::uint32_t source : on[n]) rank.dependencies.push_back({fine[n], fine[source]});
  }
  return true;
}

}  // namespace nadi::astra_sim
