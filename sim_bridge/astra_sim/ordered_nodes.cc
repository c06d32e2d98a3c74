#include "nadi/sim_bridge/astra_sim/ordered_nodes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "nadi/sim_bridge/astra_sim/write_files.h"

namespace nadi::astra_sim {
namespace {

/// Nodes and dependencies that all searches may visit, one search for each chain: some seconds.
constexpr std::size_t kMostVisits = 1'000'000'000;

}  // namespace

void OrderedNodes::link(Adjacency sources) {
  on = std::move(sources);
  behind = reversed(size(), [&](std::size_t n) { return on.of(n); });
}

OrderedNodes ordered_nodes(const JobRank& rank) {
  OrderedNodes nodes;
  std::vector<std::uint32_t> position(rank.size(), kNoIndex);
  for (std::uint32_t n = 0; n < rank.order.size(); ++n) position[rank.order[n]] = n;
  const std::vector<std::uint64_t> micros = whole_micros(rank);
  std::uint32_t last_of_slot[kSlots] = {kNoIndex, kNoIndex, kNoIndex, kNoIndex};
  std::map<std::uint32_t, std::uint32_t> last_of_lane;
  for (std::uint32_t n = 0; n < rank.order.size(); ++n) {
    const std::uint32_t node = rank.order[n];
    nodes.slot.push_back(slot_of(rank.type[node], rank.is_host[node] != 0));
    nodes.lane.push_back(rank.lane[node]);
    nodes.ns.push_back(std::max(static_cast<Ns>(micros[node]) * kNsPerMicro, kShortestNode));
    std::uint32_t& slot = last_of_slot[static_cast<std::size_t>(nodes.slot.back())];
    nodes.before_in_slot.push_back(std::exchange(slot, n));
    const auto [lane, is_new] = last_of_lane.try_emplace(rank.lane[node], n);
    nodes.before_in_lane.push_back(is_new ? kNoIndex : std::exchange(lane->second, n));
  }
  const Adjacency by_node = dependencies_by_node(rank);
  Adjacency sources;
  for (const std::uint32_t node : rank.order) {
    for (const std::uint32_t on : by_node.of(node))
      if (position[on] != kNoIndex) sources.node.push_back(position[on]);
    sources.end_node();
  }
  nodes.link(std::move(sources));
  return nodes;
}

HostRuns host_runs(const OrderedNodes& nodes, const std::vector<bool>& follows) {
  HostRuns runs{std::vector<std::uint32_t>(nodes.size(), 0), std::vector<Ns>(nodes.size(), 0)};
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    if (nodes.slot[n] != Slot::kHost) continue;
    const std::uint32_t before = follows[n] ? nodes.before_in_slot[n] : kNoIndex;
    runs.run[n] = before == kNoIndex ? ++runs.count : runs.run[before];
    runs.end[n] = whole_ns(nodes.ns[n]) + (before == kNoIndex ? 0 : runs.end[before]);
  }
  return runs;
}

ChainWaits waits_for_chain(const OrderedNodes& nodes, const std::vector<std::uint32_t>& chain) {
  ChainWaits waits{std::vector<std::uint32_t>(nodes.size(), 0),
                   std::vector<std::uint32_t>(nodes.size(), 0)};
  auto& [number, last] = waits;
  for (std::uint32_t i = 0; i < chain.size(); ++i) number[chain[i]] = i + 1;
  for (std::uint32_t n = chain.front() + 1; n < nodes.size(); ++n)
    for (const std::uint32_t on : nodes.on.of(n))
      last[n] = std::max({last[n], number[on], last[on]});
  return waits;
}

void find_waited_for(const OrderedNodes& nodes, const ChainWaits& waits,
                     std::vector<bool>& is_waited_for) {
  const auto& [number, last] = waits;
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    if (last[n] == 0 || number[n] == last[n] + 1) continue;
    for (const std::uint32_t on : nodes.on.of(n))
      if (number[on] == last[n]) is_waited_for[on] = true;
  }
}

std::vector<std::vector<std::uint32_t>> chains_of(const OrderedNodes& nodes, Slot slot) {
  std::vector<std::vector<std::uint32_t>> chains;
  std::vector<std::uint32_t> ended_by(nodes.size(), kNoIndex);  // the chain whose last node it is
  std::vector<bool> has_neighbours;
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    if (nodes.slot[n] != slot || nodes.lane[n] == kNoIndex) continue;
    const auto on = nodes.on.of(n);
    const auto can_follow = [&](std::uint32_t before) {
      return before != kNoIndex && ended_by[before] != kNoIndex &&
             std::find(on.begin(), on.end(), before) != on.end();
    };
    const bool is_neighbour = can_follow(nodes.before_in_slot[n]);
    const std::uint32_t before = is_neighbour ? nodes.before_in_slot[n] : nodes.before_in_lane[n];
    std::uint32_t& chain = ended_by[n];
    if (is_neighbour || can_follow(before)) {
      chain = std::exchange(ended_by[before], kNoIndex);
    } else {
      chain = static_cast<std::uint32_t>(chains.size());
      chains.emplace_back();
      has_neighbours.push_back(false);
    }
    chains[chain].push_back(n);
    if (is_neighbour) has_neighbours[chain] = true;
  }
  std::vector<std::vector<std::uint32_t>> wanted;
  for (std::size_t i = 0; i < chains.size(); ++i)
    if (has_neighbours[i]) wanted.push_back(std::move(chains[i]));
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  const std::size_t most = kMostVisits / (nodes.size() + nodes.on.node.size() + 1);
  if (wanted.size() > most) wanted.resize(most);
  return wanted;
}

}  // namespace nadi::astra_sim
