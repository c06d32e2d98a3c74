#include "nadi/sim_bridge/astra_analytical/algorithm_times.h"

#include <algorithm>
#include <utility>

namespace nadi::astra_sim {
namespace {

constexpr double kMostFollowed = 4'000'000;  // steps, of all members together
constexpr double kMostFollowedFromStarts = 100'000;
constexpr std::int64_t kReductionPasses = 3;  // one write, two reads

/// The ends of a chunk on each member, or on all of them where one stands for all.
using Times = std::vector<Ns>;

/// Follows one algorithm over one dimension.
class Follower {
 public:
  /// `starts_alike`: all members issue it at one time.
  explicit Follower(const OneDimension& collective, bool starts_alike = true)
      : algorithm_(collective.algorithm),
        links_(collective.links),
        endpoint_(collective.endpoint),
        chunk_(collective.chunks.bytes),
        steps_(steps_of(algorithm_, {links_.size(), links_.is_part()}, chunk_)),
        is_symmetric_(starts_alike && algorithm_.pattern != Pattern::kTwoTrees &&
                      links_.is_symmetric()),
        goes_by_distance_(algorithm_.pattern == Pattern::kAllAtOnce &&
                          (links_.is_ring() || !starts_alike)) {}

  std::optional<Times> ends(Times starts, std::int64_t chunks) const {
    if (longest() * static_cast<double>(chunks) > kLongestSum ||
        followed() * static_cast<double>(chunks) > kMostFollowedFromStarts)
      return std::nullopt;
    for (std::int64_t i = 0; i < chunks; ++i) starts = ends_of(starts, i);
    return starts;
  }

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
}  // namespace

Ns Endpoint::reduce(std::int64_t bytes) const {
  return kReductionPasses * static_cast<Ns>(static_cast<double>(bytes) / memory_gb_per_s);
}

std::optional<Ns> algorithm_time(const OneDimension& collective, std::int64_t slots) {
  return Follower(collective).time(collective.chunks.count, slots);
}

std::optional<std::vector<Ns>> algorithm_ends(const OneDimension& collective,
                                              std::vector<Ns> starts_ns) {
  return Follower(collective, false).ends(std::move(starts_ns), collective.chunks.count);
}

}  // namespace nadi::astra_sim
