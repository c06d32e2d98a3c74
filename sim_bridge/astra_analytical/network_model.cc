#include "nadi/sim_bridge/astra_analytical/network_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <queue>
#include <string>
#include <tuple>
#include <utility>

#include "nadi/sim_bridge/astra_analytical/algorithm_times.h"
#include "nadi/sim_bridge/astra_analytical/collective_steps.h"
#include "nadi/sim_bridge/astra_analytical/dimension_links.h"

namespace nadi::astra_sim {
namespace {

using namespace ChakraProtoMsg;

constexpr ImplementationSetting kSettings[] = {
    {ALL_REDUCE, "all-reduce-implementation", &CollectiveSystem::all_reduce},
    {ALL_GATHER, "all-gather-implementation", &CollectiveSystem::all_gather},
    {REDUCE_SCATTER, "reduce-scatter-implementation", &CollectiveSystem::reduce_scatter},
    {ALL_TO_ALL, "all-to-all-implementation", &CollectiveSystem::all_to_all},
};

constexpr std::int64_t kMostNpus = 1 << 16;
constexpr double kMostStepBytes = 0x1p60;  // in all messages of a step
constexpr Ns kEndpointDelayOfPart = 10;    // of collectives of a part of the ranks

/// Of at least least_bytes.
std::optional<Chunks> chunks_of(const Collective& collective, std::int64_t npus,
                                const CollectiveSystem& system) {
  std::int64_t bytes = collective.bytes, chunk = bytes / system.dataset_splits;
  if (chunk < npus && collective.type != ALL_GATHER) {
    chunk = npus;
    bytes = system.dataset_splits * chunk;
  }
  if (static_cast<double>(chunk) * static_cast<double>(npus) > kMostStepBytes) return std::nullopt;
  return Chunks{chunk, bytes / chunk + (bytes % chunk != 0)};
}

bool is_at_least(double number, double least) { return std::isfinite(number) && number >= least; }

/// What of it was not measured, whatever is sent; nullptr = nothing. With chunks_of and
/// algorithm_time it also bounds all arithmetic.
const char* flaw_of(const Network& network) {
  if (network.backend == NetworkBackend::kAware && network.dimensions.size() > 1)
    return "several dimensions, which the congestion-aware program refuses,";
  if (network.dimensions.size() > 2) return "more than two dimensions";
  for (const NetworkDimension& dimension : network.dimensions) {
    if (dimension.npus < 2) return "a dimension of one NPU";
    if (!is_at_least(dimension.latency_ns, 0)) return "a latency below 0";
    if (!is_at_least(dimension.bandwidth_gb_per_s, 1e-9)) return "a bandwidth of 0";
  }
  if (network.dimensions.empty()) return "no dimension";
  return npus_of(network) > kMostNpus ? "more than 65,536 NPUs" : nullptr;
}

const char* flaw_of(const CollectiveSystem& system) {
  if (system.dataset_splits < 1 || system.dataset_splits > kMostDatasetSplits)
    return "more than 65,536 dataset splits";
  if (system.active_chunks < 1) return "no active chunk";
  if (system.endpoint_delay_ns < 1) return "an endpoint delay of 0";
  return is_at_least(system.memory_gb_per_s, 1e-9) ? nullptr : "a memory bandwidth of 0";
}

/// Whether runs of it were measured among so many members.
bool is_covered(const Algorithm& algorithm, std::int64_t members, bool is_part) {
  const bool needs_powers =
      algorithm.pattern == Pattern::kPowersOfTwo || algorithm.pattern == Pattern::kTwoTrees;
  if (needs_powers && !std::has_single_bit(static_cast<std::uint64_t>(members))) return false;
  return algorithm.pattern != Pattern::kTwoTrees || !is_part;
}

/// `places`: empty = all NPUs of the dimension. std::nullopt = no run of it was measured.
std::optional<OneDimension> on_one(const Collective& collective, const NetworkDimension& dimension,
                                   NetworkBackend backend, std::vector<std::int64_t> places,
                                   Implementation implementation, const CollectiveSystem& system) {
  const auto chunks = chunks_of(collective, dimension.npus, system);
  const Algorithm* const algorithm = find_algorithm(collective.type, implementation);
  if (!chunks || algorithm == nullptr) return std::nullopt;
  const Links links(dimension, backend, std::move(places));
  if (!is_covered(*algorithm, links.size(), links.is_part())) return std::nullopt;
  if (links.is_ring() && !links.is_ascending()) return std::nullopt;
  if (backend == NetworkBackend::kAware &&
      (implementation != Implementation::kRing || system.active_chunks > 1 || links.is_part()))
    return std::nullopt;
  const Endpoint endpoint{links.is_part() ? kEndpointDelayOfPart : system.endpoint_delay_ns,
                          system.memory_gb_per_s};
  return OneDimension{*algorithm, links, endpoint, *chunks};
}

/// What a chunk does on one of several dimensions.
struct Phase {
  std::size_t dimension;
  CollectiveCommType type;
  std::int64_t bytes;
};

/// ALL_REDUCE scatters over all dimensions but the last, and gathers on the way back.
std::vector<Phase> phases_of(std::int64_t type, std::int64_t chunk, const Network& network) {
  const auto& dimensions = network.dimensions;
  const std::size_t last = dimensions.size() - 1;
  std::vector<Phase> phases;
  std::int64_t bytes = chunk;
  if (type == REDUCE_SCATTER || type == ALL_REDUCE)
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      const bool is_turn = type == ALL_REDUCE && i == last;
      phases.push_back({i, is_turn ? ALL_REDUCE : REDUCE_SCATTER, bytes});
      if (i != last) bytes /= dimensions[i].npus;
    }
  if (type == ALL_GATHER || type == ALL_REDUCE)
    for (std::size_t i = type == ALL_REDUCE ? last : last + 1; i-- > 0;) {
      phases.push_back({i, ALL_GATHER, bytes});
      bytes *= dimensions[i].npus;
    }
  if (type == ALL_TO_ALL)
    for (std::size_t i = 0; i < dimensions.size(); ++i) phases.push_back({i, ALL_TO_ALL, bytes});
  return phases;
}

struct PhaseTime {
  std::size_t dimension;
  Ns time_ns;
};

/// Runs all chunks through the phases. Each dimension runs `slots` chunks at a time, first come
/// first served.
Ns run_phases(const std::vector<PhaseTime>& phases, std::int64_t chunks, std::int64_t slots,
              std::size_t dimensions) {
  struct Place {
    std::int64_t chunk;
    std::size_t phase;
  };
  using End = std::tuple<Ns, std::int64_t, std::int64_t, std::size_t>;  // time, order, chunk, phase
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  std::vector<std::deque<Place>> waiting(dimensions);
  std::vector<std::int64_t> free(dimensions, slots);
  std::int64_t started = 0;
  const auto start = [&](std::size_t dimension, Ns now) {
    for (auto& queue = waiting[dimension]; free[dimension] > 0 && !queue.empty();
         queue.pop_front()) {
      --free[dimension];
      const auto [chunk, phase] = queue.front();
      ends.emplace(now + phases[phase].time_ns, ++started, chunk, phase);
    }
  };
  for (std::int64_t i = 0; i < chunks; ++i) waiting[phases[0].dimension].push_back({i, 0});
  start(phases[0].dimension, 0);
  Ns now = 0;
  while (!ends.empty()) {
    const auto [time, order, chunk, phase] = ends.top();
    ends.pop();
    now = time;
    ++free[phases[phase].dimension];
    if (phase + 1 < phases.size())
      waiting[phases[phase + 1].dimension].push_back({chunk, phase + 1});
    start(phases[phase].dimension, now);
    if (phase + 1 < phases.size()) start(phases[phase + 1].dimension, now);
  }
  return now;
}

/// Of all ranks.
std::optional<Ns> time_on_several(const Collective& collective, const Network& network,
                                  const std::vector<Implementation>& implementations,
                                  const CollectiveSystem& system) {
  const auto chunks = chunks_of(collective, npus_of(network), system);
  if (!chunks || implementations.size() != network.dimensions.size()) return std::nullopt;
  std::vector<PhaseTime> times;
  double longest = 0;
  for (const Phase& phase : phases_of(collective.type, chunks->bytes, network)) {
    const NetworkDimension& dimension = network.dimensions[phase.dimension];
    const Implementation implementation = implementations[phase.dimension];
    const Algorithm* const algorithm = find_algorithm(phase.type, implementation);
    if (algorithm == nullptr || dimension.topology != Topology::kSwitch ||
        implementation == Implementation::kDirect1 || !is_covered(*algorithm, dimension.npus, true))
      return std::nullopt;
    const auto time = algorithm_time({*algorithm,
                                      Links(dimension, network.backend, {}),
                                      {system.endpoint_delay_ns, system.memory_gb_per_s},
                                      {phase.bytes, 1}},
                                     1);
    if (!time) return std::nullopt;
    times.push_back({phase.dimension, *time});
    longest += static_cast<double>(*time) * static_cast<double>(chunks->count);
  }
  if (longest > kLongestSum) return std::nullopt;
  return run_phases(times, chunks->count, system.active_chunks, network.dimensions.size());
}

/// What the messages between the ranks pay, as one dimension of all NPUs: without Rings that is the
/// same on two equal dimensions, and on others if all pass through one of them.
std::optional<NetworkDimension> joined(const Network& network,
                                       const std::vector<std::int64_t>& ranks) {
  NetworkDimension one = network.dimensions.front();
  if (network.dimensions.size() == 1) return one;
  NetworkDimension other = network.dimensions.back();
  if (network.dimensions.size() > 2 || one.topology == Topology::kRing ||
      other.topology == Topology::kRing)
    return std::nullopt;
  one.npus = other.npus = npus_of(network);
  if (one == other) return one;
  const auto dimension = dimension_between(ranks, network);
  if (!dimension) return std::nullopt;
  return *dimension == 0 ? one : other;
}

/// Two different ranks at least, all below `npus`.
bool are_members(const std::vector<std::int64_t>& members, std::int64_t npus) {
  std::vector<std::int64_t> sorted = members;
  std::sort(sorted.begin(), sorted.end());
  return sorted.size() > 1 && sorted.front() >= 0 && sorted.back() < npus &&
         std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

std::int64_t members_of(const Collective& collective, const Network& network) {
  return collective.members.empty() ? npus_of(network) : std::ssize(collective.members);
}

bool is_part(const Collective& collective, const Network& network) {
  return members_of(collective, network) != npus_of(network);
}

/// The one that a part of the ranks meets with. A list of two makes each part a ring (measured on
/// networks of two equal dimensions).
Implementation implementation_of_part(const std::vector<Implementation>& list) {
  return list.size() == 2 ? Implementation::kRing : list.front();
}

bool is_runnable(const Collective& collective, const Network& network,
                 const CollectiveSystem& system) {
  if (flaw_of(network) != nullptr || flaw_of(system) != nullptr) return false;
  const auto list = implementations_of(collective.type);
  return list != nullptr && !(system.*list).empty() &&
         collective.bytes >=
             least_bytes(collective.type, members_of(collective, network), network, system) &&
         (collective.members.empty() || are_members(collective.members, npus_of(network)));
}

/// `dimension`: that of the network, or its two equal ones as one.
std::optional<OneDimension> on_joined(const Collective& collective,
                                      const NetworkDimension& dimension, const Network& network,
                                      const CollectiveSystem& system) {
  const auto& implementations = system.*implementations_of(collective.type);
  if (implementations.size() > network.dimensions.size()) return std::nullopt;
  return on_one(collective, dimension, network.backend,
                is_part(collective, network) ? collective.members : std::vector<std::int64_t>{},
                implementation_of_part(implementations), system);
}

/// All ranks, listed in any order, meet in ascending order.
std::optional<std::vector<Ns>> ends_of_all(Collective collective, const std::vector<Ns>& starts,
                                           const Network& network, const CollectiveSystem& system) {
  const std::vector<std::int64_t> members = std::exchange(collective.members, {});
  std::vector<Ns> by_rank(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i)
    by_rank[static_cast<std::size_t>(members[i])] = starts[i];
  const auto ends = collective_ends(collective, by_rank, network, system);
  if (!ends) return std::nullopt;
  for (std::size_t i = 0; i < starts.size(); ++i)
    by_rank[i] = (*ends)[static_cast<std::size_t>(members[i])];
  return by_rank;
}

}  // namespace

std::optional<Topology> topology_named(std::string_view name) {
  for (const Topology topology : {Topology::kSwitch, Topology::kFullyConnected, Topology::kRing})
    if (to_string(topology) == name) return topology;
  return std::nullopt;
}

std::string_view to_string(Topology topology) {
  constexpr std::string_view kNames[] = {"Switch", "FullyConnected", "Ring"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Topology::kRing) + 1);
  return kNames[static_cast<std::size_t>(topology)];
}

