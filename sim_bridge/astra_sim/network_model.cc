#include "nadi/sim_bridge/astra_sim/network_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "nadi/sim_bridge/astra_sim/collective_steps.h"

namespace nadi::astra_sim {
namespace {

using namespace ChakraProtoMsg;

constexpr std::int64_t kMostNpus = 1 << 16;
constexpr std::int64_t kMostSplits = 1 << 16;
constexpr double kMostStepBytes = 0x1p60;    // in all messages of a step
constexpr double kMostFollowed = 4'000'000;  // steps, of all members together
constexpr double kMostFollowedFromStarts = 100'000;
constexpr Ns kEndpointDelayOfPart = 10;     // of collectives of a part of the ranks
constexpr double kGigabyteOfLink = 0x1p30;  // memory's is 10^9
constexpr double kNsPerSecond = 1e9;
constexpr std::int64_t kReductionPasses = 3;  // one write, two reads

// What the steps cost.

/// Members on one dimension.
class Links {
 public:
  /// `places`: of the members on the dimension; empty = they are all of it.
  Links(const NetworkDimension& dimension, NetworkBackend backend, std::vector<std::int64_t> places)
      : dimension_(dimension),
        bytes_per_ns_(dimension.bandwidth_gb_per_s * kGigabyteOfLink / kNsPerSecond),
        backend_(backend),
        places_(std::move(places)) {}

  std::int64_t size() const { return places_.empty() ? dimension_.npus : std::ssize(places_); }
  bool is_part() const { return !places_.empty(); }
  bool is_ring() const { return dimension_.topology == Topology::kRing; }

  /// Whether what one member does, all do.
  bool is_symmetric() const {
    if (!is_ring() || places_.empty()) return true;
    if (dimension_.npus % size() != 0) return false;
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (places_[i] - places_[0] != static_cast<std::int64_t>(i) * (dimension_.npus / size()))
        return false;
    return true;
  }
  bool is_ascending() const {
    return std::adjacent_find(places_.begin(), places_.end(), std::greater_equal<>()) ==
           places_.end();
  }

  /// ns
  Ns send(std::int64_t from, std::int64_t to, std::int64_t bytes) const {
    return whole(hops(from, to), bytes);
  }
  /// ns, not truncated; no message takes longer.
  double longest_send(std::int64_t bytes) const {
    const auto most =
        static_cast<double>(is_ring() ? std::max<std::int64_t>(dimension_.npus / 2, 1) : 2);
    const double transfer = static_cast<double>(bytes) / bytes_per_ns_;
    return most * dimension_.latency_ns +
           (backend_ == NetworkBackend::kAware ? most : 1) * transfer;
  }

 private:
  std::int64_t place(std::int64_t member) const {
    return places_.empty() ? member : places_[static_cast<std::size_t>(member)];
  }
  std::int64_t hops(std::int64_t from, std::int64_t to) const {
    if (dimension_.topology == Topology::kSwitch) return 2;
    if (dimension_.topology == Topology::kFullyConnected) return 1;
    const std::int64_t distance = std::abs(place(from) - place(to));
    return std::min(distance, dimension_.npus - distance);
  }
  /// The aware backend stores the whole message at each hop.
  Ns whole(std::int64_t hops, std::int64_t bytes) const {
    const double transfer = static_cast<double>(bytes) / bytes_per_ns_;
    if (backend_ == NetworkBackend::kAware)
      return hops * static_cast<Ns>(dimension_.latency_ns + transfer);
    return static_cast<Ns>(static_cast<double>(hops) * dimension_.latency_ns + transfer);
  }

  const NetworkDimension& dimension_;
  double bytes_per_ns_;
  NetworkBackend backend_;
  std::vector<std::int64_t> places_;
};

struct Endpoint {
  Ns delay_ns;  ///< before each message, and at the end
  double memory_gb_per_s;

  Ns reduce(std::int64_t bytes) const {
    return kReductionPasses * static_cast<Ns>(static_cast<double>(bytes) / memory_gb_per_s);
  }
};

/// The ends of a chunk on each member, or on all of them where one stands for all.
using Times = std::vector<Ns>;

/// Follows one algorithm over one dimension.
class Follower {
 public:
  /// `starts_alike`: all members issue it at one time.
  Follower(const Algorithm& algorithm, const Links& links, Endpoint endpoint, std::int64_t chunk,
           bool starts_alike = true)
      : algorithm_(algorithm),
        links_(links),
        endpoint_(endpoint),
        chunk_(chunk),
        steps_(steps_of(algorithm, {links.size(), links.is_part()}, chunk)),
        is_symmetric_(starts_alike && algorithm.pattern != Pattern::kTwoTrees &&
                      links.is_symmetric()),
        goes_by_distance_(algorithm.pattern == Pattern::kAllAtOnce &&
                          (links.is_ring() || !starts_alike)) {}

