#include "nadi/link/match_iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "nadi/base/count_text.h"
#include "nadi/base/error.h"
#include "nadi/link/match_numbers.h"

namespace nadi {
namespace {

/// What the joining needs to know of a thread's iterations.
struct ThreadTimes {
  std::uint64_t first_id = 0;        ///< of the thread's first op in the host trace
  std::vector<Ns> start_ns, end_ns;  ///< by thread_iteration
};

/// Of the threads up to the last that has thread iterations.
std::vector<ThreadTimes> thread_times(const SequenceMatch& match, const HostTrace& host,
                                      const DeviceTrace& device) {
  std::size_t located = match.threads.size();
  while (located > 0 && match.threads[located - 1].thread_iterations.empty()) --located;
  std::vector<ThreadTimes> times(located);
  for (std::size_t t = 0; t < times.size(); ++t) {
    const ThreadMatch& thread = match.threads[t];
    times[t].first_id = host.ops.id[match.names.host[thread.host].row.front()];
    for (const ThreadIteration& thread_iteration : thread.thread_iterations) {
      const NameSequence& profiler = match.names.profiler[thread.profiler];
      times[t].start_ns.push_back(
          device.ops.start_ns[profiler.row[thread_iteration.first_place()]]);
      Ns end = times[t].start_ns.back();
      for (const NamePair& pair : thread_iteration.pairs) {
        const std::uint32_t row = profiler.row[pair.profiler];
        end = std::max(end, device.ops.start_ns[row] + device.ops.duration_ns[row]);
      }
      times[t].end_ns.push_back(end);
    }
  }
  return times;
}

/// Of the threads with at least a fifth of the ops of the largest, the one that began first.
std::size_t leading_thread(const SequenceMatch& match, const std::vector<ThreadTimes>& times) {
  std::size_t largest = 0;
  const auto size = [&](std::size_t t) { return match.names.host[match.threads[t].host].size(); };
  for (std::size_t t = 0; t < times.size(); ++t)
    if (!times[t].start_ns.empty()) largest = std::max(largest, size(t));
  std::size_t leading = times.size();
  for (std::size_t t = 0; t < times.size(); ++t) {
    if (times[t].start_ns.empty() || 5 * size(t) < largest) continue;
    if (leading == times.size() || times[t].first_id < times[leading].first_id) leading = t;
  }
  return leading;
}

/// The thread's iteration that belongs to thread iteration k of the leading thread; kNoIndex =
/// none.
std::uint32_t thread_iteration_with(const ThreadTimes& thread, const ThreadTimes& leading,
                                    std::size_t k) {
  const std::vector<Ns>& starts = thread.start_ns;
  const Ns begin = leading.start_ns[k];
  if (thread.first_id >= leading.first_id) {
    const Ns next =
        k + 1 < leading.start_ns.size() ? leading.start_ns[k + 1] : std::numeric_limits<Ns>::max();
    const auto found = std::lower_bound(starts.begin(), starts.end(), begin);
    return found != starts.end() && *found < next
               ? static_cast<std::uint32_t>(found - starts.begin())
               : kNoIndex;
  }
  const Ns before = k > 0 ? leading.start_ns[k - 1] : kNoTime;
  const auto after = std::upper_bound(starts.begin(), starts.end(), begin);
  if (after == starts.begin() || *std::prev(after) <= before) return kNoIndex;
  return static_cast<std::uint32_t>(after - starts.begin()) - 1;
}

Iteration join(const SequenceMatch& match, const std::vector<ThreadTimes>& times,
               std::size_t leading, std::size_t k) {
  Iteration iteration;
  iteration.start_ns = times[leading].start_ns[k];
  iteration.end_ns = times[leading].end_ns[k];
  for (std::size_t t = 0; t < times.size(); ++t) {
    const std::uint32_t thread_iteration = t == leading
                                               ? static_cast<std::uint32_t>(k)
                                               : thread_iteration_with(times[t], times[leading], k);
    iteration.thread_iteration.push_back(thread_iteration);
    if (thread_iteration == kNoIndex) continue;
    iteration.matched += match.threads[t].thread_iterations[thread_iteration].pairs.size();
    iteration.ambiguous += match.threads[t].thread_iterations[thread_iteration].ambiguous;
    iteration.start_ns = std::min(iteration.start_ns, times[t].start_ns[thread_iteration]);
    iteration.end_ns = std::max(iteration.end_ns, times[t].end_ns[thread_iteration]);
  }
  return iteration;
}

void keep_those_without_conflict(std::vector<Iteration>& iterations) {
  const auto is_contradicted = [](const Iteration& i) { return !i.conflict.empty(); };
  if (!std::all_of(iterations.begin(), iterations.end(), is_contradicted))
    std::erase_if(iterations, is_contradicted);
}

void keep_those_with(std::vector<Iteration>& iterations, std::uint64_t least) {
  std::erase_if(iterations, [&](const Iteration& i) { return i.matched < least; });
}

/// The iteration that the host trace recorded: that with clearly the most equal numbers.
std::optional<std::size_t> recorded_iteration(const SequenceMatch& match, const HostTrace& host,
                                              const DeviceTrace& device) {
  std::size_t best = 0;
  double most = 0, second = 0;
  for (std::size_t i = 0; i < match.iterations.size() && match.iterations.size() > 1; ++i) {
    const double share = share_of_equal_numbers(match, match.iterations[i], host, device);
    second = std::max(second, std::min(share, most));
    if (share > most) best = i;
    most = std::max(most, share);
  }
  if (most < kLeastShareOfOneRun || 2 * second > most) return std::nullopt;
  return best;
}

std::size_t median_iteration(const std::vector<Iteration>& iterations) {
  std::vector<std::size_t> order(iterations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return iterations[a].end_ns - iterations[a].start_ns <
           iterations[b].end_ns - iterations[b].start_ns;
  });
  return order[(order.size() - 1) / 2];
}

}  // namespace

