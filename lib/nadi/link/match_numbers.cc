#include "nadi/link/match_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace nadi {
namespace {

/// Ops by the profiler's number minus the host's.
using Differences = std::map<std::int64_t, std::uint64_t>;

Differences differences_of(const ThreadIteration& thread_iteration, const NameSequence& on_host,
                           const NameSequence& on_profiler, const HostTrace& host,
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
  const NameSequence* first = nullptr;  // the first thread with numbers
  std::int64_t usual = 0;               // of that thread
  for (std::size_t t = 0; t < iteration.thread_iteration.size(); ++t) {
    const ThreadIteration* const thread_iteration = thread_iteration_in(match, iteration, t);
    if (thread_iteration == nullptr) continue;
    const NameSequence& on_host = match.names.host[match.threads[t].host];
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
          first->thread, common, on_host.thread);
    for (const auto& [difference, count] : differences) all[difference] += count;
  }
  return all.empty() ? std::string() : describe_uncommon(std::move(all));
}

}  // namespace nadi