std::int64_t npus_of(const Network& network) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::int64_t product = network.dimensions.empty() ? 0 : 1;
  for (const NetworkDimension& dimension : network.dimensions) {
    if (dimension.npus < 1) return 0;
    product = product > kMost / dimension.npus ? kMost : product * dimension.npus;
  }
  return product;
}

std::string npus_text(std::int64_t npus) {
  if (npus == std::numeric_limits<std::int64_t>::max()) return "more NPUs than can be counted";
  return std::to_string(npus) + " NPUs";
}

std::span<const ImplementationSetting> implementation_settings() { return kSettings; }

std::vector<Implementation> CollectiveSystem::*implementations_of(std::int64_t type) {
  for (const ImplementationSetting& row : kSettings)
    if (row.type == type) return row.list;
  return nullptr;
}

std::int64_t least_bytes(std::int64_t type, Implementation implementation, std::int64_t members,
                         std::int64_t npus, std::int64_t dataset_splits) {
  if (type == ALL_GATHER) return dataset_splits;
  const bool is_halved = type == ALL_REDUCE && implementation == Implementation::kHalvingDoubling;
  return is_halved && npus < 2 * members ? 2 * members * dataset_splits : 1;
}

std::int64_t least_bytes(std::int64_t type, std::int64_t members, const Network& network,
                         const CollectiveSystem& system) {
  const auto list = implementations_of(type);
  const std::int64_t npus = npus_of(network);
  const Implementation implementation = list == nullptr || (system.*list).empty()
                                            ? Implementation::kUnmeasured
                                        : members == npus ? (system.*list).back()
                                                          : implementation_of_part(system.*list);
  return least_bytes(type, implementation, members, npus, system.dataset_splits);
}

