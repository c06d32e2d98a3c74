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

/// parent[place] is an earlier place, or size() for the outermost; seq_id is by row.
OpTree tree_of(const NameSequence& sequence, const NameSet& known,
               const std::vector<std::int64_t>& seq_id, std::vector<std::uint32_t> parent) {
  OpTree tree;
  const std::size_t size = parent.size();
  tree.name = sequence.name;
  tree.seq_id.reserve(size);
  for (const std::uint32_t row : sequence.row) tree.seq_id.push_back(seq_id[row]);
  const auto is_known = [&](std::uint32_t place) { return known.contains(tree.name[place]); };
  for (std::uint32_t& p : parent)
    if (p < size && !is_known(p)) p = parent[p];  // an earlier place, so done already
  tree.first_child.assign(size + 2, 0);
  for (std::uint32_t place = 0; place < size; ++place)
    if (is_known(place)) ++tree.first_child[parent[place] + 1];
  for (std::size_t i = 0; i <= size; ++i) tree.first_child[i + 1] += tree.first_child[i];
  tree.children.resize(tree.first_child.back());
  std::vector<std::uint32_t> next(tree.first_child.begin(), tree.first_child.end() - 1);
  for (std::uint32_t place = 0; place < size; ++place)
    if (is_known(place)) tree.children[next[parent[place]]++] = place;
  tree.same_order.resize(size);
  tree.any_order.resize(size);
  for (std::uint32_t place = tree.size(); place-- > 0;) {
    std::uint64_t ordered = mix(tree.name[place]), unordered = ordered;
    for (std::uint32_t child : tree.children_of(place)) {
      ordered = mix(ordered ^ tree.same_order[child]);
      unordered += mix(tree.any_order[child]);
    }
    tree.same_order[place] = mix(ordered + 1);
    tree.any_order[place] = mix(unordered + 1);
  }
  return tree;
}

}  // namespace

NameSet names_of(const std::vector<NameSequence>& sequences) {
  NameSet names;
  for (const NameSequence& sequence : sequences)
    names.insert(sequence.name.begin(), sequence.name.end());
  return names;
}

OpTree host_tree(const NameSequence& sequence, const NameSet& known, const HostTrace& host) {
  const auto size = static_cast<std::uint32_t>(sequence.size());
  IdMap<std::uint64_t, std::uint32_t> place_of_id;
  std::vector<std::uint32_t> parent(size, size);
  for (std::uint32_t place = 0; place < size; ++place) {
    const std::uint32_t row = sequence.row[place];
    const auto found = place_of_id.find(host.ops.parent[row]);
    if (found != place_of_id.end()) parent[place] = found->second;
    place_of_id.try_emplace(host.ops.id[row], place);
  }
  return tree_of(sequence, known, host.ops.seq_id, std::move(parent));
}

OpTree profiler_tree(const NameSequence& sequence, const NameSet& known,
                     const DeviceTrace& device) {
  const auto size = static_cast<std::uint32_t>(sequence.size());
  std::vector<std::uint32_t> parent(size, size), open;
  const ProfilerOps& ops = device.ops;
  for (std::uint32_t place = 0; place < size; ++place) {
    const Ns start = ops.start_ns[sequence.row[place]];
    const auto is_over = [&](std::uint32_t other) {
      const std::uint32_t row = sequence.row[other];
      return ops.start_ns[row] + ops.duration_ns[row] <= start;
    };
    while (!open.empty() && is_over(open.back())) open.pop_back();
    if (!open.empty()) parent[place] = open.back();
    open.push_back(place);
  }
  return tree_of(sequence, known, ops.seq_id, std::move(parent));
}

}  // namespace nadi
