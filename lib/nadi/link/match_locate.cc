#include "nadi/link/match_locate.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_set>

#include "nadi/base/id_map.h"
#include "nadi/link/match.h"
#include "nadi/link/match_close.h"
#include "nadi/link/match_fit.h"
#include "nadi/link/match_short.h"

namespace nadi {
namespace {

/// A sequence without the names that the other one lacks.
struct CommonNames {
  std::vector<std::uint32_t> name;
  std::vector<std::uint32_t> place;  ///< in the whole sequence
};

CommonNames common_names(Names names, Names other) {
  const std::unordered_set<std::uint32_t> known(other.begin(), other.end());
  CommonNames common;
  for (std::uint32_t place = 0; place < names.size(); ++place) {
    if (!known.contains(names[place])) continue;
    common.name.push_back(names[place]);
    common.place.push_back(place);
  }
  return common;
}

/// Places where the whole pattern begins, at most so many; each may overlap the one before or not
/// (Knuth, Morris, Pratt: linear).
std::vector<std::uint32_t> find_whole(Names pattern, Names text, bool may_overlap,
                                      std::size_t most) {
  std::vector<std::uint32_t> found;
  if (pattern.empty()) return found;
  std::vector<std::size_t> border(pattern.size() + 1, 0);  // by length of prefix
  for (std::size_t i = 1, length = 0; i < pattern.size(); ++i) {
    while (length > 0 && pattern[i] != pattern[length]) length = border[length];
    if (pattern[i] == pattern[length]) ++length;
    border[i + 1] = length;
  }
  for (std::size_t i = 0, length = 0; i < text.size() && found.size() < most; ++i) {
    while (length > 0 && text[i] != pattern[length]) length = border[length];
    if (text[i] == pattern[length]) ++length;
    if (length < pattern.size()) continue;
    found.push_back(static_cast<std::uint32_t>(i + 1 - pattern.size()));
    length = may_overlap ? border[length] : 0;
  }
  return found;
}

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

std::vector<ThreadIteration> find_whole_iterations(const CommonNames& host,
                                                   const CommonNames& profiler,
                                                   bool may_overlap = false,
                                                   std::size_t most = kAny) {
  std::vector<ThreadIteration> result;
  const std::size_t count = host.name.size();
  for (std::uint32_t begin : find_whole(host.name, profiler.name, may_overlap, most)) {
    ThreadIteration thread_iteration;
    thread_iteration.exact = count;
    thread_iteration.pairs.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      thread_iteration.pairs.push_back({host.place[i], profiler.place[begin + i]});
    if (is_together(thread_iteration)) result.push_back(std::move(thread_iteration));
  }
  return result;
}

/// Places that no thread iteration has taken yet.
class FreePlaces {
 public:
  explicit FreePlaces(std::size_t size) : size_(static_cast<std::uint32_t>(size)) {}
  void take(PlaceRange range) { taken_.insert(range); }
  /// What is free of a range; of two free parts the one with its middle, and no more.
  PlaceRange part_of(PlaceRange range) const {
    const std::uint32_t middle = range.first + (range.second - range.first) / 2;
    const auto after = taken_.upper_bound({middle, size_});
    if (after != taken_.end()) range.second = std::min(range.second, after->first);
    if (after != taken_.begin()) range.first = std::max(range.first, std::prev(after)->second);
    return range;
  }