  /// The ends of chunks that run one at a time; std::nullopt where that takes too many steps.
  std::optional<Times> ends(Times starts, std::int64_t chunks) const {
    if (longest() * static_cast<double>(chunks) > kLongestSum ||
        followed() * static_cast<double>(chunks) > kMostFollowedFromStarts)
      return std::nullopt;
    for (std::int64_t i = 0; i < chunks; ++i) starts = ends_of(starts, i);
    return starts;
  }

  /// ns of `chunks` chunks, of which each member runs `slots` at a time; std::nullopt where that is
  /// out of bounds.
  std::optional<Ns> time(std::int64_t chunks, std::int64_t slots) const {
    if (longest() * static_cast<double>(chunks) > kLongestSum) return std::nullopt;
    const double repeats = is_symmetric_ ? 1 : static_cast<double>(chunks);
    if (followed() * repeats > kMostFollowed) return std::nullopt;
    if (is_symmetric_) {
      const std::int64_t rounds = chunks / slots + (chunks % slots != 0);
      return rounds * ends_of({0}, 0).front();
    }
    if (slots > 1 && algorithm_.pattern != Pattern::kTwoTrees) return std::nullopt;
    const auto members = static_cast<std::size_t>(links_.size());
    std::vector<Times> free(static_cast<std::size_t>(std::min(slots, chunks)), Times(members, 0));
    for (std::int64_t i = 0; i < chunks; ++i) {
      Times& slot = free[static_cast<std::size_t>(i) % free.size()];
      slot = ends_of(slot, i);
    }
    Ns end = 0;
    for (const Times& slot : free) end = std::max(end, *std::max_element(slot.begin(), slot.end()));
    return end;
  }

 private:
  /// Bounds the time of a chunk.
  double longest() const {
    double sum = 0;
    for (const Step& step : steps_)
      sum += static_cast<double>(step.repeats) *
             (static_cast<double>(endpoint_.delay_ns) + links_.longest_send(step.bytes) +
              static_cast<double>(step.reductions * kReductionPasses) *
                  static_cast<double>(step.bytes) / endpoint_.memory_gb_per_s);
    return sum + 2 * static_cast<double>(endpoint_.delay_ns);
  }

  /// Messages that are looked at one by one for a chunk.
  double followed() const {
    const auto members = static_cast<double>(links_.size());
    if (algorithm_.pattern == Pattern::kTwoTrees) return members;
    if (goes_by_distance_) return is_symmetric_ ? members : members * members;
    double rounds = 0;
    for (const Step& step : steps_)
      rounds += is_symmetric_ ? 1 : static_cast<double>(step.repeats) * members;
    return rounds;
  }

  Times ends_of(const Times& start, std::int64_t chunk) const {
    if (algorithm_.pattern == Pattern::kTwoTrees) return tree_ends(start, chunk % 2 != 0);
    if (goes_by_distance_) return at_once_ends(start);
    return step_ends(start);
  }

  Times step_ends(Times done) const {
    for (const Step& step : steps_) {
      const Ns reduction = step.reductions * endpoint_.reduce(step.bytes);
      if (is_symmetric_)
        done[0] += step.repeats *
                   (endpoint_.delay_ns + links_.send(0, step.distance, step.bytes) + reduction);
      else
        for (std::int64_t i = 0; i < step.repeats; ++i) done = after_step(done, step, reduction);
    }
    for (Ns& end : done) end += endpoint_.delay_ns;
    return done;
  }

  Times after_step(const Times& done, const Step& step, Ns reduction) const {
    Times next = done;
    for (std::size_t from = 0; from < done.size(); ++from) {
      const auto distance = static_cast<std::size_t>(step.distance);
      const std::size_t to = algorithm_.pattern == Pattern::kPowersOfTwo
                                 ? from ^ distance
                                 : (from + distance) % done.size();
      const Ns sent =
          links_.send(static_cast<std::int64_t>(from), static_cast<std::int64_t>(to), step.bytes);
      next[to] = std::max(done[to], done[from] + endpoint_.delay_ns + sent);
    }
    for (Ns& time : next) time += reduction;
    return next;
  }

