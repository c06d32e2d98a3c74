#include "nadi/sim_bridge/replay/measured.h"

namespace nadi {

namespace {

void add_times(const ReplayJob& job, std::size_t of, ReplayTimes& times) {
  const Graph& graph = job.graphs[of];
  const std::uint32_t first = job.first_node[of];
  for (std::uint32_t row = 0; row < graph.size(); ++row) {
    times.start_ns.push_back(job.clocks[of].job_ns(graph.start_ns[row]));
    times.end_ns.push_back(job.clocks[of].job_ns(graph.end_ns(row)));
    std::uint32_t last = kNoIndex;
    for (const std::uint32_t source : graph.dependencies(row))
      if (last == kNoIndex || graph.end_ns(source) > graph.end_ns(last) ||
          (graph.end_ns(source) == graph.end_ns(last) && source > last))
        last = source;
    times.waited_for.push_back(last == kNoIndex ? kNoIndex : first + last);
  }
}

std::uint32_t last_to_meet(const ReplayJob& job, const ReplayTimes& times, std::uint32_t index) {
  const auto start = [&](std::uint32_t kernel) {
    return job.kernels[kernel].latest([&](std::uint32_t node) { return times.start_ns[node]; });
  };
  std::uint32_t last = index;
  for (const std::uint32_t instance : job.kernels[index].waits_for)
    for (const std::uint32_t other : job.comm_instances[instance].kernels)
      if (start(other) > start(last)) last = other;
  return last;
}

}  // namespace

ReplayTimes measured_times(const ReplayJob& job) {
  ReplayTimes times;
  times.start_ns.reserve(job.size());
  times.end_ns.reserve(job.size());
  times.waited_for.reserve(job.size());
  for (std::size_t of = 0; of < job.graphs.size(); ++of) add_times(job, of, times);
  // Nodes of one kernel end together, as in a replay: one of them has the duration of all.
  for (const CommKernel& kernel : job.kernels) {
    const Ns end = kernel.latest([&](std::uint32_t node) { return times.end_ns[node]; });
    for (const std::uint32_t node : kernel.nodes) times.end_ns[node] = end;
  }
  for (std::uint32_t kernel = 0; kernel < job.kernels.size(); ++kernel)
    times.last_to_meet.push_back(last_to_meet(job, times, kernel));
  return times;
}

}  // namespace nadi
