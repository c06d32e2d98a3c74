// Discrete-event replay of a job's graphs: when each node starts and ends, and what it waited for.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/sim_bridge/replay/replay_job.h"
#include "nadi/sim_bridge/replay/scale.h"

namespace nadi {

/// The lanes on which nodes exclude each other.
enum class ReplayLanes : std::uint8_t {
  kAll,      ///< one node at a time per host thread and per (device, stream)
  kOneHost,  ///< all host threads of a rank are one lane, as for simulators with one host slot
  kNone      ///< dependencies alone
};

struct ReplayOptions {
  ReplayLanes lanes = ReplayLanes::kAll;
  std::vector<Scale> scales;
  /// By graph and row, beside the scales; 1 of what communicates. Empty = 1.
  std::vector<std::vector<double>> row_factors = {};
};

/// Columns by node of the job; times in the job's clock, ns.
struct ReplayTimes {
  std::vector<Ns> start_ns, end_ns;
  /// The node whose end was the last thing the node waited for before it started: a dependency, or
  /// the node that held its lane; kNoIndex = nothing.
  std::vector<std::uint32_t> waited_for;
  /// The kernel that started last of those waited for, by CommKernel; itself where it was the last.
  std::vector<std::uint32_t> last_to_meet;
};

/// Replays the job. A node starts when all it depends on (data and ctrl) has ended and its lane is
/// free; of several the one with the smallest id. Delays hold no lane; rows of one graph launch
/// share theirs; rows of a stream follow each other after row_gaps(), or overlap by as much as they
/// were measured to. A kernel of an instance holds its lane from its own start, and ends its scaled
/// CommKernel::after_last_ns after the last one it waits for has started. Same input, same result.
/// Linear but for the queues of what is ready. Throws Error: kInput where nodes can never start,
/// naming the first; kUsage where scaled times are too long to add.
ReplayTimes replay(const ReplayJob& job, const ReplayOptions& options = {});

/// Returns by how much row `later` was measured to start before `earlier`, on the same stream,
/// ended; ns.
Ns measured_overlap(const Graph& graph, std::uint32_t earlier, std::uint32_t later);

}  // namespace nadi