  /// Where pieces arrive at different times: by distance on a Ring, or as members start.
  Times at_once_ends(const Times& start) const {
    Times ends(start.size(), 0);
    const Ns reduction = steps_[0].reductions * endpoint_.reduce(steps_[0].bytes);
    for (std::size_t member = 0; member < start.size(); ++member) {
      const Times arrivals = arrivals_at(member, start);
      if (algorithm_.passes == 1)
        ends[member] = arrivals.back() + reduction + endpoint_.delay_ns;
      else
        send_reduced(member, arrivals, reduction, ends);
    }
    return ends;
  }

  /// Ascending.
  Times arrivals_at(std::size_t member, const Times& start) const {
    const auto to = static_cast<std::int64_t>(member);
    Times arrivals;
    for (std::int64_t from = 0; from < links_.size(); ++from) {
      if (from == to) continue;
      const Ns left = start[is_symmetric_ ? 0 : static_cast<std::size_t>(from)];
      arrivals.push_back(left + endpoint_.delay_ns + links_.send(from, to, steps_[0].bytes));
    }
    std::sort(arrivals.begin(), arrivals.end());
    const Ns own = start[is_symmetric_ ? 0 : member];  // a piece that is early waits for it
    for (Ns& arrival : arrivals) arrival = std::max(arrival, own);
    return arrivals;
  }

  /// The message to the k-th next member leaves when the k-th piece is reduced, and not before the
  /// first piece that is reduced no earlier than the last one arrives.
  void send_reduced(std::size_t member, const Times& arrivals, Ns reduction, Times& ends) const {
    const auto first =
        std::lower_bound(arrivals.begin(), arrivals.end(), arrivals.back() - reduction);
    for (std::size_t k = 1; k <= arrivals.size(); ++k) {
      const Ns leaves = std::max(arrivals[k - 1], *first) + reduction + endpoint_.delay_ns;
      const auto from = static_cast<std::int64_t>(member);
      const std::int64_t to = (from + static_cast<std::int64_t>(k)) % links_.size();
      Ns& end = ends[is_symmetric_ ? 0 : static_cast<std::size_t>(to)];
      end = std::max(end, leaves + links_.send(from, to, steps_[0].bytes) + endpoint_.delay_ns);
    }
  }

  /// Member 0 is the root and has one child, the root of a complete tree of all others in order;
  /// the mirrored tree numbers the members from the last. A node at `height` h has its children
  /// 2^(h-1) on either side.
  struct Tree {
    const Follower& of;
    const Times& start;
    bool is_mirrored;
    Times ends;

    std::size_t member(std::int64_t node) const {
      const auto at = static_cast<std::size_t>(node);
      return is_mirrored ? start.size() - 1 - at : at;
    }
    Ns send(std::int64_t from, std::int64_t to) const {
      return of.endpoint_.delay_ns + of.links_.send(static_cast<std::int64_t>(member(from)),
                                                    static_cast<std::int64_t>(member(to)),
                                                    of.chunk_);
    }
    std::vector<std::int64_t> children(std::int64_t node, std::int64_t half) const {
      if (node == 0) return {half};
      if (half == 0) return {};
      return {node - half, node + half};
    }

    Ns go_up(std::int64_t node, std::int64_t half) {
      Ns time = start[member(node)];
      const auto below = children(node, half);
      for (const std::int64_t child : below)
        time = std::max(time, go_up(child, half / 2) + send(child, node));
      return time + (below.empty() ? 0 : of.endpoint_.reduce(of.chunk_));
    }
    void go_down(std::int64_t node, std::int64_t half, Ns time) {
      ends[member(node)] = time + of.endpoint_.delay_ns;
      for (const std::int64_t child : children(node, half)) {
        const bool is_leaf = children(child, half / 2).empty();
        go_down(child, half / 2,
                time + send(node, child) + (is_leaf ? 0 : of.endpoint_.reduce(of.chunk_)));
      }
    }
  };

  Times tree_ends(const Times& start, bool is_mirrored) const {
    Tree tree{*this, start, is_mirrored, Times(start.size())};
    const std::int64_t half = links_.size() / 2;
    tree.go_down(0, half, tree.go_up(0, half));
    return std::move(tree.ends);
  }

