// Writes the recorded graphs of a job as those of a larger one, and changes nothing else of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "nadi/base/byte_sink.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi {

/// Calls write(rank, copy, graph) for each rank of the job grown by grow_job, where graph(sink)
/// writes its graph: of a recorded rank all copies, one after the other. In them group, ends and
/// size of what communicates are the larger job's, the optimizer's nodes are shared out, and the
/// metadata tell its rank, size and groups, and that nobody recorded it; of groups of more than
/// 1,024 ranks or of all ranks they do not list the members. The messages of Job::recorded are read
/// once, and held in memory. Returns how many nodes of recorded ranks were shared out. Throws
/// Error(kInput) where a graph is not what the job was made of.
std::uint64_t write_grown_graphs(
    const Job& job,
    const std::function<void(std::size_t rank, std::size_t copy,
                             const std::function<void(const ByteSink&)>& graph)>& write);

}  // namespace nadi
