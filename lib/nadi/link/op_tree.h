// Trees of a thread's ops, by what encloses what, with numbers that are equal for equal subtrees.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "nadi/link/match_names.h"

namespace nadi {

/// Ops are places of a NameSequence; the outermost ones are the children of place size(). An op
/// whose name the other trace lacks is looked through: its children are its parent's.
struct OpTree {
  std::vector<std::uint32_t> name;         ///< by place
  std::vector<std::int64_t> seq_id;        ///< autograd's, by place; -1 = none
  std::vector<std::uint64_t> same_order;   ///< equal: same names and structure, in order
  std::vector<std::uint64_t> any_order;    ///< equal: the same but for the order of siblings
  std::vector<std::uint32_t> first_child;  ///< by place: into children; one entry more than places
  std::vector<std::uint32_t> children;     ///< places, ascending

  std::uint32_t size() const { return static_cast<std::uint32_t>(name.size()); }
  std::span<const std::uint32_t> children_of(std::uint32_t place) const {
    return {children.data() + first_child[place], first_child[place + 1] - first_child[place]};
  }
};

using NameSet = std::unordered_set<std::uint32_t>;

/// All names of a trace's threads.
NameSet names_of(const std::vector<NameSequence>& sequences);

/// Parents as the host trace names them; an op whose parent is no earlier op of the thread is
/// outermost. Time and memory are linear.
OpTree host_tree(const NameSequence& sequence, const NameSet& known, const HostTrace& host);

/// Parents by time: the op that began last and is still open. Time and memory are linear.
OpTree profiler_tree(const NameSequence& sequence, const NameSet& known, const DeviceTrace& device);

}  // namespace nadi
