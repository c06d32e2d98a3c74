// Two call trees aligned: where in the tree time moved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nadi/diff/call_tree.h"
#include "nadi/diff/diff_row.h"

namespace nadi {

struct CallDiff;
using CallDiffIndex = Index<CallDiff>;

struct CallDiff {
  CallDiffIndex parent{0};  ///< the root's is itself
  std::uint32_t depth = 0;
  bool is_device = false;
  /// key: the call's name; "old => new" where siblings of other names stand for each other. Times
  /// are those of the rows, with all they call.
  DiffRow row;
  DiffRow own;                           ///< of the rows' own time: what changed at the call itself
  DiffSide control_device, test_device;  ///< device rows launched at or below
};

/// The nodes of both trees, each behind its parent, in order of the calls. Nodes of one path are
/// one; of the other siblings those that align_siblings() pairs. The first is the root.
ByRow<CallDiff> align_calls(const DiffCallTree& control, std::uint64_t control_samples,
                            const DiffCallTree& test, std::uint64_t test_samples);

/// The names from the outermost call to this, joined by " > "; of each the first 4 KiB.
std::string path_of(const ByRow<CallDiff>& calls, CallDiffIndex call);

}  // namespace nadi