  const Algorithm& algorithm_;
  const Links& links_;
  Endpoint endpoint_;
  std::int64_t chunk_;
  std::vector<Step> steps_;
  bool is_symmetric_;
  bool goes_by_distance_;
};

// Chunks and dimensions.

struct Chunks {
  std::int64_t bytes;  ///< of each, a remainder's too
  std::int64_t count;
};

std::optional<Chunks> chunks_of(const Collective& collective, std::int64_t npus,
                                const CollectiveSystem& system) {
  if (collective.bytes < 1) return std::nullopt;
  std::int64_t bytes = collective.bytes, chunk = bytes / system.dataset_splits;
  if (chunk < npus && collective.type != ALL_GATHER) {
    chunk = npus;
    bytes = system.dataset_splits * chunk;
  }
  if (chunk == 0) return std::nullopt;
  if (static_cast<double>(chunk) * static_cast<double>(npus) > kMostStepBytes) return std::nullopt;
  return Chunks{chunk, bytes / chunk + (bytes % chunk != 0)};
}

bool is_at_least(double number, double least) { return std::isfinite(number) && number >= least; }

/// Also bounds all arithmetic, with chunks_of and Follower::time.
bool is_measurable(const Network& network) {
  for (const NetworkDimension& dimension : network.dimensions)
    if (dimension.npus < 2 || !is_at_least(dimension.latency_ns, 0) ||
        !is_at_least(dimension.bandwidth_gb_per_s, 1e-9))
      return false;
  return npus_of(network) > 0;
}

bool is_measurable(const CollectiveSystem& system) {
  return system.dataset_splits >= 1 && system.dataset_splits <= kMostSplits &&
         system.active_chunks >= 1 && system.endpoint_delay_ns >= 1 &&
         is_at_least(system.memory_gb_per_s, 1e-9);
}

/// Whether runs of it were measured among so many members.
bool is_covered(const Algorithm& algorithm, std::int64_t members, bool is_part) {
  const bool needs_powers =
      algorithm.pattern == Pattern::kPowersOfTwo || algorithm.pattern == Pattern::kTwoTrees;
  if (needs_powers && !std::has_single_bit(static_cast<std::uint64_t>(members))) return false;
  return algorithm.pattern != Pattern::kTwoTrees || !is_part;
}

/// A collective on one dimension.
struct OneDimension {
  const Algorithm& algorithm;
  Links links;
  Endpoint endpoint;
  Chunks chunks;
};

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
    const Links links(dimension, network.backend, {});
    const auto time =
        Follower(*algorithm, links, {system.endpoint_delay_ns, system.memory_gb_per_s}, phase.bytes)
            .time(1, 1);
    if (!time) return std::nullopt;
    times.push_back({phase.dimension, *time});
    longest += static_cast<double>(*time) * static_cast<double>(chunks->count);
  }
  if (longest > kLongestSum) return std::nullopt;
  return run_phases(times, chunks->count, system.active_chunks, network.dimensions.size());
}

/// Two dimensions as one: without Rings, messages cost the same on both.
std::optional<NetworkDimension> joined(const Network& network) {
  NetworkDimension one = network.dimensions.front();
  if (network.dimensions.size() == 1) return one;
  const NetworkDimension& other = network.dimensions.back();
  if (network.dimensions.size() > 2 || one.topology == Topology::kRing ||
      one.topology != other.topology || one.latency_ns != other.latency_ns ||
      one.bandwidth_gb_per_s != other.bandwidth_gb_per_s)
    return std::nullopt;
  one.npus = npus_of(network);
  return one;
}

