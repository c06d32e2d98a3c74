#include "nadi/link/match_short.h"

#include <algorithm>

#include "nadi/link/match_fit.h"

namespace nadi {
namespace {

constexpr std::size_t kShort = 64;

ThreadIteration align(Names host, Names profiler, std::span<const std::uint32_t> place,
                      PlaceRange range, AlignBudget& budget) {
  ThreadIteration thread_iteration = align_range(host, profiler, range, budget);
  for (NamePair& pair : thread_iteration.pairs) pair.profiler = place[pair.profiler];
  return thread_iteration;
}

/// A range that may be chosen.
struct Candidate {
  PlaceRange range;
  std::uint32_t first, last;  ///< of the places used in it
  std::int64_t worth;
};

/// More host ops matched than unmatched; of as many the closer together.
std::int64_t worth_of(const ThreadIteration& thread_iteration, std::size_t host_size) {
  constexpr std::int64_t kOp = 1 << 16;
  const auto matched = std::ssize(thread_iteration.pairs),
             size = static_cast<std::int64_t>(host_size);
  return kOp * (2 * matched - size + 1) -
         (std::int64_t{thread_iteration.last_place()} - thread_iteration.first_place());
}

std::vector<Candidate> candidates_of(const std::vector<Fit>& fits, Names host, Names profiler,
                                     std::span<const std::uint32_t> place, AlignBudget& budget) {
  std::vector<Candidate> candidates;
  for (const Fit& fit : fits) {
    const PlaceRange range{fit.begin, fit.end};
    const ThreadIteration found = align(host, profiler, place, range, budget);
    if (found.pairs.empty() || 2 * found.pairs.size() < host.size() || !is_together(found))
      continue;
    candidates.push_back(
        {range, found.first_place(), found.last_place(), worth_of(found, host.size())});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.last < b.last; });
  return candidates;
}

/// The candidates worth most of all that overlap nowhere (weighted interval scheduling), ascending.
std::vector<Candidate> choose(const std::vector<Candidate>& candidates) {
  std::vector<std::int64_t> worth{0};  // of the best among the first ones
  std::vector<std::size_t> before;     // how many end before it begins
  worth.reserve(candidates.size());
  before.reserve(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(i);
    const auto after = std::partition_point(candidates.begin(), end, [&](const Candidate& other) {
      return other.last < candidates[i].first;
    });
    before.push_back(static_cast<std::size_t>(after - candidates.begin()));
    worth.push_back(std::max(worth[i], worth[before[i]] + candidates[i].worth));
  }
  std::vector<Candidate> chosen;
  for (std::size_t i = candidates.size(); i > 0;) {
    if (worth[i] == worth[i - 1]) {
      --i;
      continue;
    }
    chosen.push_back(candidates[i - 1]);
    i = before[i - 1];
  }
  std::reverse(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace

std::optional<std::vector<ThreadIteration>> locate_short(Names host, Names profiler,
                                                         std::span<const std::uint32_t> place,
                                                         AlignBudget& budget) {
  if (host.size() > kShort) return std::nullopt;
  const auto fits = find_fits(host, profiler, FitChoice::kAll, budget);
  if (!fits) return std::nullopt;
  std::vector<ThreadIteration> thread_iterations;
  for (const Candidate& one : choose(candidates_of(*fits, host, profiler, place, budget)))
    thread_iterations.push_back(align(host, profiler, place, one.range, budget));
  return thread_iterations;
}

}  // namespace nadi
