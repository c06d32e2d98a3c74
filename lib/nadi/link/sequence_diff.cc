#include "nadi/link/sequence_diff.h"

#include <algorithm>
#include <array>

#include "nadi/base/longest_chain.h"

namespace nadi {
namespace {

/// Tried in turn: the first that finds common runs splits a gap.
constexpr std::array<std::size_t, 3> kRunLengths = {16, 4, 1};
/// Gaps up to this many pairs of ops are never split first.
constexpr std::size_t kFewCells = 4096;
/// Of one gap: (1,400 + 1)^2 positions of 4 bytes are 8 MB.
constexpr std::int32_t kMostDifferences = 1400;

/// Ranges of both sequences still to be paired, and which run lengths are still to be tried.
struct Gap {
  NamePosition host, host_end, profiler, profiler_end;
  std::size_t level = 0;
  bool may_replace = true;  ///< an op of both is one difference, as one of either side is
  std::int32_t hosts() const { return static_cast<std::int32_t>(host_end - host); }
  std::int32_t profilers() const { return static_cast<std::int32_t>(profiler_end - profiler); }
  std::size_t cells() const { return std::size_t{host_end - host} * (profiler_end - profiler); }
  bool is_empty() const { return host == host_end || profiler == profiler_end; }
};

/// Hashes of all runs of `length` names, by position of the run's first name.
std::vector<std::uint64_t> run_hashes(Names names, std::size_t length) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15ULL;
  std::vector<std::uint64_t> hashes;
  if (names.size() < length || length == 0) return hashes;
  hashes.reserve(names.size() - length + 1);
  std::uint64_t leaving = 1;  // kFactor to the power of length
  for (std::size_t i = 0; i < length; ++i) leaving *= kFactor;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    hash = (hash + names[i].value + 1) * kFactor;
    if (i >= length) hash -= (names[i - length].value + 1ULL) * leaving * kFactor;
    if (i + 1 >= length) hashes.push_back(hash);
  }
  return hashes;
}

struct HashAt {
  std::uint64_t hash;
  NamePosition position;
  friend bool operator<(const HashAt& a, const HashAt& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.position < b.position;
  }
};

/// Runs that occur once in the range, by hash.
std::vector<HashAt> single_runs(Names names, NamePosition first, NamePosition end,
                                std::size_t length) {
  const std::vector<std::uint64_t> hashes = run_hashes(names.between(first, end), length);
  std::vector<HashAt> all;
  all.reserve(hashes.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) all.push_back({hashes[i], first + i});
  std::sort(all.begin(), all.end());
  std::vector<HashAt> single;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool as_before = i > 0 && all[i - 1].hash == all[i].hash;
    const bool as_after = i + 1 < all.size() && all[i + 1].hash == all[i].hash;
    if (!as_before && !as_after) single.push_back(all[i]);
  }
  return single;
}

class SequenceDiff {
 public:
  SequenceDiff(Names host, Names profiler, MatchBudget& budget)
      : host_(host), profiler_(profiler), budget_(budget) {}

  std::vector<NamePair> run() {
    gaps_.push_back({NamePosition(0), NamePosition(host_.size()), NamePosition(0),
                     NamePosition(profiler_.size())});
    while (!gaps_.empty()) {
      Gap gap = gaps_.back();
      gaps_.pop_back();
      strip_ends(gap);
      if (gap.is_empty()) continue;
      // Large gaps within what was compared as a whole are split first, which costs less.
      const bool is_rest = gap.level > 0 || !gap.may_replace;
      const bool splits_first = is_rest && gap.cells() > kFewCells;
      if (splits_first && split(gap)) continue;
      const Path path = shortest_path(gap);
      if (!path.is_whole && !splits_first && split(gap)) continue;
      trace_back(gap, path);
    }
    std::sort(pairs_.begin(), pairs_.end());
    return std::move(pairs_);
  }

 private:
  /// Equal names at either end belong together.
  void strip_ends(Gap& gap) {
    while (!gap.is_empty() && host_[gap.host] == profiler_[gap.profiler])
      pairs_.push_back({gap.host++, gap.profiler++});
    while (!gap.is_empty() && host_[gap.host_end - 1] == profiler_[gap.profiler_end - 1])
      pairs_.push_back({--gap.host_end, --gap.profiler_end});
  }

  /// Pairs the runs that occur once on either side; what lies between them are smaller gaps. False
  /// where there are none.
  bool split(const Gap& gap) {
    for (std::size_t level = gap.level; level < kRunLengths.size(); ++level) {
      const std::size_t length = kRunLengths[level];
      const auto chain = longest_chain(
          common_runs(gap, length),
          [](const NamePair& a, const NamePair& b) { return a.profiler < b.profiler; });
      if (chain.empty()) continue;
      Gap rest = gap;
      rest.level = level + 1;
      for (const NamePair& run : chain)
        for (std::size_t i = 0; i < length; ++i) pair_in({run.host + i, run.profiler + i}, rest);
      gaps_.push_back(rest);
      return true;
    }
    return false;
  }

  /// Pairs names within the rest, of which what lies before them becomes a gap of its own.
  void pair_in(NamePair pair, Gap& rest) {
    if (pair.host < rest.host || pair.profiler < rest.profiler) return;
    if (host_[pair.host] != profiler_[pair.profiler]) return;  // equal hashes by chance
    gaps_.push_back(
        {rest.host, pair.host, rest.profiler, pair.profiler, rest.level, rest.may_replace});
    pairs_.push_back(pair);
    rest.host = pair.host + 1;
    rest.profiler = pair.profiler + 1;
  }

