// Trees of a thread's ops, by what encloses what, with numbers that are equal for equal subtrees.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>

#include "nadi/base/adjacency.h"
#include "nadi/link/match_names.h"

namespace nadi {

/// Ops as positions of an OpSequence, by their position among them.
using Siblings = RowSpan<NameAt, NamePosition>;

/// Ops are positions of an OpSequence; the outermost ones are the children of the position behind
/// the last. An op whose name the other trace lacks is looked through: its children are its
/// parent's.
struct OpTree {
  NameList name;
  ByPosition<std::int64_t> seq_id;       ///< autograd's; -1 = none
  ByPosition<std::uint64_t> same_order;  ///< equal: same names and structure, in order
  ByPosition<std::uint64_t> any_order;   ///< equal: the same but for the order of siblings
  ValuesByNode<NamePosition> children;  ///< of each position and the one behind the last, ascending

  std::size_t size() const { return name.size(); }
  Siblings children_of(NamePosition position) const {
    return std::span<const NamePosition>(children.of(position.value));
  }
  Siblings outermost() const { return children_of(NamePosition(size())); }
};

using NameSet = std::unordered_set<NameNumber>;

/// All names of a trace's threads.
template <class Sequence>
NameSet names_of(const ByRow<Sequence>& sequences) {
  NameSet names;
  for (const Sequence& sequence : sequences)
    names.insert(sequence.name.begin(), sequence.name.end());
  return names;
}

/// Returns the tree with the parents that the host trace names; an op whose parent is no earlier op
/// of the thread is outermost. Time and memory are linear.
OpTree host_tree(const HostSequence& sequence, const NameSet& known, const HostTrace& host);

/// Returns the tree with parents by time: the parent of an op is the one that began last and is
/// still open. Time and memory are linear.
OpTree profiler_tree(const ProfilerSequence& sequence, const NameSet& known,
                     const DeviceTrace& device);

}  // namespace nadi
