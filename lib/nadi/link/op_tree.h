// Trees of a thread's ops, by what encloses what, with numbers that are equal for equal subtrees.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "nadi/link/match_names.h"

namespace nadi {

/// Ops are positions of an OpSequence; the outermost ones are the children of position size(). An
/// op whose name the other trace lacks is looked through: its children are its parent's.
struct OpTree {
  std::vector<std::uint32_t> name;        ///< by position
  std::vector<std::int64_t> seq_id;       ///< autograd's, by position; -1 = none
  std::vector<std::uint64_t> same_order;  ///< equal: same names and structure, in order
  std::vector<std::uint64_t> any_order;   ///< equal: the same but for the order of siblings
  /// By position: into children; one entry more than positions.
  std::vector<std::uint32_t> first_child;
  std::vector<std::uint32_t> children;  ///< positions, ascending

  std::uint32_t size() const { return static_cast<std::uint32_t>(name.size()); }
  std::span<const std::uint32_t> children_of(std::uint32_t position) const {
    return {children.data() + first_child[position],
            first_child[position + 1] - first_child[position]};
  }
};

using NameSet = std::unordered_set<std::uint32_t>;

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