/// Two different ranks at least, all below `npus`.
bool are_members(const std::vector<std::int64_t>& members, std::int64_t npus) {
  std::vector<std::int64_t> sorted = members;
  std::sort(sorted.begin(), sorted.end());
  return sorted.size() > 1 && sorted.front() >= 0 && sorted.back() < npus &&
         std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

bool is_part(const Collective& collective, const Network& network) {
  return !collective.members.empty() && std::ssize(collective.members) != npus_of(network);
}

bool is_runnable(const Collective& collective, const Network& network,
                 const CollectiveSystem& system) {
  if (!is_measurable(network) || !is_measurable(system)) return false;
  const std::size_t dimensions = network.dimensions.size();
  if (dimensions > (network.backend == NetworkBackend::kAware ? 1U : 2U)) return false;
  const auto list = implementations_of(collective.type);
  return list != nullptr && !(system.*list).empty() &&
         (collective.members.empty() || are_members(collective.members, npus_of(network)));
}

/// `dimension`: that of the network, or its two equal ones as one.
std::optional<OneDimension> on_joined(const Collective& collective,
                                      const NetworkDimension& dimension, const Network& network,
                                      const CollectiveSystem& system) {
  const auto& implementations = system.*implementations_of(collective.type);
  if (implementations.size() > network.dimensions.size()) return std::nullopt;
  // A list of two makes each part a ring (measured on networks of two equal dimensions).
  const Implementation implementation =
      implementations.size() == 2 ? Implementation::kRing : implementations.front();
  return on_one(collective, dimension, network.backend,
                is_part(collective, network) ? collective.members : std::vector<std::int64_t>{},
                implementation, system);
}

/// All ranks, listed in any order, meet in ascending order.
std::optional<Times> ends_of_all(Collective collective, const Times& starts, const Network& network,
                                 const CollectiveSystem& system) {
  const std::vector<std::int64_t> members = std::exchange(collective.members, {});
  Times by_rank(starts.size());
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
  if (name == "Switch") return Topology::kSwitch;
  if (name == "FullyConnected") return Topology::kFullyConnected;
  if (name == "Ring") return Topology::kRing;
  return std::nullopt;
}

std::string_view to_string(Topology topology) {
  switch (topology) {
    case Topology::kSwitch:
      return "Switch";
    case Topology::kFullyConnected:
      return "FullyConnected";
    case Topology::kRing:
      return "Ring";
  }
  return "";
}

std::int64_t npus_of(const Network& network) {
  std::int64_t product = network.dimensions.empty() ? 0 : 1;
  for (const NetworkDimension& dimension : network.dimensions) {
    if (dimension.npus < 1 || dimension.npus > kMostNpus) return 0;
    product *= dimension.npus;
    if (product > kMostNpus) return 0;
  }
  return product;
}

std::vector<Implementation> CollectiveSystem::*implementations_of(std::int64_t type) {
  switch (type) {
    case ALL_REDUCE:
      return &CollectiveSystem::all_reduce;
    case ALL_GATHER:
      return &CollectiveSystem::all_gather;
    case REDUCE_SCATTER:
      return &CollectiveSystem::reduce_scatter;
    case ALL_TO_ALL:
      return &CollectiveSystem::all_to_all;
    default:
      return nullptr;
  }
}

std::optional<Ns> collective_time(const Collective& collective, const Network& network,
                                  const CollectiveSystem& system) {
  if (!is_runnable(collective, network, system)) return std::nullopt;
  const auto& implementations = system.*implementations_of(collective.type);
  if (network.dimensions.size() == 2 && !is_part(collective, network))
    return time_on_several(collective, network, implementations, system);
  const auto dimension = joined(network);
  const auto one = dimension ? on_joined(collective, *dimension, network, system) : std::nullopt;
  if (!one) return std::nullopt;
  return Follower(one->algorithm, one->links, one->endpoint, one->chunks.bytes)
      .time(one->chunks.count, system.active_chunks);
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
  const auto dimension = joined(network);
  const auto one = on_joined(collective, *dimension, network, system);
  if (one->links.size() != std::ssize(starts_ns)) return std::nullopt;
  return Follower(one->algorithm, one->links, one->endpoint, one->chunks.bytes, false)
      .ends(starts_ns, one->chunks.count)
      .value_or(latest);
}

std::optional<Ns> message_time(std::int64_t source, std::int64_t destination, std::int64_t bytes,
                               const Network& network) {
  if (!is_measurable(network)) return std::nullopt;
  const std::int64_t npus = npus_of(network);
  if (network.backend == NetworkBackend::kAware && network.dimensions.size() > 1)
    return std::nullopt;
  if (bytes < 1 || static_cast<double>(bytes) > kMostStepBytes || source == destination ||
      source < 0 || source >= npus || destination < 0 || destination >= npus)
    return std::nullopt;
  const auto dimension = joined(network);
  if (!dimension) return std::nullopt;
  const Links links(*dimension, network.backend, {});
  if (links.longest_send(bytes) > kLongestSum) return std::nullopt;
  return links.send(source, destination, bytes);
}

}  // namespace nadi::astra_sim
