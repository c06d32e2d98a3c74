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

/// parent[position] is an earlier position, or size() for the outermost; seq_id: of all ops of the
/// trace.
template <class Ops>
OpTree tree_of(const OpSequence<Ops>& sequence, const NameSet& known,
               const ByRow<Ops, std::int64_t>& seq_id, std::vector<std::uint32_t> parent) {
  OpTree tree;
  const std::size_t size = parent.size();
  tree.name = sequence.name;
  tree.seq_id.reserve(size);
  for (const Index<Ops> row : sequence.row) tree.seq_id.push_back(seq_id[row]);
  const auto is_known = [&](std::uint32_t position) { return known.contains(tree.name[position]); };
  for (std::uint32_t& p : parent)
    if (p < size && !is_known(p)) p = parent[p];  // an earlier position, so done already
  tree.first_child.assign(size + 2, 0);
  for (std::uint32_t position = 0; position < size; ++position)
    if (is_known(position)) ++tree.first_child[parent[position] + 1];
  for (std::size_t i = 0; i <= size; ++i) tree.first_child[i + 1] += tree.first_child[i];
  tree.children.resize(tree.first_child.back());
  std::vector<std::uint32_t> next(tree.first_child.begin(), tree.first_child.end() - 1);
  for (std::uint32_t position = 0; position < size; ++position)
    if (is_known(position)) tree.children[next[parent[position]]++] = position;
  tree.same_order.resize(size);
  tree.any_order.resize(size);
  for (std::uint32_t position = tree.size(); position-- > 0;) {
    std::uint64_t ordered = mix(tree.name[position]), unordered = ordered;
    for (std::uint32_t child : tree.children_of(position)) {
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
  const auto size = static_cast<std::uint32_t>(sequence.size());
  IdMap<std::uint64_t, std::uint32_t> position_of_id;
  std::vector<std::uint32_t> parent(size, size);
  for (std::uint32_t position = 0; position < size; ++position) {
    const HostOpIndex row = sequence.row[position];
    const auto found = position_of_id.find(host.ops.parent[row]);
    if (found != position_of_id.end()) parent[position] = found->second;
    position_of_id.try_emplace(host.ops.id[row], position);
  }
  return tree_of(sequence, known, host.ops.seq_id, std::move(parent));
}

OpTree profiler_tree(const ProfilerSequence& sequence, const NameSet& known,
                     const DeviceTrace& device) {
  const auto size = static_cast<std::uint32_t>(sequence.size());
  std::vector<std::uint32_t> parent(size, size), open;
  const ProfilerOps& ops = device.ops;
  for (std::uint32_t position = 0; position < size; ++position) {
    const Ns start = ops.start_ns[sequence.row[position]];
    const auto is_over = [&](std::uint32_t other) {
      const ProfilerOpIndex row = sequence.row[other];
      return ops.start_ns[row] + ops.duration_ns[row] <= start;
    };
    while (!open.empty() && is_over(open.back())) open.pop_back();
    if (!open.empty()) parent[position] = open.back();
    open.push_back(position);
  }
  return tree_of(sequence, known, ops.seq_id, std::move(parent));
}

}  // namespace nadi
