// Relates host ops: by nesting, and backward ops to their forward ops.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "nadi/base/key_index.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Returns, by op, the outermost op around it that is no annotation; the op
/// itself where there is none.
ByRow<LinkedOps, LinkedOpIndex> outermost_cpu_ops(const LinkedOps& ops);

/// Says which ops are of one piece of code: ops of one name, and annotations whose names differ
/// only in what stands in parentheses, as "FSDP::pre_forward (layers.3)".
class CodeOfOps {
 public:
  /// The trace must outlive it.
  explicit CodeOfOps(const LinkedTrace& linked) : linked_(linked) {}

  /// Equal for ops of one piece of code.
  std::uint64_t of(LinkedOpIndex op);

 private:
  const LinkedTrace& linked_;
  std::unordered_map<StringId, StringId> known_;     // by name of an annotation
  std::unordered_map<std::string, StringId> first_;  // by what such names have in common
};

/// Returns, by op, what is equal for ops of one piece of code inside ops of equal paths; steps
/// (`ProfilerStep#N`) do not count. Of ops outside all others that are steps: 1.
ByRow<LinkedOps, std::uint64_t> paths_of_ops(const LinkedTrace& linked);

/// Finds ops by their id in the host trace; of equal ids the first. Holds 16 bytes an op.
class HostIds {
 public:
  explicit HostIds(const LinkedTrace& linked);
  /// None where no op has that id; 0 is none.
  LinkedOpIndex op_of(std::uint64_t id) const;

 private:
  using ById = KeyIndex<LinkedOps, std::uint64_t>;

  static std::vector<ById::Entry> entries_of(const LinkedTrace& linked);

  ById by_id_;
};

/// Finds the pairs by the `fwdbwd` flows, then by the host trace's fw_parent, then by sequence
/// number (of the forward ops that carry it the last that had ended); a pair may come several
/// times. Needs to know which lanes run backward: LinkedTrace::forward_backward holds the result.
std::vector<ForwardBackwardPair> forward_backward_pairs(const LinkedTrace& linked);

/// Returns the logical id of the thread of a backward op's forward op; 0 = it is no backward op.
std::uint64_t forward_tid_of(const LinkedTrace& linked, LinkedOpIndex op);

}  // namespace nadi
