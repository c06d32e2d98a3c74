#include "nadi/sim_bridge/astra_sim/known_times.h"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <utility>

namespace nadi::astra_sim {
namespace {

constexpr Ns kUnknown = -1;

bool is_of_network(Slot slot) { return slot == Slot::kCommunication || slot == Slot::kNone; }

/// Runs the slots of host and device alone.
class TwoSlots {
 public:
  explicit TwoSlots(const OrderedNodes& nodes)
      : nodes_(nodes), left_(nodes.size()), start_ns_(nodes.size(), kUnknown) {
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
      left_[n] = static_cast<std::uint32_t>(nodes.on.of(n).size());
      if (left_[n] == 0) make_ready(n);
    }
  }

  std::vector<Ns> run() {
    issue();
    while (!ends_.empty() && !has_communicated_) {
      const std::uint32_t n = ends_.top().second;
      now_ = ends_.top().first;
      ends_.pop();
      is_busy_[slot_of(n)] = false;
      for (const std::uint32_t next : nodes_.behind.of(n))
        if (--left_[next] == 0) make_ready(next);
      issue();
    }
    return std::move(start_ns_);
  }

 private:
  std::size_t slot_of(std::uint32_t n) const { return nodes_.slot[n] == Slot::kHost ? 0 : 1; }

  void make_ready(std::uint32_t n) {
    if (is_of_network(nodes_.slot[n]))
      has_communicated_ = true;
    else
      ready_[slot_of(n)].push(n);
  }

  void issue() {
    for (std::size_t slot = 0; slot < ready_.size(); ++slot) {
      if (is_busy_[slot] || ready_[slot].empty()) continue;
      const std::uint32_t n = ready_[slot].top();
      ready_[slot].pop();
      is_busy_[slot] = true;
      start_ns_[n] = now_;
      ends_.emplace(now_ + nodes_.ns[n], n);
    }
  }

  template <class T>
  using Earliest = std::priority_queue<T, std::vector<T>, std::greater<>>;

  const OrderedNodes& nodes_;
  std::vector<std::uint32_t> left_;  // by node: what it waits for still
  std::vector<Ns> start_ns_;
  std::array<Earliest<std::uint32_t>, 2> ready_;
  std::array<bool, 2> is_busy_{};
  Earliest<std::pair<Ns, std::uint32_t>> ends_;
  Ns now_ = 0;
  bool has_communicated_ = false;
};

}  // namespace

KnownTimes::KnownTimes(const OrderedNodes& nodes)
    : start_ns_(TwoSlots(nodes).run()), taken_ns_(nodes.ns), device_place_(nodes.size(), kNoIndex) {
  for (std::uint32_t n = 0; n < nodes.size(); ++n)
    if (is_known(n) && nodes.slot[n] == Slot::kDevice) device_order_.push_back(n);
  std::sort(device_order_.begin(), device_order_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return start_ns_[a] < start_ns_[b]; });
  for (std::uint32_t i = 0; i < device_order_.size(); ++i) device_place_[device_order_[i]] = i;
}

bool KnownTimes::follows(std::uint32_t n, const OrderedNodes& nodes) const {
  const std::uint32_t before = nodes.before_in_slot[n];
  return is_known(n) && before != kNoIndex && start_ns(n) == end_ns(before) &&
         nodes.on.of(n).size() == 1 && nodes.on.of(n)[0] == before;
}

bool KnownTimes::runs_another_between(std::uint32_t before, std::uint32_t n) const {
  return device_place_[n] != device_place_[before] + 1;
}

void drop_waits_that_never_bind(const KnownTimes& known, OrderedNodes& nodes) {
  Adjacency kept;
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const auto on = nodes.on.of(n);
    Ns ready = 0;
    if (known.is_known(n))
      for (const std::uint32_t source : on) ready = std::max(ready, known.end_ns(source));
    for (const std::uint32_t source : on)
      if (!known.is_known(n) || source == nodes.before_in_lane[n] || known.end_ns(source) == ready)
        kept.node.push_back(source);
    kept.end_node();
  }
  nodes.on = std::move(kept);
}

}  // namespace nadi::astra_sim
