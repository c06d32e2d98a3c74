#include "nadi/link/match_align.h"

#include <algorithm>
#include <array>

namespace nadi {
namespace {

constexpr std::array<std::size_t, 3> kRunLengths = {16, 4, 1};
/// Of one gap: 8 MB of paths at most.
constexpr std::int32_t kMostDifferences = 2000;
/// Gaps up to this many pairs of ops are aligned exactly without looking for runs.
constexpr std::size_t kFewCells = 4096;

/// A pair of ranges still to align, and the run length to try next.
struct Gap {
  std::uint32_t host, host_end, profiler, profiler_end;
  std::size_t level;
  std::size_t cells() const {
    return static_cast<std::size_t>(host_end - host) * (profiler_end - profiler);
  }
};

struct HashAt {
  std::uint64_t hash;
  std::uint32_t place;
  friend bool operator<(const HashAt& a, const HashAt& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.place < b.place;
  }
};

/// Runs that occur once in the range, by hash.
std::vector<HashAt> single_runs(Names names, std::uint32_t first, std::uint32_t end,
                                std::size_t length) {
  const std::vector<std::uint64_t> hashes = run_hashes(names.subspan(first, end - first), length);
  std::vector<HashAt> all;
  all.reserve(hashes.size());
  for (std::uint32_t i = 0; i < hashes.size(); ++i) all.push_back({hashes[i], first + i});
  std::sort(all.begin(), all.end());
  std::vector<HashAt> single;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool as_before = i > 0 && all[i - 1].hash == all[i].hash;
    const bool as_after = i + 1 < all.size() && all[i + 1].hash == all[i].hash;
    if (!as_before && !as_after) single.push_back(all[i]);
  }
  return single;
}

/// The longest chain that ascends on both sides; pairs ascend by host.
std::vector<NamePair> longest_chain(const std::vector<NamePair>& pairs) {
  std::vector<std::uint32_t> tails;  // by length: the pair that ends the best chain of it
  std::vector<std::uint32_t> before(pairs.size());
  for (std::uint32_t i = 0; i < pairs.size(); ++i) {
    const auto place =
        std::lower_bound(tails.begin(), tails.end(), pairs[i].profiler,
                         [&](std::uint32_t t, std::uint32_t p) { return pairs[t].profiler < p; });
    before[i] = place == tails.begin() ? i : *std::prev(place);
    if (place == tails.end())
      tails.push_back(i);
    else
      *place = i;
  }
  std::vector<NamePair> chain;
  if (tails.empty()) return chain;
  for (std::uint32_t i = tails.back();; i = before[i]) {
    chain.push_back(pairs[i]);
    if (before[i] == i) break;
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

class Alignment {
 public:
  Alignment(Names host, Names profiler, AlignBudget& budget)
      : host_(host), profiler_(profiler), budget_(budget) {}

  std::vector<NamePair> run() {
    gaps_.push_back({0, static_cast<std::uint32_t>(host_.size()), 0,
                     static_cast<std::uint32_t>(profiler_.size()), 0});
    while (!gaps_.empty()) {
      Gap gap = gaps_.back();
      gaps_.pop_back();
      strip_ends(gap);
      if (gap.cells() == 0) continue;
      if (gap.cells() <= kFewCells || gap.level == kRunLengths.size())
        align_exactly(gap);
      else
        split(gap);
    }
    std::sort(pairs_.begin(), pairs_.end(),
              [](const NamePair& a, const NamePair& b) { return a.host < b.host; });
    return std::move(pairs_);
  }

 private:
  /// Equal names at either end belong together.
  void strip_ends(Gap& gap) {
    while (gap.cells() != 0 && host_[gap.host] == profiler_[gap.profiler])
      pairs_.push_back({gap.host++, gap.profiler++});
    while (gap.cells() != 0 && host_[gap.host_end - 1] == profiler_[gap.profiler_end - 1])
      pairs_.push_back({--gap.host_end, --gap.profiler_end});
  }

  /// Pairs the runs that occur once on either side; what lies between them are smaller gaps.
  void split(const Gap& gap) {
    const std::size_t length = kRunLengths[gap.level];
    const auto chain = longest_chain(common_runs(gap, length));
    Gap rest{gap.host, gap.host_end, gap.profiler, gap.profiler_end, gap.level + 1};
    for (const NamePair& run : chain) {
      for (std::uint32_t i = 0; i < length; ++i) {
        const NamePair pair{run.host + i, run.profiler + i};
        if (pair.host < rest.host || pair.profiler < rest.profiler) continue;
        if (host_[pair.host] != profiler_[pair.profiler]) continue;  // equal hashes by chance
        if (pair.host > rest.host && pair.profiler > rest.profiler)
          gaps_.push_back({rest.host, pair.host, rest.profiler, pair.profiler, gap.level + 1});
        pairs_.push_back(pair);
        rest.host = pair.host + 1;
        rest.profiler = pair.profiler + 1;
      }
    }
    gaps_.push_back(rest);
  }

  std::vector<NamePair> common_runs(const Gap& gap, std::size_t length) const {
    const auto on_host = single_runs(host_, gap.host, gap.host_end, length);
    const auto on_profiler = single_runs(profiler_, gap.profiler, gap.profiler_end, length);
    std::vector<NamePair> common;
    auto other = on_profiler.begin();
    for (const HashAt& run : on_host) {
      while (other != on_profiler.end() && other->hash < run.hash) ++other;
      if (other != on_profiler.end() && other->hash == run.hash)
        common.push_back({run.place, other->place});
    }
    std::sort(common.begin(), common.end(),
              [](const NamePair& a, const NamePair& b) { return a.host < b.host; });
    return common;
  }

  /// Where the path with d differences on diagonal 2 j - d goes on from, before its snake. A step
  /// to the right leaves a host op out, a step down a profiler op; -1 = there is no such path.
  struct Step {
    std::int32_t host;
    bool is_right;
  };
  Step step_to(std::int32_t d, std::int32_t j, const Gap& gap) const {
    if (d == 0) return {0, false};
    const auto hosts = static_cast<std::int32_t>(gap.host_end - gap.host);
    const auto profilers = static_cast<std::int32_t>(gap.profiler_end - gap.profiler);
    std::int32_t right = j > 0 ? reached(d - 1, j - 1) : -1, down = j < d ? reached(d - 1, j) : -1;
    right = right < 0 || right == hosts ? -1 : right + 1;
    if (down - (2 * j - d) > profilers) down = -1;
    return {std::max(right, down), right >= down};
  }
  std::int32_t reached(std::int32_t d, std::int32_t j) const {
    return reached_[static_cast<std::size_t>(d) * (static_cast<std::size_t>(d) + 1) / 2 +
                    static_cast<std::size_t>(j)];
  }

  /// Follows equal names from there; returns the host place reached.
  std::int32_t follow(const Gap& gap, std::int32_t at, std::int32_t diagonal) {
    std::uint32_t host = gap.host + static_cast<std::uint32_t>(at);
    std::uint32_t profiler = gap.profiler + static_cast<std::uint32_t>(at - diagonal);
    while (host < gap.host_end && profiler < gap.profiler_end &&
           host_[host] == profiler_[profiler] && budget_.steps > 0)
      ++host, ++profiler, --budget_.steps;
    return static_cast<std::int32_t>(host - gap.host);
  }

  /// Longest common subsequence by the fewest differences: E. W. Myers, "An O(ND) Difference
  /// Algorithm and Its Variations", Algorithmica 1986. Where there are too many, the path that came
  /// furthest until then.
  void align_exactly(const Gap& gap) {
    const auto corner =
        static_cast<std::int64_t>(gap.host_end - gap.host) + (gap.profiler_end - gap.profiler);
    reached_.clear();
    std::int64_t furthest = -1;
    std::int32_t best_d = -1, best_j = 0;
    for (std::int32_t d = 0; d <= kMostDifferences && furthest < corner; ++d) {
      for (std::int32_t j = 0; j <= d && furthest < corner; ++j) {
        if (budget_.steps == 0) return trace_back(gap, best_d, best_j);
        --budget_.steps;
        const std::int32_t diagonal = 2 * j - d, from = step_to(d, j, gap).host;
        const std::int32_t to = from < 0 ? -1 : follow(gap, from, diagonal);
        reached_.push_back(to);
        if (const std::int64_t sum = 2LL * to - diagonal; to >= 0 && sum > furthest)
          furthest = sum, best_d = d, best_j = j;
      }
    }
    trace_back(gap, best_d, best_j);
  }

  /// Adds the pairs of all snakes of the path.
  void trace_back(const Gap& gap, std::int32_t d, std::int32_t j) {
    for (; d >= 0; --d) {
      const Step step = step_to(d, j, gap);
      for (std::int32_t at = reached(d, j); at-- > step.host;)
        pairs_.push_back({gap.host + static_cast<std::uint32_t>(at),
                          gap.profiler + static_cast<std::uint32_t>(at - (2 * j - d))});
      if (step.is_right) --j;
    }
  }

  Names host_, profiler_;
  AlignBudget& budget_;
  std::vector<Gap> gaps_;
  std::vector<NamePair> pairs_;
  std::vector<std::int32_t> reached_;  ///< furthest host place: of d differences d + 1 entries
};

/// Joins runs, pairs that stand as far apart in both sequences, from the first to the last.
class RunJoiner {
 public:
  RunJoiner(Names host, Names profiler) : host_(host), profiler_(profiler) {}

  std::vector<NamePair> run(const std::vector<NamePair>& pairs) {
    for (std::size_t first = 0, end = 0; first < pairs.size(); first = end) {
      end = first + 1;
      while (end < pairs.size() && distance(pairs[end]) == distance(pairs[first])) ++end;
      begins_.push_back(pairs_.size());
      pairs_.insert(pairs_.end(), pairs.begin() + static_cast<std::ptrdiff_t>(first),
                    pairs.begin() + static_cast<std::ptrdiff_t>(end));
      join_last();
    }
    return std::move(pairs_);
  }

 private:
  static std::int64_t distance(const NamePair& pair) {
    return std::int64_t{pair.profiler} - pair.host;
  }

  /// The shorter of the last two runs moves beside the longer one, into the gap between them.
  void join_last() {
    while (begins_.size() >= 2) {
      const std::size_t before = begins_[begins_.size() - 2], last = begins_.back();
      const bool last_stays = last - before <= pairs_.size() - last;
      if (!(last_stays ? move(before, last, distance(pairs_[last]), true)
                       : move(last, pairs_.size(), distance(pairs_[before]), false)))
        return;
      begins_.pop_back();
      if (!last_stays) return;  // beside the runs before it this one has been tried
    }
  }

  /// Moves pairs to another distance, up or down, where all names are equal there too.
  bool move(std::size_t first, std::size_t end, std::int64_t to, bool is_up) {
    const auto moved = [&](const NamePair& pair) {
      const bool keeps_profiler = (distance(pair) > to) == is_up;
      return keeps_profiler
                 ? NamePair{static_cast<std::uint32_t>(pair.profiler - to), pair.profiler}
                 : NamePair{pair.host, static_cast<std::uint32_t>(pair.host + to)};
    };
    const auto begin = pairs_.begin() + static_cast<std::ptrdiff_t>(first),
               stop = pairs_.begin() + static_cast<std::ptrdiff_t>(end);
    const bool fits = std::all_of(begin, stop, [&](const NamePair& pair) {
      const NamePair there = moved(pair);
      return host_[there.host] == profiler_[there.profiler];
    });
    if (fits) std::transform(begin, stop, begin, moved);
    return fits;
  }

  Names host_, profiler_;
  std::vector<NamePair> pairs_;
  std::vector<std::size_t> begins_;  ///< of the runs joined so far
};

}  // namespace

std::vector<NamePair> with_fewer_breaks(Names host, Names profiler,
                                        const std::vector<NamePair>& pairs) {
  return RunJoiner(host, profiler).run(pairs);
}

std::vector<std::uint64_t> run_hashes(Names names, std::size_t length) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15ULL;
  std::vector<std::uint64_t> hashes;
  if (names.size() < length || length == 0) return hashes;
  hashes.reserve(names.size() - length + 1);
  std::uint64_t leaving = 1;  // kFactor to the power of length
  for (std::size_t i = 0; i < length; ++i) leaving *= kFactor;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    hash = (hash + names[i] + 1) * kFactor;
    if (i >= length) hash -= (names[i - length] + 1ULL) * leaving * kFactor;
    if (i + 1 >= length) hashes.push_back(hash);
  }
  return hashes;
}

std::vector<NamePair> align_names(Names host, Names profiler, AlignBudget& budget) {
  return Alignment(host, profiler, budget).run();
}

}  // namespace nadi