  /// The begins of runs that occur once on either side, ascending by host.
  std::vector<NamePair> common_runs(const Gap& gap, std::size_t length) const {
    const auto on_host = single_runs(host_, gap.host, gap.host_end, length);
    const auto on_profiler = single_runs(profiler_, gap.profiler, gap.profiler_end, length);
    std::vector<NamePair> common;
    auto other = on_profiler.begin();
    for (const HashAt& run : on_host) {
      while (other != on_profiler.end() && other->hash < run.hash) ++other;
      if (other != on_profiler.end() && other->hash == run.hash)
        common.push_back({run.position, other->position});
    }
    std::sort(common.begin(), common.end());
    return common;
  }

  /// Where d differences lead to on a diagonal (profiler position - host position), before equal
  /// names are followed, and the diagonal left by the last of them; host -1 = nowhere.
  struct Step {
    std::int32_t host, from;
  };
  Step step_to(std::int32_t d, std::int32_t diagonal, const Gap& gap) const {
    if (d == 0) return {0, 0};
    Step best{-1, 0};
    const auto consider = [&](std::int32_t from, std::int32_t hosts) {
      const std::int32_t before = reached(d - 1, from);
      const std::int32_t to = before < 0 ? -1 : before + hosts;
      if (to > best.host && to <= gap.hosts() && to + diagonal <= gap.profilers())
        best = {to, from};
    };
    if (gap.may_replace) consider(diagonal, 1);
    consider(diagonal + 1, 1);  // the host's only
    consider(diagonal - 1, 0);  // the profiler's only
    return best;
  }
  /// Without replacements every difference changes the diagonal.
  static bool can_reach(std::int32_t d, std::int32_t diagonal, const Gap& gap) {
    return -gap.hosts() <= diagonal && diagonal <= gap.profilers() &&
           (gap.may_replace || (d + diagonal) % 2 == 0);
  }
  std::int32_t reached(std::int32_t d, std::int32_t diagonal) const {
    if (diagonal < -d || diagonal > d) return -1;
    return reached_[static_cast<std::size_t>(d * d + d + diagonal)];
  }

  /// Follows equal names from there; returns the host position reached.
  std::int32_t follow(const Gap& gap, std::int32_t at, std::int32_t diagonal) {
    NamePosition host = gap.host + static_cast<std::size_t>(at);
    NamePosition profiler = gap.profiler + static_cast<std::size_t>(at + diagonal);
    while (host < gap.host_end && profiler < gap.profiler_end &&
           host_[host] == profiler_[profiler] && budget_.steps > 0)
      ++host, ++profiler, --budget_.steps;
    return static_cast<std::int32_t>(host - gap.host);
  }

  struct Path {
    std::int32_t differences = -1, diagonal = 0;  ///< where it ends
    bool is_whole = false;                        ///< which is the end of the gap
  };

  /// The fewest differences: E. Ukkonen, "Algorithms for Approximate String Matching", Information
  /// and Control 1985; E. W. Myers, "An O(ND) Difference Algorithm and Its Variations",
  /// Algorithmica 1986. Where there are too many, the path that came furthest until then.
  Path shortest_path(const Gap& gap) {
    const std::int64_t corner = std::int64_t{gap.hosts()} + gap.profilers();
    reached_.clear();
    std::int64_t furthest = -1;
    Path best;
    for (std::int32_t d = 0; d <= kMostDifferences; ++d)
      for (std::int32_t diagonal = -d; diagonal <= d; ++diagonal) {
        if (budget_.steps == 0) return best;
        --budget_.steps;
        const std::int32_t from = can_reach(d, diagonal, gap) ? step_to(d, diagonal, gap).host : -1;
        const std::int32_t to = from < 0 ? -1 : follow(gap, from, diagonal);
        reached_.push_back(to);
        if (const std::int64_t sum = 2LL * to + diagonal; to >= 0 && sum > furthest)
          furthest = sum, best = {d, diagonal, sum == corner};
        if (best.is_whole) return best;
      }
    return best;
  }

  /// Adds the pairs of the path. Where ops are replaced, as many may be left out on either side for
  /// pairs among them: such gaps are looked at once more.
  void trace_back(const Gap& gap, Path path) {
    Gap rest = gap;
    rest.may_replace = false;
    const auto leave_gap_behind = [&](NamePosition host, NamePosition profiler) {
      if (gap.may_replace)
        gaps_.push_back({host, rest.host_end, profiler, rest.profiler_end, rest.level, false});
    };
    for (; path.differences >= 0; --path.differences) {
      const Step step = step_to(path.differences, path.diagonal, gap);
      const std::int32_t end = reached(path.differences, path.diagonal);
      NamePosition host = gap.host + static_cast<std::size_t>(end);
      NamePosition profiler = gap.profiler + static_cast<std::size_t>(end + path.diagonal);
      const NamePosition first = gap.host + static_cast<std::size_t>(step.host);
      if (host > first) leave_gap_behind(host, profiler);
      while (host > first) {
        pairs_.push_back({--host, --profiler});
        rest.host_end = host, rest.profiler_end = profiler;
      }
      path.diagonal = step.from;
    }
    leave_gap_behind(gap.host, gap.profiler);
  }

  Names host_, profiler_;
  MatchBudget& budget_;
  std::vector<Gap> gaps_;
  std::vector<NamePair> pairs_;
  std::vector<std::int32_t> reached_;  ///< host positions: of d differences 2 d + 1 entries
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
    return std::int64_t{pair.profiler.value} - pair.host.value;
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
      const auto apart = static_cast<std::size_t>(to);
      return keeps_profiler ? NamePair{pair.profiler - apart, pair.profiler}
                            : NamePair{pair.host, pair.host + apart};
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

std::vector<NamePair> diff_names(Names host, Names profiler, MatchBudget& budget) {
  return RunJoiner(host, profiler).run(SequenceDiff(host, profiler, budget).run());
}

}  // namespace nadi
