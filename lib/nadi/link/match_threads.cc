#include <algorithm>
#include <map>
#include <numeric>

#include "nadi/link/match_iterations.h"

namespace nadi {
namespace {

constexpr std::size_t kMostThreads = 64, kMostCandidates = 4;

std::map<std::uint32_t, std::uint32_t> count_names(const NameSequence& sequence) {
  std::map<std::uint32_t, std::uint32_t> counts;
  for (std::uint32_t name : sequence.name) ++counts[name];
  return counts;
}

using NameCounts = std::vector<std::map<std::uint32_t, std::uint32_t>>;

/// Ops of one sequence that have a partner of the same name in the other, whatever the order. Time
/// goes with the fewer names of the two.
std::uint64_t common_ops(const std::map<std::uint32_t, std::uint32_t>& one,
                         const std::map<std::uint32_t, std::uint32_t>& other) {
  if (other.size() < one.size()) return common_ops(other, one);
  std::uint64_t common = 0;
  for (const auto& [name, count] : one)
    if (const auto found = other.find(name); found != other.end())
      common += std::min(count, found->second);
  return common;
}

/// Free profiler threads that have at least half of the names, the most alike first; how many names
/// the most alike one has.
std::vector<std::uint32_t> candidates(const NameSequence& host, const NameSequences& names,
                                      const NameCounts& profiler, const std::vector<bool>& is_taken,
                                      std::optional<std::uint64_t>& same_name_ops) {
  const auto counts = count_names(host);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> ranked;
  for (std::uint32_t thread = 0; thread < profiler.size(); ++thread) {
    // So few ops are not looked at: many small threads shall not cost a look at the host's each.
    if (is_taken[thread] || 2 * names.profiler[thread].size() < host.size()) continue;
    const std::uint64_t common = common_ops(counts, profiler[thread]);
    same_name_ops = std::max(same_name_ops.value_or(0), common);
    if (2 * common >= host.size()) ranked.emplace_back(common, thread);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::uint32_t> result;
  for (const auto& [common, thread] : ranked)
    if (result.size() < kMostCandidates) result.push_back(thread);
  return result;
}

}  // namespace

std::vector<std::uint32_t> by_length(const std::vector<NameSequence>& sequences) {
  std::vector<std::uint32_t> order(sequences.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return sequences[a].size() > sequences[b].size();
  });
  return order;
}

std::vector<std::uint32_t> most_alike_threads(const NameSequences& names) {
  const auto longest = [](const std::vector<NameSequence>& sequences) {
    std::vector<std::uint32_t> order = by_length(sequences);
    order.resize(std::min(order.size(), kMostThreads));
    return order;
  };
  NameCounts profiler(names.profiler.size());
  const std::vector<std::uint32_t> profiler_threads = longest(names.profiler);
  for (const std::uint32_t thread : profiler_threads)
    profiler[thread] = count_names(names.profiler[thread]);
  struct Pair {
    std::uint64_t common;
    std::uint32_t host, profiler;
  };
  std::vector<Pair> pairs;
  for (const std::uint32_t host : longest(names.host)) {
    const auto counts = count_names(names.host[host]);
    for (const std::uint32_t thread : profiler_threads)
      pairs.push_back({common_ops(counts, profiler[thread]), host, thread});
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.common > b.common; });
  std::vector<std::uint32_t> result(names.host.size(), kNoIndex);
  std::vector<bool> is_taken(names.profiler.size(), false);
  for (const Pair& pair : pairs) {
    if (pair.common == 0 || result[pair.host] != kNoIndex || is_taken[pair.profiler]) continue;
    result[pair.host] = pair.profiler;
    is_taken[pair.profiler] = true;
  }
  return result;
}

std::vector<ThreadMatch> map_threads(const NameSequences& names, const Locate& locate) {
  NameCounts profiler;
  for (const NameSequence& sequence : names.profiler) profiler.push_back(count_names(sequence));
  std::vector<ThreadMatch> result;
  for (std::uint32_t host : by_length(names.host)) result.push_back({host, kNoIndex, {}});
  std::vector<bool> is_taken(names.profiler.size(), false);
  for (std::size_t i = 0; i < std::min(result.size(), kMostThreads); ++i) {
    ThreadMatch& thread = result[i];
    const NameSequence& sequence = names.host[thread.host];
    std::size_t best = 0;
    for (std::uint32_t candidate :
         candidates(sequence, names, profiler, is_taken, thread.same_name_ops)) {
      if (best == sequence.size()) break;
      std::vector<ThreadIteration> found = locate(sequence, names.profiler[candidate]);
      if (most_pairs(found) <= best) continue;
      best = most_pairs(found);
      thread.profiler = candidate;
      thread.thread_iterations = std::move(found);
    }
    if (thread.profiler != kNoIndex) is_taken[thread.profiler] = true;
  }
  return result;
}

}  // namespace nadi
