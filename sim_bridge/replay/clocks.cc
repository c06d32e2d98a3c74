// Brings the clocks of the ranks together, and tells who waited inside communication for whom.
#include <algorithm>
#include <optional>

#include "nadi/base/error.h"
#include "nadi/sim_bridge/replay/replay_job.h"

namespace nadi {

namespace {

Ns kernel_start(const ReplayJob& job, const MeetingKernel& kernel) {
  Ns start = job.start_ns(kernel.nodes.front());
  for (const std::uint32_t node : kernel.nodes) start = std::max(start, job.start_ns(node));
  return start;
}

Ns kernel_end(const ReplayJob& job, const MeetingKernel& kernel) {
  Ns end = job.end_ns(kernel.nodes.front());
  for (const std::uint32_t node : kernel.nodes) end = std::max(end, job.end_ns(node));
  return end;
}

Ns last_start(const ReplayJob& job, const Meeting& meeting) {
  Ns last = kernel_start(job, job.kernels[meeting.kernels.front()]);
  for (const std::uint32_t kernel : meeting.kernels)
    last = std::max(last, kernel_start(job, job.kernels[kernel]));
  return last;
}

/// The graphs' shifts by base_time_ns; nothing where not all tell it.
std::optional<std::vector<Ns>> shifts_by_base_time(const ReplayJob& job) {
  // Further apart than any job runs; keeps sums of times far from overflow.
  constexpr Ns kMostApart = Ns{1} << 58;
  std::vector<Ns> base;
  for (const SimGraph& graph : job.graphs) {
    if (!graph.base_time_ns) return {};
    base.push_back(*graph.base_time_ns);
  }
  const Ns first = *std::min_element(base.begin(), base.end());
  for (Ns& shift : base)
    if (__builtin_sub_overflow(shift, first, &shift) || shift > kMostApart) return {};
  return base;
}

/// A kernel that nobody can leave early ended before another one of its meeting started.
const Meeting* find_contradiction(const ReplayJob& job) {
  for (const Meeting& meeting : job.meetings) {
    if (!meeting.needs_all) continue;
    const Ns last = last_start(job, meeting);
    for (const std::uint32_t kernel : meeting.kernels)
      if (kernel_end(job, job.kernels[kernel]) < last) return &meeting;
  }
  return nullptr;
}

/// Goes from graph to graph through meetings: the first one shared with a graph already placed
/// places a graph. What shares none keeps its own clock.
class MeetingClock {
 public:
  explicit MeetingClock(ReplayJob& job) : job_(job), is_placed_(job.graphs.size(), false) {}

  void run() {
    std::fill(job_.shift_ns.begin(), job_.shift_ns.end(), 0);
    order_meetings();
    for (std::size_t of = 0; of < job_.graphs.size(); ++of) {
      if (is_placed_[of]) continue;
      is_placed_[of] = true;
      while (place_next()) {
      }
    }
    const Ns first = *std::min_element(job_.shift_ns.begin(), job_.shift_ns.end());
    for (Ns& shift : job_.shift_ns) shift -= first;
  }

 private:
  // Collectives first, then by the place in the files.
  void order_meetings() {
    for (const Meeting& meeting : job_.meetings) meetings_.push_back(&meeting);
    const auto key = [&](const Meeting* meeting) {
      const MeetingKernel& kernel = job_.kernels[meeting->kernels.front()];
      return std::pair(!meeting->needs_all, job_.row(kernel.nodes.front()));
    };
    std::stable_sort(meetings_.begin(), meetings_.end(),
                     [&](const Meeting* a, const Meeting* b) { return key(a) < key(b); });
  }

  bool place_next() {
    for (const Meeting* meeting : meetings_) {
      const MeetingKernel* placed = nullptr;
      for (const std::uint32_t kernel : meeting->kernels)
        if (is_placed_[job_.kernels[kernel].rank]) placed = &job_.kernels[kernel];
      if (placed == nullptr) continue;
      bool has_placed = false;
      for (const std::uint32_t kernel : meeting->kernels)
        has_placed |= place(job_.kernels[kernel], kernel_end(job_, *placed));
      if (has_placed) return true;
    }
    return false;
  }

  bool place(const MeetingKernel& kernel, Ns end) {
    if (is_placed_[kernel.rank]) return false;
    is_placed_[kernel.rank] = true;
    job_.shift_ns[kernel.rank] = end - kernel_end(job_, kernel);
    return true;
  }

  ReplayJob& job_;
  std::vector<bool> is_placed_;
  std::vector<const Meeting*> meetings_;
};

/// Ranks of one job run at the same time; clocks of machines differ by less than a second.
void report_apart(const ReplayJob& job, Diagnostics& diagnostics) {
  constexpr Ns kApart = 1'000'000'000;
  struct Span {
    Ns begin, end;
    const std::string* name;
  };
  std::vector<Span> spans;
  for (std::size_t of = 0; of < job.graphs.size(); ++of) {
    const SimGraph& graph = job.graphs[of];
    const Ns begin = *std::min_element(graph.start_ns.begin(), graph.start_ns.end());
    Span span{begin, begin, &graph.name};
    for (std::size_t row = 0; row < graph.size(); ++row)
      span.end = std::max(span.end, graph.end_ns(row));
    spans.push_back({span.begin + job.shift_ns[of], span.end + job.shift_ns[of], span.name});
  }
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  Ns end = spans.front().end;
  for (const Span& span : spans) {
    if (span.begin - end > kApart)
      diagnostics.report("ranks-apart", Severity::kWarning,
                         *span.name + " begins " + std::to_string((span.begin - end) / 1'000'000) +
                             " ms after the others have ended: is it of the same job?");
    end = std::max(end, span.end);
  }
}

}  // namespace

void align_clocks(ReplayJob& job, Diagnostics& diagnostics) {
  job.clock = ClockSource::kMeetings;
  if (const auto told = shifts_by_base_time(job)) {
    job.shift_ns = *told;
    job.clock = ClockSource::kBaseTime;
    const Meeting* contradiction = find_contradiction(job);
    if (contradiction == nullptr) return report_apart(job, diagnostics);
    job.clock = ClockSource::kContradicted;
    diagnostics.report("clocks-contradict", Severity::kWarning,
                       job.text(job.kernels[contradiction->kernels.front()].nodes.front()) +
                           " would have ended on one rank before it started on another");
  } else {
    diagnostics.report("base-time-unknown", Severity::kInfo, job.graphs.front().name);
  }
  MeetingClock(job).run();
}

void find_waits(ReplayJob& job) {
  std::vector<Ns> last;
  last.reserve(job.meetings.size());
  for (const Meeting& meeting : job.meetings) last.push_back(last_start(job, meeting));
  for (MeetingKernel& kernel : job.kernels) {
    const Ns end = kernel_end(job, kernel);
    Ns since = kernel_start(job, kernel);
    for (const std::uint32_t meeting : kernel.meetings) {
      if (last[meeting] > end) continue;
      kernel.waits_for.push_back(meeting);
      since = std::max(since, last[meeting]);
    }
    kernel.after_last_ns = end - since;
  }
}

}  // namespace nadi
