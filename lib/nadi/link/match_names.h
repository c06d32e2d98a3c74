// Names of ops as numbers that both traces share, in start order per thread: what matching by order
// or by tree works on.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "nadi/base/string_table.h"
#include "nadi/link/sequence_diff.h"
#include "nadi/model/device_trace.h"
#include "nadi/model/host_trace.h"

namespace nadi {

/// The ops of one thread of one trace in start order.
template <class Ops>
struct OpSequence {
  ByPosition<Index<Ops>> row;
  NameList name;  ///< the number of each op's name (NameNumbers), the same in both traces

  std::size_t size() const { return row.size(); }
  NamePosition end_position() const { return NamePosition(row.size()); }
  /// Leaves the ops of which is_kept(row) holds.
  template <class IsKept>
  void keep(const IsKept& is_kept) {
    NamePosition kept(0);
    for (const NamePosition position : rows_of(row)) {
      if (!is_kept(row[position])) continue;
      row[kept] = row[position];
      name[kept++] = name[position];
    }
    row.resize(kept.value);
    name.resize(kept.value);
  }
};
struct HostSequence : OpSequence<HostOps> {
  std::uint64_t tid = 0;  ///< torch's
};
using HostSequenceIndex = Index<HostSequence>;
struct ProfilerSequence : OpSequence<ProfilerOps> {
  ThreadIndex thread;
};
using ProfilerSequenceIndex = Index<ProfilerSequence>;

/// Counts up the names of both traces. Every ProfilerStep#N has the name ProfilerStep here, since
/// each trace counts steps of its own schedule (K30).
class NameNumbers {
 public:
  /// Returns the number of each of `names`, the names of a trace's ops, by StringId of the trace's
  /// table, which must outlive this. Equal names have equal numbers.
  std::vector<NameNumber> of(const StringTable& strings, const std::vector<StringId>& names);

 private:
  std::unordered_map<std::string_view, NameNumber> by_name_;
};

/// All threads that have ops: those of the host trace by tid, the profiler's by row.
struct NameSequences {
  ByRow<HostSequence> host;
  ByRow<ProfilerSequence> profiler;
};

/// Returns the ops of both traces in order. Host ops go by id, which the observer counts up at op
/// start; roots are left out. Profiler ops go by start time; of those that start together (old
/// traces have whole us) by `External id` if that is counted up at op start too (K10), else the
/// longer, which is the outer, first.
NameSequences name_sequences(const HostTrace& host, const DeviceTrace& device);

}  // namespace nadi
