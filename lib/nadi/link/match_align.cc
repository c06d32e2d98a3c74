#include "nadi/link/match_align.h"

#include <algorithm>
#include <array>

namespace nadi {
namespace {

constexpr std::array<std::size_t, 3> kRunLengths = {16, 4, 1};
/// Cells of the table of one gap (2 bytes each).
constexpr std::size_t kMostCells = 4'000'000;
/// Gaps up to this many cells are aligned exactly without looking for runs.
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

  /// Longest common subsequence by the textbook's table; nothing where the table were too large.
  void align_exactly(const Gap& gap) {
    if (gap.cells() > std::min(kMostCells, budget_.cells)) return;
    budget_.cells -= gap.cells();
    const std::size_t rows = gap.host_end - gap.host, columns = gap.profiler_end - gap.profiler;
    table_.assign((rows + 1) * (columns + 1), 0);  // of the rest of both ranges
    const auto at = [&](std::size_t i, std::size_t j) -> std::uint16_t& {
      return table_[i * (columns + 1) + j];
    };
    const auto is_equal = [&](std::size_t i, std::size_t j) {
      return host_[gap.host + i] == profiler_[gap.profiler + j];
    };
    for (std::size_t i = rows; i-- > 0;)
      for (std::size_t j = columns; j-- > 0;)
        at(i, j) = is_equal(i, j) ? static_cast<std::uint16_t>(at(i + 1, j + 1) + 1)
                                  : std::max(at(i + 1, j), at(i, j + 1));
    for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
      if (is_equal(i, j)) {
        pairs_.push_back({static_cast<std::uint32_t>(gap.host + i++),
                          static_cast<std::uint32_t>(gap.profiler + j++)});
      } else if (at(i + 1, j) >= at(i, j + 1)) {
        ++i;
      } else {
        ++j;
      }
    }
  }

  Names host_, profiler_;
  AlignBudget& budget_;
  std::vector<Gap> gaps_;
  std::vector<NamePair> pairs_;
  std::vector<std::uint16_t> table_;
};

}  // namespace

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
