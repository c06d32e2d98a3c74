#include "nadi/link/match_fit.h"

#include <algorithm>
#include <set>
#include <span>
#include <unordered_map>

namespace nadi {
namespace {

using Word = std::uint64_t;
constexpr std::size_t kWordBits = 64;

/// Where each name stands in a pattern, as bits. Names that occur often have their bits ready, the
/// others a list of places, so that memory stays linear and a look-up costs a step a word.
class NameBits {
 public:
  explicit NameBits(Names pattern) : words_((pattern.size() + kWordBits - 1) / kWordBits) {
    scratch_.assign(words_, 0);
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> places;
    for (std::uint32_t i = 0; i < pattern.size(); ++i) places[pattern[i]].push_back(i);
    for (auto& [name, list] : places) {
      Entry entry;
      if (list.size() > words_) {
        entry.bits.assign(words_, 0);
        for (std::uint32_t place : list) set(entry.bits, place);
      } else {
        entry.places = std::move(list);
      }
      entries_.emplace(name, std::move(entry));
    }
  }

  std::size_t words() const { return words_; }

  /// Calls use(bits): a word for 64 places each.
  template <class Use>
  void with_bits(std::uint32_t name, const Use& use) {
    const auto found = entries_.find(name);
    if (found != entries_.end() && !found->second.bits.empty()) return use(found->second.bits);
    if (found == entries_.end()) return use(scratch_);
    for (std::uint32_t place : found->second.places) set(scratch_, place);
    use(scratch_);
    for (std::uint32_t place : found->second.places) scratch_[place / kWordBits] = 0;
  }

 private:
  struct Entry {
    std::vector<Word> bits;  ///< or empty and
    std::vector<std::uint32_t> places;
  };
  static void set(std::vector<Word>& bits, std::uint32_t place) {
    bits[place / kWordBits] |= Word{1} << (place % kWordBits);
  }

  std::size_t words_;
  std::unordered_map<std::uint32_t, Entry> entries_;
  std::vector<Word> scratch_;
};

/// A column of the table of distances as differences between neighbours: G. Myers, "A Fast
/// Bit-Vector Algorithm for Approximate String Matching Based on Dynamic Programming", J. ACM 1999;
/// words joined as in H. Hyyro, "A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit
/// Distances", Nordic J. of Computing 2003.
class Column {
 public:
  explicit Column(std::size_t pattern_size)
      : top_(Word{1} << ((pattern_size - 1) % kWordBits)),
        plus_((pattern_size + kWordBits - 1) / kWordBits, ~Word{0}),
        minus_(plus_.size(), 0) {}

  /// Goes on by an op of the text. At the pattern's begin the distance changes by `above` (0: the
  /// text before a fit is free; 1: it is not); returns by how much it does at the pattern's end.
  int advance(const std::vector<Word>& equal, int above) {
    int carry = above;
    for (std::size_t i = 0; i < plus_.size(); ++i)
      carry = advance_word(i, equal[i], carry,
                           i + 1 < plus_.size() ? Word{1} << (kWordBits - 1) : top_);
    return carry;
  }

 private:
  int advance_word(std::size_t i, Word equal, int above, Word last) {
    const Word plus = plus_[i], minus = minus_[i];
    const Word vertical = equal | minus;
    equal |= above < 0 ? 1 : 0;
    const Word horizontal = (((equal & plus) + plus) ^ plus) | equal;
    Word up = minus | ~(horizontal | plus), down = plus & horizontal;
    const int below = (up & last) != 0 ? 1 : (down & last) != 0 ? -1 : 0;
    up = up << 1 | (above > 0 ? 1 : 0);
    down = down << 1 | (above < 0 ? 1 : 0);
    plus_[i] = down | ~(vertical | up);
    minus_[i] = up & vertical;
    return below;
  }

