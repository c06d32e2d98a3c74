// ASTRA-sim's rules of when a node begins and in which order nodes end, shared by everything here
// that runs nodes as ASTRA-sim does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "nadi/base/time.h"
#include "nadi/model/graph.h"

namespace nadi::astra_sim {

/// What a node takes at least.
inline constexpr Ns kShortestNode = 1;

/// A rank has one each for its host, for what its device computes, and for what it communicates.
enum class Slot : std::uint8_t { kHost, kDevice, kCommunication, kNone };
inline constexpr std::size_t kSlots = 4;

/// A receive takes none, whatever it is of.
inline Slot slot_of(NodeType type, bool is_host) {
  if (type == NodeType::kReceive) return Slot::kNone;
  if (is_host) return Slot::kHost;
  return type == NodeType::kCompute ? Slot::kDevice : Slot::kCommunication;
}

/// Nodes that are ready for a slot: the smallest id begins as soon as the slot is free.
class SlotQueue {
 public:
  void add(std::uint32_t node) { ready_.push(node); }
  /// Takes the slot for the node that begins; nothing where none is ready or the slot is taken.
  std::optional<std::uint32_t> begin_next() {
    if (is_busy_) return std::nullopt;
    const auto node = take_ready();
    is_busy_ = node.has_value();
    return node;
  }
  void end() { is_busy_ = false; }
  /// The smallest id, for which the slot is not taken; nothing where none is ready.
  std::optional<std::uint32_t> take_ready() {
    if (ready_.empty()) return std::nullopt;
    const std::uint32_t node = ready_.top();
    ready_.pop();
    return node;
  }

 private:
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready_;
  bool is_busy_ = false;
};

/// Nodes that run, by their ends. What ends at the same time is handled in the order in which it
/// was entered: the simulator keeps a list for each tick.
template <class Node>
class EndQueue {
 public:
  bool empty() const { return ends_.empty(); }
  void enter(Ns end_ns, Node node) { ends_.push({end_ns, entered_++, std::move(node)}); }
  std::pair<Ns, Node> take() {
    const End end = ends_.top();
    ends_.pop();
    return {end.ns, end.node};
  }

 private:
  struct End {
    Ns ns;
    std::uint64_t entered;
    Node node;
    friend bool operator>(const End& a, const End& b) {
      return std::tie(a.ns, a.entered) > std::tie(b.ns, b.entered);
    }
  };
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::uint64_t entered_ = 0;
};

}  // namespace nadi::astra_sim