 private:
  std::uint32_t size_;
  std::set<PlaceRange> taken_;  ///< none overlapping another
};

/// The range of the common names that the thread iteration takes.
PlaceRange range_among(const CommonNames& common, const ThreadIteration& thread_iteration) {
  const auto number_of = [&](std::uint32_t place) {
    const auto found = std::lower_bound(common.place.begin(), common.place.end(), place);
    return static_cast<std::uint32_t>(found - common.place.begin());
  };
  return {number_of(thread_iteration.first_place()), number_of(thread_iteration.last_place()) + 1};
}

/// Adds pairs between neighbours that are paired: a replaced op counts as little as one left out on
/// either side, so the closest alignment may have missed some.
std::vector<NamePair> fill_gaps(Names host, Names profiler, std::vector<NamePair> pairs,
                                AlignBudget& budget) {
  std::vector<NamePair> all;
  NamePair begin{0, 0};
  pairs.push_back({static_cast<std::uint32_t>(host.size()),
                   static_cast<std::uint32_t>(profiler.size())});  // the end, paired with the end
  for (const NamePair& pair : pairs) {
    if (begin.host < pair.host && begin.profiler < pair.profiler)
      for (const NamePair& found :
           align_names(host.subspan(begin.host, pair.host - begin.host),
                       profiler.subspan(begin.profiler, pair.profiler - begin.profiler), budget))
        all.push_back({begin.host + found.host, begin.profiler + found.profiler});
    if (pair.host < host.size()) all.push_back(pair);
    begin = {pair.host + 1, pair.profiler + 1};
  }
  return all;
}

/// A run of names that occurs once on the host: how far into the profiler's sequence that puts the
/// host sequence's begin.
struct Vote {
  std::int64_t begin;
  std::uint32_t host, profiler;
};

std::vector<Vote> collect_votes(Names host, Names profiler, std::size_t length,
                                std::size_t& voters) {
  constexpr std::uint32_t kMany = 0xffffffffU;
  IdMap<std::uint64_t, std::uint32_t> place_of;
  const std::vector<std::uint64_t> on_host = run_hashes(host, length);
  for (std::uint32_t i = 0; i < on_host.size(); ++i)
    if (const auto [entry, is_new] = place_of.try_emplace(on_host[i], i); !is_new)
      entry->second = kMany;
  voters = static_cast<std::size_t>(std::count_if(place_of.begin(), place_of.end(),
                                                  [](const auto& e) { return e.second != kMany; }));
  std::vector<Vote> votes;
  const std::vector<std::uint64_t> on_profiler = run_hashes(profiler, length);
  for (std::uint32_t i = 0; i < on_profiler.size(); ++i) {
    const auto entry = place_of.find(on_profiler[i]);
    if (entry == place_of.end() || entry->second == kMany) continue;
    votes.push_back({static_cast<std::int64_t>(i) - entry->second, entry->second, i});
  }
  std::sort(votes.begin(), votes.end(), [](const Vote& a, const Vote& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.host < b.host;
  });
  return votes;
}

/// Votes [first, end) that agree but for a few ops more or less.
struct Cluster {
  std::size_t first, end;
  std::size_t count() const { return end - first; }
};

/// The largest clusters that are half a host sequence or more apart, in time order.
std::vector<Cluster> best_clusters(const std::vector<Vote>& votes, std::size_t host_size,
                                   std::size_t least) {
  // Less than half a host sequence, so that no cluster takes in the next thread iteration.
  const auto width =
      static_cast<std::int64_t>(std::min(std::max<std::size_t>(8, host_size / 8), host_size / 2));
  std::vector<Cluster> all;
  for (std::size_t first = 0, end = 0; first < votes.size(); ++first) {
    while (end < votes.size() && votes[end].begin <= votes[first].begin + width) ++end;
    if (end - first >= least) all.push_back({first, end});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Cluster& a, const Cluster& b) { return a.count() > b.count(); });
  const auto apart = static_cast<std::int64_t>(std::max<std::size_t>(1, host_size / 2));
  std::set<std::int64_t> taken;
  std::vector<Cluster> best;
  for (const Cluster& cluster : all) {
    const std::int64_t begin = votes[cluster.first].begin;
    const auto near = taken.lower_bound(begin - apart + 1);
    if (near != taken.end() && *near < begin + apart) continue;
    taken.insert(begin);
    best.push_back(cluster);
  }
  std::sort(best.begin(), best.end(),
            [](const Cluster& a, const Cluster& b) { return a.first < b.first; });
  return best;
}

/// From the first voter back and from the last voter on, as far as the host sequence goes and a
/// little further: ops may have been added there.
PlaceRange range_of(const std::vector<Vote>& votes, const Cluster& cluster, std::size_t host_size,
                    std::size_t profiler_size) {
  const auto [first, last] =
      std::minmax_element(votes.begin() + static_cast<std::ptrdiff_t>(cluster.first),
                          votes.begin() + static_cast<std::ptrdiff_t>(cluster.end),
                          [](const Vote& a, const Vote& b) { return a.profiler < b.profiler; });
  const auto with_slack = [](std::size_t length) {
    return static_cast<std::int64_t>(length + length / 4);
  };
  const std::int64_t begin = first->profiler - with_slack(first->host);
  const std::int64_t end = last->profiler + with_slack(host_size - last->host);
  return {static_cast<std::uint32_t>(std::max<std::int64_t>(begin, 0)),
          static_cast<std::uint32_t>(
              std::min<std::int64_t>(end, static_cast<std::int64_t>(profiler_size)))};
}

}  // namespace

std::uint32_t ThreadIteration::first_place() const {
  return std::min_element(
             pairs.begin(), pairs.end(),
             [](const NamePair& a, const NamePair& b) { return a.profiler < b.profiler; })
      ->profiler;
}

std::uint32_t ThreadIteration::last_place() const {
  return std::max_element(
             pairs.begin(), pairs.end(),
             [](const NamePair& a, const NamePair& b) { return a.profiler < b.profiler; })
      ->profiler;
}

std::size_t most_pairs(const std::vector<ThreadIteration>& thread_iterations) {
  std::size_t most = 0;
  for (const ThreadIteration& thread_iteration : thread_iterations)
    most = std::max(most, thread_iteration.pairs.size());
  return most;
}

