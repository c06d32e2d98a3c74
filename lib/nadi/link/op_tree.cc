#include "nadi/link/op_tree.h"

#include "nadi/base/id_map.h"

namespace nadi {
namespace {

/// Spreads the bits of a number (the finaliser of SplitMix64).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// parent[position] is an earlier position, or the one behind the last for the outermost; seq_id:
/// of all ops of the trace.
template <class Ops>
OpTree tree_of(const OpSequence<Ops>& sequence, const NameSet& known,
               const ByRow<Ops, std::int64_t>& seq_id, ByPosition<NamePosition> parent) {
  OpTree tree;
  const std::size_t size = sequence.size();
  tree.name = sequence.name;
  tree.seq_id.reserve(size);
  for (const Index<Ops> row : sequence.row) tree.seq_id.push_back(seq_id[row]);
  const auto is_known = [&](NamePosition position) { return known.contains(tree.name[position]); };
  for (NamePosition& p : parent)
    if (p < sequence.end_position() && !is_known(p))
      p = parent[p];  // an earlier one, so done already
  const auto known_child_of = [&](std::size_t i) {
    return is_known(NamePosition(i)) ? parent[i].value : kNoIndex;
  };
  tree.children = grouped_by_node(size + 1, size, known_child_of,
                                  [](std::size_t i) { return NamePosition(i); });
  tree.same_order.resize(size);
  tree.any_order.resize(size);
  for (NamePosition position = sequence.end_position(); position > NamePosition(0);) {
    --position;
    std::uint64_t ordered = mix(tree.name[position].value), unordered = ordered;
    for (const NamePosition child : tree.children_of(position)) {
      ordered = mix(ordered ^ tree.same_order[child]);
      unordered += mix(tree.any_order[child]);
    }
    tree.same_order[position] = mix(ordered + 1);
    tree.any_order[position] = mix(unordered + 1);
  }
  return tree;
}

}  // namespace

OpTree host_tree(const HostSequence& sequence, const NameSet& known, const HostTrace& host) {
  IdMap<std::uint64_t, NamePosition> position_of_id;
  ByPosition<NamePosition> parent(sequence.size(), sequence.end_position());
  for (const NamePosition position : rows_of(sequence.row)) {
    const HostOpIndex row = sequence.row[position];
    const auto found = position_of_id.find(host.ops.parent[row]);
    if (found != position_of_id.end()) parent[position] = found->second;
    position_of_id.try_emplace(host.ops.id[row], position);
  }
  return tree_of(sequence, known, host.ops.seq_id, std::move(parent));
}

OpTree profiler_tree(const ProfilerSequence& sequence, const NameSet& known,
                     const DeviceTrace& device) {
  ByPosition<NamePosition> parent(sequence.size(), sequence.end_position());
  std::vector<NamePosition> open;
  const ProfilerOps& ops = device.ops;
  for (const NamePosition position : rows_of(sequence.row)) {
    const Ns start = ops.start_ns[sequence.row[position]];
    const auto is_over = [&](NamePosition other) {
      return op_end_ns(ops, sequence.row[other]) <= start;
    };
    while (!open.empty() && is_over(open.back())) open.pop_back();
    if (!open.empty()) parent[position] = open.back();
    open.push_back(position);
  }
  return tree_of(sequence, known, ops.seq_id, std::move(parent));
}

}  // namespace nadi