std::optional<Ns> collective_time(const Collective& collective, const Network& network,
                                  const CollectiveSystem& system) {
  if (!is_runnable(collective, network, system)) return std::nullopt;
  const auto& implementations = system.*implementations_of(collective.type);
  if (network.dimensions.size() == 2 && !is_part(collective, network))
    return time_on_several(collective, network, implementations, system);
  const auto dimension = joined(network, collective.members);
  const auto one = dimension ? on_joined(collective, *dimension, network, system) : std::nullopt;
  if (!one) return std::nullopt;
  return algorithm_time(*one, system.active_chunks);
}

std::optional<std::size_t> dimension_between(const std::vector<std::int64_t>& ranks,
                                             const Network& network) {
  if (ranks.empty() || network.dimensions.size() != 2) return std::nullopt;
  std::vector<std::int64_t> places;  // in the first dimension
  places.reserve(ranks.size());
  for (const std::int64_t rank : ranks) places.push_back(rank % network.dimensions.front().npus);
  std::sort(places.begin(), places.end());
  if (std::adjacent_find(places.begin(), places.end()) == places.end()) return 0;
  if (places.front() == places.back()) return 1;
  return std::nullopt;
}

std::optional<std::vector<Ns>> collective_ends(const Collective& collective,
                                               const std::vector<Ns>& starts_ns,
                                               const Network& network,
                                               const CollectiveSystem& system) {
  const auto time = collective_time(collective, network, system);
  if (!time || starts_ns.empty()) return std::nullopt;
  if (!is_part(collective, network) && !collective.members.empty())
    return ends_of_all(collective, starts_ns, network, system);
  const auto [first, last] = std::minmax_element(starts_ns.begin(), starts_ns.end());
  const std::vector<Ns> latest(starts_ns.size(), *last + *time);
  const bool is_hierarchical = network.dimensions.size() == 2 && !is_part(collective, network);
  if (*first == *last || is_hierarchical || system.active_chunks > 1) return latest;
  const auto dimension = joined(network, collective.members);
  const auto one = on_joined(collective, *dimension, network, system);
  if (one->links.size() != std::ssize(starts_ns)) return std::nullopt;
  return algorithm_ends(*one, starts_ns).value_or(latest);
}