std::vector<Iteration> join_iterations(const SequenceMatch& match, const HostTrace& host,
                                       const DeviceTrace& device, DifferingToo differing) {
  const std::vector<ThreadTimes> times = thread_times(match, host, device);
  const std::size_t leading = leading_thread(match, times);
  std::vector<Iteration> iterations;
  if (leading == times.size()) return iterations;
  for (std::size_t k = 0; k < times[leading].start_ns.size(); ++k)
    iterations.push_back(join(match, times, leading, k));
  for (Iteration& iteration : iterations)
    iteration.conflict = describe_number_conflict(match, iteration, host, device);
  keep_those_without_conflict(iterations);
  std::uint64_t most = 0;
  for (const Iteration& iteration : iterations) most = std::max(most, iteration.matched);
  const auto share_of_ops = [&](double share) {
    return static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(match.host_ops)));
  };
  const bool is_enough = most >= share_of_ops(kLeastShare), has_whole = most == match.host_ops;
  std::uint64_t least = most;
  if (is_enough && !has_whole) least = share_of_ops(kLeastShare);
  if (has_whole && differing == DifferingToo::kYes) least = share_of_ops(kLeastShareBesideWhole);
  keep_those_with(iterations, least);
  if (!is_enough) iterations.resize(1);
  return iterations;
}

double share_of_equal_numbers(const SequenceMatch& match, const Iteration& iteration,
                              const HostTrace& host, const DeviceTrace& device) {
  std::uint64_t equal = 0, compared = 0;
  for_each_pair(match, iteration, [&](std::uint32_t host_row, std::uint32_t profiler_row) {
    const std::int64_t on_host = host.ops.seq_id[host_row];
    const std::int64_t on_profiler = device.ops.seq_id[profiler_row];
    if (on_host < 0 || on_profiler < 0) return;
    ++compared;
    equal += on_host == on_profiler ? 1 : 0;
  });
  return compared == 0 ? 0 : static_cast<double>(equal) / static_cast<double>(compared);
}

std::size_t choose_iteration(const SequenceMatch& match, const HostTrace& host,
                             const DeviceTrace& device, const IterationPick& choice) {
  const std::vector<Iteration>& iterations = match.iterations;
  switch (choice.kind) {
    case IterationPickKind::kFirst:
      return 0;
    case IterationPickKind::kLast:
      return iterations.size() - 1;
    case IterationPickKind::kNumber:
      if (choice.number < 1 || choice.number > iterations.size())
        throw Error(ErrorCode::kUsage, "--occurrence",
                    fmt::format("there is no occurrence {}: the host trace occurs {}",
                                choice.number, count_text(iterations.size(), "time")),
                    iterations.size() == 1
                        ? "Leave --occurrence out"
                        : fmt::format("Choose one from 1 to {}", iterations.size()));
      return choice.number - 1;
    case IterationPickKind::kMedianDuration:
      return median_iteration(iterations);
    case IterationPickKind::kAuto:
      break;
  }
  return recorded_iteration(match, host, device).value_or(median_iteration(iterations));
}

const ThreadIteration* thread_iteration_in(const SequenceMatch& match, const Iteration& iteration,
                                           std::size_t thread) {
  if (thread >= iteration.thread_iteration.size() || iteration.thread_iteration[thread] == kNoIndex)
    return nullptr;
  return &match.threads[thread].thread_iterations[iteration.thread_iteration[thread]];
}

}  // namespace nadi
