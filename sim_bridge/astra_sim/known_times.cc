#include "nadi/sim_bridge/astra_sim/known_times.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace nadi::astra_sim {
namespace {

bool is_of_network(Slot slot) { return slot == Slot::kCommunication || slot == Slot::kNone; }

/// By node: whether all nodes before it lead to it, and it leads to all behind it.
std::vector<bool> find_cuts(const OrderedNodes& nodes) {
  const auto size = static_cast<std::uint32_t>(nodes.size());
  std::vector<bool> is_cut(size);
  std::uint32_t earliest = 0;  // to which all nodes before `n` lead
  for (std::uint32_t n = 0; n < size; ++n) {
    is_cut[n] = earliest <= n;
    const auto behind = nodes.behind.of(n);
    const auto first = std::min_element(behind.begin(), behind.end());
    earliest = std::max(earliest, first == behind.end() ? size : *first);
  }
  std::uint32_t latest = size;  // that leads to all nodes behind `n`
  for (std::uint32_t n = size; n-- > 0;) {
    is_cut[n] = is_cut[n] && latest >= n;
    const auto on = nodes.on.of(n);
    const auto last = std::max_element(on.begin(), on.end());
    latest = std::min(latest, last == on.end() ? 0 : *last);
  }
  return is_cut;
}

/// Runs the slots of host and device, as long as no network can change what they do.
class TwoSlots {
 public:
  TwoSlots(const OrderedNodes& nodes, std::vector<std::uint32_t>& cut, std::vector<Ns>& start_ns)
      : nodes_(nodes),
        is_cut_(find_cuts(nodes)),
        cut_(cut),
        start_ns_(start_ns),
        left_(nodes.size()),
        has_ended_(nodes.size(), false),
        may_begin_later_(nodes.size(), false) {
    for (std::uint32_t n = 0; n < nodes.size(); ++n)
      left_[n] = static_cast<std::uint32_t>(nodes.on.of(n).size());
  }

  void run() {
    for (std::uint32_t n = 0; n < nodes_.size(); ++n)
      if (left_[n] == 0) make_ready(n);
    run_to_cut();
    while (next_cut_ != kNoIndex) {
      begin_at(next_cut_);
      run_to_cut();
    }
  }

 private:
  struct SlotState : SlotQueue {
    bool is_known = true;  // nobody can take it whose time is not known
  };

  SlotState& slot_of(std::uint32_t n) { return slots_[nodes_.slot[n] == Slot::kHost ? 0 : 1]; }

  /// All before it have ended by then.
  void begin_at(std::uint32_t cut) {
    for (std::uint32_t n = begin_; n < cut; ++n)
      if (!has_ended_[n])
        for (const std::uint32_t next : nodes_.behind.of(n)) --left_[next];
    slots_ = {};
    ends_ = {};
    now_ = 0;
    begin_ = cut;
    next_cut_ = kNoIndex;
    may_begin_later_[cut] = false;
    if (!is_of_network(nodes_.slot[cut])) return slot_of(cut).add(cut);
    cut_[cut] = cut;  // times are after its end
    start_ns_[cut] = -nodes_.ns[cut];
    ends_.enter(0, cut);
  }

  void run_to_cut() {
    issue();
    while (!ends_.empty() && next_cut_ == kNoIndex) {
      const auto [time, n] = ends_.take();
      now_ = time;
      has_ended_[n] = true;
      if (cut_[n] != kNoIndex && !is_of_network(nodes_.slot[n])) slot_of(n).end();
      for (const std::uint32_t next : nodes_.behind.of(n)) {
        if (cut_[n] == kNoIndex) may_begin_later_[next] = true;
        if (--left_[next] == 0) make_ready(next);
      }
      issue();
    }
  }

  void make_ready(std::uint32_t n) {
    if (is_of_network(nodes_.slot[n])) return begin_unknown(n, 0);
    SlotState& slot = slot_of(n);
    if (may_begin_later_[n]) slot.is_known = false;
    slot.add(n);
    if (slot.is_known) return;
    while (const auto ready = slot.take_ready()) begin_unknown(*ready, nodes_.ns[*ready]);
  }

  /// At the earliest; takes no slot.
  void begin_unknown(std::uint32_t n, Ns taken_ns) {
    if (is_cut_[n] && n > begin_)
      next_cut_ = n;
    else
      ends_.enter(now_ + taken_ns, n);
  }

  void issue() {
    for (SlotState& slot : slots_) {
      const auto n = slot.begin_next();
      if (!n) continue;
      cut_[*n] = begin_;
      start_ns_[*n] = now_;
      ends_.enter(now_ + nodes_.ns[*n], *n);
    }
  }

  const OrderedNodes& nodes_;
  const std::vector<bool> is_cut_;
  std::vector<std::uint32_t>& cut_;
  std::vector<Ns>& start_ns_;
  std::vector<std::uint32_t> left_;  // by node: of what it waits for, what has not ended
  std::vector<bool> has_ended_;
  std::vector<bool> may_begin_later_;  // waits for what is not known
  std::array<SlotState, 2> slots_;
  EndQueue<std::uint32_t> ends_;
  Ns now_ = 0;
  std::uint32_t begin_ = 0, next_cut_ = kNoIndex;
};

}  // namespace

KnownTimes::KnownTimes(const OrderedNodes& nodes)
    : cut_(nodes.size(), kNoIndex),
      start_ns_(nodes.size(), 0),
      taken_ns_(nodes.ns),
      slot_(nodes.slot),
      position_(nodes.size(), kNoIndex) {
  TwoSlots(nodes, cut_, start_ns_).run();
  for (std::uint32_t n = 0; n < nodes.size(); ++n)
    if (is_known(n) && !is_of_network(nodes.slot[n])) ran_.push_back(n);
  std::sort(ran_.begin(), ran_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(nodes.slot[a], cut_[a], start_ns_[a]) <
           std::tuple(nodes.slot[b], cut_[b], start_ns_[b]);
  });
  for (std::uint32_t i = 0; i < ran_.size(); ++i) position_[ran_[i]] = i;
}

std::uint32_t KnownTimes::ran_before(std::uint32_t n) const {
  const std::uint32_t position = position_[n];
  return position > 0 && are_known(ran_[position - 1], n) && slot_[ran_[position - 1]] == slot_[n]
             ? ran_[position - 1]
             : kNoIndex;
}

std::uint32_t KnownTimes::ran_after(std::uint32_t n) const {
  const std::uint32_t position = position_[n] + 1;
  return position < ran_.size() && are_known(n, ran_[position]) && slot_[ran_[position]] == slot_[n]
             ? ran_[position]
             : kNoIndex;
}

bool KnownTimes::follows(std::uint32_t n, const OrderedNodes& nodes) const {
  const std::uint32_t before = nodes.before_in_slot[n];
  return before != kNoIndex && are_known(before, n) && start_ns_[n] == end_ns(before, n) &&
         nodes.on.of(n).size() == 1 && nodes.on.of(n)[0] == before;
}

void drop_waits_that_never_bind(const KnownTimes& known, OrderedNodes& nodes) {
  Adjacency kept;
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const auto on = nodes.on.of(n);
    Ns ready = -1;
    for (const std::uint32_t source : on) ready = std::max(ready, known.end_ns(source, n));
    for (const std::uint32_t source : on)
      if (!known.is_known(n) || known.is_cut(n) || source == nodes.before_in_lane[n] ||
          known.end_ns(source, n) == ready)
        kept.node.push_back(source);
    kept.end_node();
  }
  nodes.link(std::move(kept));
}

}  // namespace nadi::astra_sim