bool is_together(const ThreadIteration& thread_iteration) {
  return thread_iteration.last_place() - thread_iteration.first_place() <
         2 * thread_iteration.pairs.size();
}

std::vector<PlaceRange> voted_ranges(Names host, Names profiler) {
  std::size_t voters = 0;
  std::vector<Vote> votes;
  for (std::size_t length : {8, 4, 2, 1}) {
    if (host.size() < 4 * length && length > 1) continue;
    votes = collect_votes(host, profiler, length, voters);
    if (voters * 8 >= host.size() && !votes.empty()) break;
  }
  std::vector<PlaceRange> ranges;
  for (const Cluster& c : best_clusters(votes, host.size(), std::max<std::size_t>(1, voters / 4)))
    ranges.push_back(range_of(votes, c, host.size(), profiler.size()));
  return ranges;
}

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

ThreadIteration align_range(Names host, Names profiler, PlaceRange range, AlignBudget& budget) {
  const Names inside = profiler.subspan(range.first, range.second - range.first);
  const auto most = static_cast<std::uint32_t>(std::min<std::size_t>(host.size(), 0xffffffffU));
  auto close = align_closely(host, inside, most, budget);
  ThreadIteration thread_iteration;
  thread_iteration.pairs = close ? fill_gaps(host, inside, std::move(*close), budget)
                                 : align_names(host, inside, budget);
  thread_iteration.pairs = with_fewer_breaks(host, inside, thread_iteration.pairs);
  for (NamePair& pair : thread_iteration.pairs) pair.profiler += range.first;
  thread_iteration.exact = count_exact(thread_iteration.pairs, host.size());
  return thread_iteration;
}

std::vector<PlaceRange> likely_ranges(Names host, Names profiler, AlignBudget& budget) {
  const auto fits = find_fits(host, profiler, FitChoice::kApart, budget);
  if (!fits) return voted_ranges(host, profiler);
  std::vector<PlaceRange> ranges;
  for (const Fit& fit : *fits) ranges.emplace_back(fit.begin, fit.end);
  return ranges;
}

std::vector<ThreadIteration> locate_anywhere(Names host, Names profiler, std::size_t most,
                                             AlignBudget& budget) {
  const CommonNames on_host = common_names(host, profiler);
  if (on_host.name.empty()) return {};
  const CommonNames on_profiler = common_names(profiler, host);
  std::vector<ThreadIteration> result = find_whole_iterations(on_host, on_profiler, true, most);
  if (!result.empty()) return result;
  for (const PlaceRange& range : likely_ranges(host, on_profiler.name, budget)) {
    if (result.size() == most) break;
    ThreadIteration thread_iteration = align_range(host, on_profiler.name, range, budget);
    if (thread_iteration.pairs.empty()) continue;
    for (NamePair& pair : thread_iteration.pairs) pair.profiler = on_profiler.place[pair.profiler];
    result.push_back(std::move(thread_iteration));
  }
  return result;
}

std::vector<ThreadIteration> locate(Names host, Names profiler, AlignBudget& budget,
                                    DifferingToo differing) {
  const CommonNames on_host = common_names(host, profiler);
  if (2 * on_host.name.size() < host.size() || on_host.name.empty()) return {};
  const CommonNames on_profiler = common_names(profiler, host);
  std::vector<ThreadIteration> result = find_whole_iterations(on_host, on_profiler);
  if (!result.empty() && differing == DifferingToo::kNo) return result;
  if (result.empty())
    if (auto few = locate_short(host, on_profiler.name, on_profiler.place, budget)) return *few;
  // Beside whole ones: what fits less is other work in between.
  const double least = result.empty() ? 0.5 * static_cast<double>(host.size())
                                      : kLeastShare * static_cast<double>(on_host.name.size());
  FreePlaces free(on_profiler.name.size());
  for (const ThreadIteration& whole : result) free.take(range_among(on_profiler, whole));
  // A name that only the host has holds its place, so it stays.
  for (PlaceRange range : likely_ranges(host, on_profiler.name, budget)) {
    range = free.part_of(range);
    if (range.first >= range.second || range.second - range.first < least) continue;
    ThreadIteration thread_iteration = align_range(host, on_profiler.name, range, budget);
    if (thread_iteration.pairs.empty() ||
        static_cast<double>(thread_iteration.pairs.size()) < least)
      continue;
    const PlaceRange used{thread_iteration.first_place(), thread_iteration.last_place() + 1};
    for (NamePair& pair : thread_iteration.pairs) pair.profiler = on_profiler.place[pair.profiler];
    if (!is_together(thread_iteration)) continue;
    free.take(used);
    result.push_back(std::move(thread_iteration));
  }
  std::sort(result.begin(), result.end(), [](const ThreadIteration& a, const ThreadIteration& b) {
    return a.first_place() < b.first_place();
  });
  return result;
}

}  // namespace nadi
