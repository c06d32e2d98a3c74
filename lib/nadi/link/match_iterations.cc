#include "nadi/link/match_iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "nadi/base/count_text.h"
#include "nadi/base/error.h"

namespace nadi {
namespace {

/// What the joining needs to know of a thread's iterations.
struct ThreadTimes {
  std::uint64_t first_id = 0;  ///< of the thread's first op in the host trace
  ByRow<ThreadIteration, Ns> start_ns, end_ns;
};

/// Of the threads up to the last that has thread iterations.
ByRow<ThreadMatch, ThreadTimes> thread_times(const SequenceMatch& match, const HostTrace& host,
                                             const DeviceTrace& device) {
  std::size_t located = match.threads.size();
  while (located > 0 && match.threads[located - 1].thread_iterations.empty()) --located;
  ByRow<ThreadMatch, ThreadTimes> times(located);
  for (const ThreadMatchIndex t : rows_of(times)) {
    const ThreadMatch& thread = match.threads[t];
    times[t].first_id = host.ops.id[match.names.host[thread.host].row.front()];
    for (const ThreadIteration& thread_iteration : thread.thread_iterations) {
      const ProfilerSequence& profiler = match.names.profiler[thread.profiler];
      times[t].start_ns.push_back(
          device.ops.start_ns[profiler.row[thread_iteration.first_position()]]);
      Ns end = times[t].start_ns.back();
      for (const NamePair& pair : thread_iteration.pairs) {
        const ProfilerOpIndex row = profiler.row[pair.profiler];
        end = std::max(end, op_end_ns(device.ops, row));
      }
      times[t].end_ns.push_back(end);
    }
  }
  return times;
}

/// Of the threads with at least a fifth of the ops of the largest, the one that began first; none =
/// no thread has iterations.
ThreadMatchIndex leading_thread(const SequenceMatch& match,
                                const ByRow<ThreadMatch, ThreadTimes>& times) {
  std::size_t largest = 0;
  const auto size = [&](ThreadMatchIndex t) {
    return match.names.host[match.threads[t].host].size();
  };
  for (const ThreadMatchIndex t : rows_of(times))
    if (!times[t].start_ns.empty()) largest = std::max(largest, size(t));
  ThreadMatchIndex leading;
  for (const ThreadMatchIndex t : rows_of(times)) {
    if (times[t].start_ns.empty() || 5 * size(t) < largest) continue;
    if (!leading || times[t].first_id < times[leading].first_id) leading = t;
  }
  return leading;
}

/// The thread's iteration that belongs to thread iteration k of the leading thread; none = there is
/// none.
ThreadIterationIndex thread_iteration_with(const ThreadTimes& thread, const ThreadTimes& leading,
                                           ThreadIterationIndex k) {
  const std::vector<Ns>& starts = thread.start_ns;
  const Ns begin = leading.start_ns[k];
  if (thread.first_id >= leading.first_id) {
    const bool is_last = k + 1 == ThreadIterationIndex(leading.start_ns.size());
    const Ns next = is_last ? std::numeric_limits<Ns>::max() : leading.start_ns[k + 1];
    const auto found = std::lower_bound(starts.begin(), starts.end(), begin);
    if (found == starts.end() || *found >= next) return {};
    return ThreadIterationIndex(static_cast<std::size_t>(found - starts.begin()));
  }
  const Ns before = k > ThreadIterationIndex(0) ? leading.start_ns[k - 1] : kNoTime;
  const auto after = std::upper_bound(starts.begin(), starts.end(), begin);
  if (after == starts.begin() || *std::prev(after) <= before) return {};
  return ThreadIterationIndex(static_cast<std::size_t>(std::prev(after) - starts.begin()));
}

Iteration join(const SequenceMatch& match, const ByRow<ThreadMatch, ThreadTimes>& times,
               ThreadMatchIndex leading, ThreadIterationIndex k) {
  Iteration iteration;
  iteration.start_ns = times[leading].start_ns[k];
  iteration.end_ns = times[leading].end_ns[k];
  for (const ThreadMatchIndex t : rows_of(times)) {
    const ThreadIterationIndex thread_iteration =
        t == leading ? k : thread_iteration_with(times[t], times[leading], k);
    iteration.thread_iteration.push_back(thread_iteration);
    if (!thread_iteration) continue;
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
  const ByRow<ThreadMatch, ThreadTimes> times = thread_times(match, host, device);
  const ThreadMatchIndex leading = leading_thread(match, times);
  std::vector<Iteration> iterations;
  if (!leading) return iterations;
  for (const ThreadIterationIndex k : rows_of(times[leading].start_ns))
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
  for_each_pair(match, iteration, [&](HostOpIndex host_row, ProfilerOpIndex profiler_row) {
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
        throw Error(ErrorCode::kUsage, "`occurrence`",
                    fmt::format("there is no occurrence {}: the host trace occurs {}",
                                choice.number, count_text(iterations.size(), "time")),
                    iterations.size() == 1
                        ? "Leave `occurrence` out"
                        : fmt::format("Choose one from 1 to {}", iterations.size()));
      return choice.number - 1;
    case IterationPickKind::kMedianDuration:
      return median_iteration(iterations);
    case IterationPickKind::kAuto:
      break;
  }
  return recorded_iteration(match, host, device).value_or(median_iteration(iterations));
}

const ThreadIteration* thread_iteration_in(const SequenceMatch& match, const Iteration* iteration,
                                           ThreadMatchIndex thread) {
  if (iteration == nullptr || thread >= ThreadMatchIndex(iteration->thread_iteration.size()) ||
      !iteration->thread_iteration[thread])
    return nullptr;
  return &match.threads[thread].thread_iterations[iteration->thread_iteration[thread]];
}

namespace {

/// Ops by the profiler's number minus the host's.
using Differences = std::map<std::int64_t, std::uint64_t>;

Differences differences_of(const ThreadIteration& thread_iteration, const HostSequence& on_host,
                           const ProfilerSequence& on_profiler, const HostTrace& host,
                           const DeviceTrace& device) {
  Differences differences;
  for (const NamePair& pair : thread_iteration.pairs) {
    const std::int64_t of_host = host.ops.seq_id[on_host.row[pair.host]];
    const std::int64_t of_profiler = device.ops.seq_id[on_profiler.row[pair.profiler]];
    if (of_host >= 0 && of_profiler >= 0) ++differences[of_profiler - of_host];
  }
  return differences;
}

/// The difference of most ops; of differences as common the smallest.
Differences::value_type most_common(const Differences& differences) {
  return *std::max_element(differences.begin(), differences.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
}

/// Of the differences of all threads.
std::string describe_uncommon(Differences differences) {
  std::uint64_t ops = 0;
  for (const auto& [difference, count] : differences) ops += count;
  const auto [usual, count] = most_common(differences);
  if (100 * (ops - count) <= ops) return {};
  differences.erase(usual);
  const auto [other, others] = most_common(differences);
  return fmt::format("autograd's sequence numbers are apart by {} in {} of {} ops and by {} in {}",
                     usual, count, ops, other, others);
}

}  // namespace

std::string describe_number_conflict(const SequenceMatch& match, const Iteration& iteration,
                                     const HostTrace& host, const DeviceTrace& device) {
  Differences all;
  const HostSequence* first = nullptr;  // the first thread with numbers
  std::int64_t usual = 0;               // of that thread
  for (const ThreadMatchIndex t : rows_of(iteration.thread_iteration)) {
    const ThreadIteration* const thread_iteration = thread_iteration_in(match, &iteration, t);
    if (thread_iteration == nullptr) continue;
    const HostSequence& on_host = match.names.host[match.threads[t].host];
    const Differences differences = differences_of(
        *thread_iteration, on_host, match.names.profiler[match.threads[t].profiler], host, device);
    if (differences.empty()) continue;
    const std::int64_t common = most_common(differences).first;
    if (first == nullptr) {
      first = &on_host;
      usual = common;
    }
    if (common != usual)
      return fmt::format(
          "autograd's sequence numbers are apart by {} on thread {} and by {} on thread {}", usual,
          first->tid, common, on_host.tid);
    for (const auto& [difference, count] : differences) all[difference] += count;
  }
  return all.empty() ? std::string() : describe_uncommon(std::move(all));
}

namespace {

constexpr std::size_t kMostThreads = 64, kMostCandidates = 4;

/// How often each name occurs.
using NameCounts = std::map<NameNumber, std::uint32_t>;

NameCounts count_names(Names names) {
  NameCounts counts;
  for (const NameNumber name : names) ++counts[name];
  return counts;
}

/// Ops of one sequence that have a partner of the same name in the other, whatever the order. Time
/// goes with the fewer names of the two.
std::uint64_t common_ops(const NameCounts& one, const NameCounts& other) {
  if (other.size() < one.size()) return common_ops(other, one);
  std::uint64_t common = 0;
  for (const auto& [name, count] : one)
    if (const auto found = other.find(name); found != other.end())
      common += std::min(count, found->second);
  return common;
}

/// Free profiler threads that have at least half of the names, the most alike first; how many names
/// the most alike one has.
std::vector<ProfilerSequenceIndex> candidates(const HostSequence& host, const NameSequences& names,
                                              const ByRow<ProfilerSequence, NameCounts>& profiler,
                                              const ByRow<ProfilerSequence, bool>& is_taken,
                                              std::optional<std::uint64_t>& same_name_ops) {
  const auto counts = count_names(host.name);
  std::vector<std::pair<std::uint64_t, ProfilerSequenceIndex>> ranked;
  for (const ProfilerSequenceIndex thread : rows_of(profiler)) {
    // So few ops are not looked at: many small threads shall not cost a look at the host's each.
    if (is_taken[thread] || 2 * names.profiler[thread].size() < host.size()) continue;
    const std::uint64_t common = common_ops(counts, profiler[thread]);
    same_name_ops = std::max(same_name_ops.value_or(0), common);
    if (2 * common >= host.size()) ranked.emplace_back(common, thread);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<ProfilerSequenceIndex> result;
  for (const auto& [common, thread] : ranked)
    if (result.size() < kMostCandidates) result.push_back(thread);
  return result;
}

}  // namespace

ByRow<HostSequence, ProfilerSequenceIndex> most_alike_threads(const NameSequences& names) {
  const auto longest = [](const auto& sequences) {
    auto order = by_length(sequences);
    order.resize(std::min(order.size(), kMostThreads));
    return order;
  };
  ByRow<ProfilerSequence, NameCounts> profiler(names.profiler.size());
  const std::vector<ProfilerSequenceIndex> profiler_threads = longest(names.profiler);
  for (const ProfilerSequenceIndex thread : profiler_threads)
    profiler[thread] = count_names(names.profiler[thread].name);
  struct Pair {
    std::uint64_t common;
    HostSequenceIndex host;
    ProfilerSequenceIndex profiler;
  };
  std::vector<Pair> pairs;
  for (const HostSequenceIndex host : longest(names.host)) {
    const auto counts = count_names(names.host[host].name);
    for (const ProfilerSequenceIndex thread : profiler_threads)
      pairs.push_back({common_ops(counts, profiler[thread]), host, thread});
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.common > b.common; });
  ByRow<HostSequence, ProfilerSequenceIndex> result(names.host.size());
  ByRow<ProfilerSequence, bool> is_taken(names.profiler.size(), false);
  for (const Pair& pair : pairs) {
    if (pair.common == 0 || result[pair.host] || is_taken[pair.profiler]) continue;
    result[pair.host] = pair.profiler;
    is_taken[pair.profiler] = true;
  }
  return result;
}

ByRow<ThreadMatch> map_threads(const NameSequences& names, const Locate& locate) {
  ByRow<ProfilerSequence, NameCounts> profiler;
  for (const ProfilerSequence& sequence : names.profiler)
    profiler.push_back(count_names(sequence.name));
  ByRow<ThreadMatch> result;
  for (const HostSequenceIndex host : by_length(names.host)) result.push_back({host, {}, {}});
  ByRow<ProfilerSequence, bool> is_taken(names.profiler.size(), false);
  for (std::size_t i = 0; i < std::min(result.size(), kMostThreads); ++i) {
    ThreadMatch& thread = result[i];
    const HostSequence& sequence = names.host[thread.host];
    std::size_t best = 0;
    for (const ProfilerSequenceIndex candidate :
         candidates(sequence, names, profiler, is_taken, thread.same_name_ops)) {
      if (best == sequence.size()) break;
      ByRow<ThreadIteration> found = locate(thread.host, candidate);
      if (most_pairs(found) <= best) continue;
      best = most_pairs(found);
      thread.profiler = candidate;
      thread.thread_iterations = std::move(found);
    }
    if (thread.profiler) is_taken[thread.profiler] = true;
  }
  return result;
}

}  // namespace nadi
