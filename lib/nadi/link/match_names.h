// Names of ops as numbers that both traces share, in start order per thread: what matching by order
// or by tree works on.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "nadi/model/device_trace.h"
#include "nadi/model/host_trace.h"

namespace nadi {

/// The ops of one thread of one trace in start order. A place is an index into both columns.
struct NameSequence {
  std::uint64_t thread = 0;         ///< host trace: torch's tid; profiler: row of its threads
  std::vector<std::uint32_t> row;   ///< row of HostOps or ProfilerOps
  std::vector<std::uint32_t> name;  ///< of equal names (name_to_match()) equal in both traces

  std::size_t size() const { return row.size(); }
  /// Leaves the ops of which is_kept(row) holds.
  template <class IsKept>
  void keep(const IsKept& is_kept) {
    std::size_t kept = 0;
    for (std::size_t place = 0; place < row.size(); ++place) {
      if (!is_kept(row[place])) continue;
      row[kept] = row[place];
      name[kept++] = name[place];
    }
    row.resize(kept);
    name.resize(kept);
  }
};

/// Returns what both traces must agree on: an op's name, but ProfilerStep for every ProfilerStep#N,
/// since each trace counts steps of its own schedule (K30).
std::string_view name_to_match(std::string_view op_name);

/// All threads that have ops: those of the host trace by tid, the profiler's by row.
struct NameSequences {
  std::vector<NameSequence> host, profiler;
};

/// Returns the ops of both traces in order. Host ops go by id, which the observer counts up at op
/// start; roots are left out. Profiler ops go by start time; of those that start together (old
/// traces have whole us) by `External id` if that is counted up at op start too (K10), else the
/// longer, which is the outer, first.
NameSequences name_sequences(const HostTrace& host, const DeviceTrace& device);

}  // namespace nadi
