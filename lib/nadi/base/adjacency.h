// The edges of a graph as flat columns, with searches for an order and for a cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "nadi/base/index.h"

namespace nadi {

/// Values of node n: node[begin[n]] to [begin[n + 1]).
template <class Value>
struct ValuesByNode {
  std::vector<std::uint32_t> begin{0};
  std::vector<Value> node;

  std::size_t size() const { return begin.size() - 1; }
  std::span<const Value> of(std::size_t n) const {
    return {node.data() + begin[n], node.data() + begin[n + 1]};
  }
  /// What has been appended to `node` since the last one belongs to one node more.
  void end_node() { begin.push_back(static_cast<std::uint32_t>(node.size())); }
};
/// The neighbours of each node.
using Adjacency = ValuesByNode<std::uint32_t>;

/// Groups values by their node: of(n) is value_of(i) of every i below `count` with node_of(i) == n,
/// in their order; those whose node_of(i) is kNoIndex belong to none.
template <class NodeOf, class ValueOf>
auto grouped_by_node(std::size_t size, std::size_t count, const NodeOf& node_of,
                     const ValueOf& value_of) {
  ValuesByNode<decltype(value_of(count))> table;
  table.begin.resize(size + 1);
  for (std::size_t i = 0; i < count; ++i)
    if (const std::uint32_t n = node_of(i); n != kNoIndex) ++table.begin[n + 1];
  std::partial_sum(table.begin.begin(), table.begin.end(), table.begin.begin());
  table.node.resize(table.begin.back());
  std::vector<std::uint32_t> next(table.begin.begin(), table.begin.end() - 1);
  for (std::size_t i = 0; i < count; ++i)
    if (const std::uint32_t n = node_of(i); n != kNoIndex) table.node[next[n]++] = value_of(i);
  return table;
}

/// Returns the edges the other way round: for node n every node that has it in targets_of(node),
/// ascending.
template <class TargetsOf>
Adjacency reversed(std::size_t size, const TargetsOf& targets_of) {
  Adjacency back;
  back.begin.resize(size + 1);
  for (std::size_t n = 0; n < size; ++n)
    for (const std::uint32_t target : targets_of(n)) ++back.begin[target + 1];
  std::partial_sum(back.begin.begin(), back.begin.end(), back.begin.begin());
  back.node.resize(back.begin.back());
  std::vector<std::uint32_t> next(back.begin.begin(), back.begin.end() - 1);
  for (std::size_t n = 0; n < size; ++n)
    for (const std::uint32_t target : targets_of(n))
      back.node[next[target]++] = static_cast<std::uint32_t>(n);
  return back;
}

/// A node's number, whether nodes are typed or not.
constexpr std::uint32_t number_of(std::uint32_t node) { return node; }
template <class Tag>
constexpr std::uint32_t number_of(Index<Tag> node) {
  return node.value;
}

/// Returns how many edges go to each node.
template <class Edges>
std::vector<std::uint32_t> count_sources(const Edges& edges) {
  std::vector<std::uint32_t> count(edges.size(), 0);
  for (std::uint32_t n = 0; n < edges.size(); ++n)
    for (const auto target : edges.of(n)) ++count[number_of(target)];
  return count;
}

/// Returns every node before its neighbours (Kahn's algorithm); nodes on a cycle, and those behind
/// one, are left out. `edges`: an Adjacency, or what has its size() and of(), whose nodes may be
/// typed.
template <class Edges>
auto topological_order(const Edges& edges) {
  using Node = std::remove_cvref_t<decltype(*edges.of(0).begin())>;
  std::vector<std::uint32_t> waits_for = count_sources(edges);
  std::vector<Node> order;
  order.reserve(edges.size());
  for (std::uint32_t n = 0; n < edges.size(); ++n)
    if (waits_for[n] == 0) order.push_back(Node(n));
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const Node target : edges.of(number_of(order[i])))
      if (--waits_for[number_of(target)] == 0) order.push_back(target);
  return order;
}

/// Returns the nodes that topological_order leaves out, ascending.
template <class Edges>
std::vector<std::uint32_t> find_blocked(const Edges& edges) {
  std::vector<bool> is_blocked(edges.size(), true);
  for (const std::uint32_t n : topological_order(edges)) is_blocked[n] = false;
  std::vector<std::uint32_t> blocked;
  for (std::uint32_t n = 0; n < edges.size(); ++n)
    if (is_blocked[n]) blocked.push_back(n);
  return blocked;
}

struct Cycle {
  /// Each has an edge to the next, the last to the first; empty = the graph has no cycle.
  std::vector<std::uint32_t> nodes;
  /// Nodes on cycles, or between two cycles.
  std::uint64_t tangled = 0;
};

/// O(nodes + edges) without a cycle; with one the shortest is searched for by breadth-first search
/// from each tangled node, and after `most_steps` edges the shortest found so far is given.
Cycle find_shortest_cycle(const Adjacency& edges, std::uint64_t most_steps = 500'000'000);

}  // namespace nadi
