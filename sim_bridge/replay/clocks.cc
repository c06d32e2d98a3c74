#include "nadi/sim_bridge/replay/clocks.h"

#include <algorithm>

namespace nadi {

namespace {

Ns last_start(const ReplayJob& job, const CommInstance& instance) {
  Ns last = kNoTime;
  for (const std::uint32_t kernel : instance.kernels)
    last = std::max(last, job.start_ns(job.kernels[kernel]));
  return last;
}

Attendance attendance(const ReplayJob& job, const CommKernel& kernel) {
  const Graph& graph = job.graphs[kernel.rank];
  return {kernel.rank,
          kernel.latest([&](std::uint32_t node) { return graph.start_ns[job.row(node)]; }),
          kernel.latest([&](std::uint32_t node) { return graph.end_ns(job.row(node)); })};
}

std::vector<CommonTimes> times_of_comm_instances(const ReplayJob& job) {
  std::vector<CommonTimes> all;
  all.reserve(job.comm_instances.size());
  for (const CommInstance& instance : job.comm_instances) {
    CommonTimes& times = all.emplace_back();
    times.order = instance.order;
    for (const std::uint32_t kernel : instance.kernels)
      times.members.push_back(attendance(job, job.kernels[kernel]));
  }
  return all;
}

std::string contradiction_text(const ReplayJob& job, const CommInstance& instance) {
  return job.text(job.kernels[instance.kernels.front()].nodes.front()) +
         " would have ended on one rank before it started on another";
}

/// Ranks of one job run at the same time; clocks of machines differ by less than a second.
void report_apart(const ReplayJob& job, Diagnostics& diagnostics) {
  constexpr Ns kApart = 1'000'000'000;
  struct Span {
    Ns begin, end;
    const std::string* name;
  };
  std::vector<Span> spans;
  for (std::size_t of = 0; of < job.graphs.size(); ++of) {
    const Graph& graph = job.graphs[of];
    const Ns begin = *std::min_element(graph.start_ns.begin(), graph.start_ns.end());
    Span span{begin, begin, &graph.name};
    for (std::size_t row = 0; row < graph.size(); ++row)
      span.end = std::max(span.end, graph.end_ns(row));
    const RankClock& clock = job.clocks[of];
    spans.push_back({clock.job_ns(span.begin), clock.job_ns(span.end), span.name});
  }
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  Ns end = spans.front().end;
  for (const Span& span : spans) {
    if (span.begin - end > kApart)
      diagnostics.report(Finding::kRanksApart, *span.name + " begins " +
                                                   std::to_string((span.begin - end) / 1'000'000) +
                                                   " ms after the others have ended");
    end = std::max(end, span.end);
  }
}

}  // namespace

void align_clocks(ReplayJob& job, Diagnostics& diagnostics) {
  if (!job.is_measured) {
    job.clock_source = ClockSource::kNoTimes;
    return;
  }
  HostClocks found = align_host_clocks(base_times(job.graphs), times_of_comm_instances(job));
  job.clocks = std::move(found.clocks);
  job.clock_source = found.source;
  if (found.source == ClockSource::kCommunication)
    diagnostics.report(Finding::kBaseTimeUnknown, job.graphs.front().name);
  if (found.first_contradiction != kNoIndex)
    diagnostics.report(Finding::kClocksContradict,
                       contradiction_text(job, job.comm_instances[found.first_contradiction]));
  if (found.contradicting > 0)
    diagnostics.report(Finding::kClockOutlierOfRanks, "between ranks", found.contradicting);
  if (found.source == ClockSource::kBaseTime) report_apart(job, diagnostics);
}

void find_waits(ReplayJob& job) {
  std::vector<Ns> last;
  last.reserve(job.comm_instances.size());
  for (const CommInstance& instance : job.comm_instances) last.push_back(last_start(job, instance));
  for (CommKernel& kernel : job.kernels) {
    const Ns end = job.end_ns(kernel);
    Ns since = job.start_ns(kernel);
    for (const std::uint32_t instance : kernel.instances) {
      if (job.is_measured && last[instance] > end) continue;
      kernel.waits_for.push_back(instance);
      if (job.is_measured) since = std::max(since, last[instance]);
    }
    kernel.after_last_ns = end - since;
  }
}

}  // namespace nadi