std::optional<Ns> message_time(std::int64_t source, std::int64_t destination, std::int64_t bytes,
                               const Network& network) {
  if (flaw_of(network) != nullptr) return std::nullopt;
  const std::int64_t npus = npus_of(network);
  if (bytes < 1 || static_cast<double>(bytes) > kMostStepBytes || source == destination ||
      source < 0 || source >= npus || destination < 0 || destination >= npus)
    return std::nullopt;
  const auto dimension = joined(network, {source, destination});
  if (!dimension) return std::nullopt;
  const Links links(*dimension, network.backend, {});
  if (links.longest_send(bytes) > kLongestSum) return std::nullopt;
  return links.send(source, destination, bytes);
}

std::string unmeasured_setting(const Collective* collective, const Network& network,
                               const CollectiveSystem& system) {
  const char* flaw = flaw_of(network);
  if (flaw == nullptr && collective != nullptr) flaw = flaw_of(system);
  if (flaw != nullptr) return std::string("a network with ") + flaw + " was not measured";
  const bool is_among_all = collective != nullptr && !is_part(*collective, network);
  const auto& dimensions = network.dimensions;
  const auto is_switch = [](const auto& one) { return one.topology == Topology::kSwitch; };
  if (is_among_all && dimensions.size() > 1 &&
      !std::all_of(dimensions.begin(), dimensions.end(), is_switch))
    return "a network of two dimensions was measured with Switches only";
  if (!is_among_all &&
      !joined(network, collective == nullptr ? std::vector<std::int64_t>{} : collective->members))
    return "on two dimensions times among a part of the ranks are known only where both are alike, "
           "or all messages pass through one of them, and none is a Ring";
  if (collective == nullptr) return "";
  for (const ImplementationSetting& row : kSettings) {
    if (row.type != collective->type) continue;
    const auto& list = system.*row.list;
    if (list.empty()) return "the system file has no " + std::string(row.name);
    if (network.backend == NetworkBackend::kAware &&
        (!is_among_all || list.front() != Implementation::kRing || system.active_chunks > 1))
      return "the congestion-aware program was measured only with rings of all ranks and one "
             "active "
             "chunk";
  }
  return "";
}

}  // namespace nadi::astra_sim
