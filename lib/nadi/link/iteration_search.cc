#include "nadi/link/iteration_search.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "nadi/link/match.h"

namespace nadi {
namespace {

/// A sequence without the names that the other one lacks.
struct CommonNames {
  NameList name;
  ByPosition<NamePosition> position;  ///< in the whole sequence
};

CommonNames common_names(Names names, Names other) {
  const std::unordered_set<NameNumber> known(other.begin(), other.end());
  CommonNames common;
  for (const NamePosition position : rows_of(names)) {
    if (!known.contains(names[position])) continue;
    common.name.push_back(names[position]);
    common.position.push_back(position);
  }
  return common;
}

/// What was looked over of the profiler's ops is the smaller part.
bool is_together(const ThreadIteration& thread_iteration) {
  return thread_iteration.last_position() - thread_iteration.first_position() <
         2 * thread_iteration.pairs.size();
}

ByRow<ThreadIteration> find_whole_iterations(const CommonNames& host, const CommonNames& profiler,
                                             bool may_overlap, std::size_t most) {
  ByRow<ThreadIteration> result;
  const std::size_t count = host.name.size();
  for (const NamePosition begin : find_whole(host.name, profiler.name, may_overlap, most)) {
    ThreadIteration thread_iteration;
    thread_iteration.exact = count;
    thread_iteration.pairs.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      thread_iteration.pairs.push_back({host.position[i], profiler.position[begin + i]});
    if (is_together(thread_iteration)) result.push_back(std::move(thread_iteration));
  }
  return result;
}

/// A range of the profiler's common names compared with the host's.
ThreadIteration diff_common(Names host, const CommonNames& profiler, PositionRange range,
                            MatchBudget& budget) {
  ThreadIteration thread_iteration = diff_range(host, profiler.name, range, budget);
  for (NamePair& pair : thread_iteration.pairs) pair.profiler = profiler.position[pair.profiler];
  return thread_iteration;
}

/// The part around the middle of a range that no thread iteration has taken.
PositionRange free_part(PositionRange range, const ByPosition<bool>& is_taken) {
  const NamePosition middle = range.first + (range.second - range.first) / 2;
  PositionRange part{middle, middle};
  while (part.second < range.second && !is_taken[part.second]) ++part.second;
  while (part.second > middle && part.first > range.first && !is_taken[part.first - 1])
    --part.first;
  return part;
}

/// Marks the common names that the thread iteration takes.
void take(const ThreadIteration& thread_iteration, const CommonNames& common,
          ByPosition<bool>& is_taken) {
  const auto marks = [&](NamePosition position) {
    const auto found = std::lower_bound(common.position.begin(), common.position.end(), position);
    return is_taken.begin() + (found - common.position.begin());
  };
  std::fill(marks(thread_iteration.first_position()), marks(thread_iteration.last_position()) + 1,
            true);
}

/// Pairs that stand in runs of at least 8 neighbours on both sides, or in a whole sequence.
std::uint64_t count_exact(const std::vector<NamePair>& pairs, std::size_t host_size) {
  constexpr std::size_t kRun = 8;
  std::uint64_t exact = 0;
  for (std::size_t first = 0, end = 0; first < pairs.size(); first = end) {
    for (end = first + 1; end < pairs.size(); ++end)
      if (pairs[end].host != pairs[end - 1].host + 1 ||
          pairs[end].profiler != pairs[end - 1].profiler + 1)
        break;
    if (end - first >= std::min(kRun, host_size)) exact += end - first;
  }
  return exact;
}

bool is_by_profiler(const NamePair& a, const NamePair& b) { return a.profiler < b.profiler; }

}  // namespace

NamePosition ThreadIteration::first_position() const {
  return std::min_element(pairs.begin(), pairs.end(), is_by_profiler)->profiler;
}

NamePosition ThreadIteration::last_position() const {
  return std::max_element(pairs.begin(), pairs.end(), is_by_profiler)->profiler;
}

std::size_t most_pairs(const ByRow<ThreadIteration>& thread_iterations) {
  std::size_t most = 0;
  for (const ThreadIteration& thread_iteration : thread_iterations)
    most = std::max(most, thread_iteration.pairs.size());
  return most;
}

ThreadIteration diff_range(Names host, Names profiler, PositionRange range, MatchBudget& budget) {
  ThreadIteration thread_iteration;
  thread_iteration.pairs = diff_names(host, profiler.between(range.first, range.second), budget);
  for (NamePair& pair : thread_iteration.pairs) pair.profiler = range.first + pair.profiler.value;
  thread_iteration.exact = count_exact(thread_iteration.pairs, host.size());
  return thread_iteration;
}

ByRow<ThreadIteration> locate_anywhere(Names host, Names profiler, std::size_t most,
                                       MatchBudget& budget) {
  const CommonNames on_host = common_names(host, profiler);
  const CommonNames on_profiler = common_names(profiler, host);
  ByRow<ThreadIteration> result = find_whole_iterations(on_host, on_profiler, true, most);
  if (!result.empty() || on_host.name.empty()) return result;
  for (const Infix& infix : find_infixes(host, on_profiler.name, budget)) {
    if (result.size() == most) break;
    ThreadIteration found = diff_common(host, on_profiler, infix.range, budget);
    if (!found.pairs.empty()) result.push_back(std::move(found));
  }
  return result;
}

ByRow<ThreadIteration> locate(Names host, Names profiler, MatchBudget& budget,
                              DifferingToo differing) {
  const CommonNames on_host = common_names(host, profiler);
  if (2 * on_host.name.size() < host.size() || on_host.name.empty()) return {};
  const CommonNames on_profiler = common_names(profiler, host);
  ByRow<ThreadIteration> result =
      find_whole_iterations(on_host, on_profiler, false, std::numeric_limits<std::size_t>::max());
  if (!result.empty() && differing == DifferingToo::kNo) return result;
  // Beside whole ones: what fits less is other work in between.
  const double least = result.empty() ? 0.5 * static_cast<double>(host.size())
                                      : kLeastShare * static_cast<double>(on_host.name.size());
  ByPosition<bool> is_taken(on_profiler.name.size(), false);
  for (const ThreadIteration& whole : result) take(whole, on_profiler, is_taken);
  // A name that only the host has holds its place, so it stays.
  for (const Infix& infix : find_infixes(host, on_profiler.name, budget)) {
    const PositionRange range = free_part(infix.range, is_taken);
    if (range.second - range.first < least) continue;
    ThreadIteration found = diff_common(host, on_profiler, range, budget);
    if (static_cast<double>(found.pairs.size()) < least || !is_together(found)) continue;
    take(found, on_profiler, is_taken);
    result.push_back(std::move(found));
  }
  std::sort(result.begin(), result.end(), [](const ThreadIteration& a, const ThreadIteration& b) {
    return a.first_position() < b.first_position();
  });
  return result;
}

}  // namespace nadi