  Word top_;
  std::vector<Word> plus_, minus_;
};

/// By length of text: the fewest differences between the pattern and what ends there (begins at 0
/// if the text before is not free).
std::vector<std::uint32_t> distances(NameBits& pattern, std::size_t pattern_size, Names text,
                                     bool is_begin_free) {
  Column column(pattern_size);
  auto distance = static_cast<std::int64_t>(pattern_size);
  std::vector<std::uint32_t> result{static_cast<std::uint32_t>(distance)};
  result.reserve(text.size() + 1);
  for (std::uint32_t name : text) {
    pattern.with_bits(name, [&](const std::vector<Word>& bits) {
      distance += column.advance(bits, is_begin_free ? 0 : 1);
    });
    result.push_back(static_cast<std::uint32_t>(distance));
  }
  return result;
}

/// Where a fit may end: no end beside it is better. `lowest` is the first of ends as good.
struct FitEnd {
  std::uint32_t lowest, last;
  std::uint32_t differences;
};

/// kAll: every such end. kApart: of ends as good beside each other the last one, so that a replaced
/// op at the end is within the fit.
std::vector<FitEnd> lowest_ends(const std::vector<std::uint32_t>& distance, std::size_t size,
                                FitChoice choice) {
  std::vector<FitEnd> ends;
  for (std::uint32_t end = 1, last = 1; end < distance.size(); end = last + 1) {
    for (last = end; last + 1 < distance.size() && distance[last + 1] == distance[end];) ++last;
    const bool is_falling =
        last == end && last + 1 < distance.size() && distance[last + 1] < distance[end];
    if (2 * std::size_t{distance[end]} > size || distance[end] >= distance[end - 1] || is_falling)
      continue;
    if (choice == FitChoice::kApart) ends.push_back({end, last, distance[end]});
    for (std::uint32_t each = end; choice == FitChoice::kAll && each <= last; ++each)
      ends.push_back({each, each, distance[end]});
  }
  return ends;
}

/// Of ends that are best first those half a pattern apart.
std::vector<FitEnd> ends_apart(const std::vector<FitEnd>& ends, std::size_t size) {
  const auto apart = static_cast<std::int64_t>(std::max<std::size_t>(1, size / 2));
  std::set<std::int64_t> taken;
  std::vector<FitEnd> best;
  for (const FitEnd& end : ends) {
    const auto near = taken.lower_bound(std::int64_t{end.lowest} - apart + 1);
    if (near != taken.end() && *near < std::int64_t{end.lowest} + apart) continue;
    taken.insert({end.lowest, end.last});
    best.push_back(end);
  }
  return best;
}

/// The lengths with the fewest differences.
struct BestLengths {
  std::uint32_t shortest = 0;
  std::uint32_t longest = 0;  ///< with a replaced op at the begin; where the host lacks an op, with
                              ///< all the others
};

BestLengths best_lengths(const std::vector<std::uint32_t>& distance) {
  BestLengths best;
  for (std::uint32_t length = 1; length < distance.size(); ++length) {
    if (distance[length] < distance[best.shortest]) best.shortest = length;
    if (distance[length] <= distance[best.longest]) best.longest = length;
  }
  return best;
}

bool take_steps(AlignBudget& budget, std::size_t words, std::size_t ops) {
  if (ops > budget.words / words) return false;
  budget.words -= words * ops;
  return true;
}

/// How long the best fits are that end at given places.
class FitLengths {
 public:
  FitLengths(Names host, Names profiler)
      : size_(host.size()),
        profiler_(profiler),
        backward_(std::vector<std::uint32_t>(host.rbegin(), host.rend())) {}

  /// Nothing where the budget does not suffice.
  std::optional<BestLengths> of(const FitEnd& end, AlignBudget& budget) {
    // A fit is no longer than that.
    const std::size_t most = std::min<std::size_t>(end.last, size_ + end.differences);
    if (!take_steps(budget, backward_.words(), most)) return std::nullopt;
    const auto window = profiler_.subspan(end.last - most, most);
    const std::vector<std::uint32_t> backwards(window.rbegin(), window.rend());
    return best_lengths(distances(backward_, size_, backwards, false));
  }

 private:
  std::size_t size_;
  Names profiler_;
  NameBits backward_;
};

}  // namespace

std::optional<std::vector<Fit>> find_fits(Names host, Names profiler, FitChoice choice,
                                          AlignBudget& budget) {
  std::vector<Fit> fits;
  if (host.empty()) return fits;
  NameBits bits(host);
  if (!take_steps(budget, bits.words(), profiler.size())) return std::nullopt;
  std::vector<FitEnd> ends =
      lowest_ends(distances(bits, host.size(), profiler, true), host.size(), choice);
  std::stable_sort(ends.begin(), ends.end(),
                   [](const FitEnd& a, const FitEnd& b) { return a.differences < b.differences; });
  if (choice == FitChoice::kApart) ends = ends_apart(ends, host.size());
  FitLengths lengths(host, profiler);
  for (const FitEnd& end : ends) {
    const auto length = lengths.of(end, budget);
    if (!length) return std::nullopt;
    fits.push_back({end.last - length->longest, end.last, end.differences});
    if (choice == FitChoice::kAll && length->shortest != length->longest)
      fits.push_back({end.last - length->shortest, end.last, end.differences});
  }
  return fits;
}

}  // namespace nadi
