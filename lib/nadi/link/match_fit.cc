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

/// Ends of fits, the best first: lowest points of the distances, half a pattern apart. Of ends as
/// good beside each other it is the last: so a replaced op at the end is within the fit.
std::vector<std::uint32_t> best_ends(const std::vector<std::uint32_t>& distance, std::size_t size) {
  std::vector<std::uint32_t> lowest;
  for (std::uint32_t end = 1; end < distance.size(); ++end) {
    const bool is_rising = end + 1 == distance.size() || distance[end + 1] >= distance[end];
    if (2 * std::size_t{distance[end]} <= size && distance[end] < distance[end - 1] && is_rising)
      lowest.push_back(end);
  }
  std::stable_sort(lowest.begin(), lowest.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return distance[a] < distance[b]; });
  const auto apart = static_cast<std::int64_t>(std::max<std::size_t>(1, size / 2));
  std::set<std::int64_t> taken;
  std::vector<std::uint32_t> best;
  for (std::uint32_t end : lowest) {
    const auto near = taken.lower_bound(std::int64_t{end} - apart + 1);
    if (near != taken.end() && *near < std::int64_t{end} + apart) continue;
    taken.insert(end);
    best.push_back(end);
    while (best.back() + 1 < distance.size() && distance[best.back() + 1] == distance[end])
      ++best.back();
  }
  return best;
}

/// Of the lengths with the fewest differences the one nearest to the pattern's: so a replaced op at
/// the begin is within the fit.
std::size_t best_length(const std::vector<std::uint32_t>& distance, std::size_t size) {
  std::size_t best = 0;
  const auto off = [&](std::size_t length) {
    return length < size ? size - length : length - size;
  };
  for (std::size_t length = 1; length < distance.size(); ++length)
    if (distance[length] < distance[best] ||
        (distance[length] == distance[best] && off(length) < off(best)))
      best = length;
  return best;
}

bool take_steps(AlignBudget& budget, std::size_t words, std::size_t ops) {
  if (ops > budget.words / words) return false;
  budget.words -= words * ops;
  return true;
}

}  // namespace

std::optional<std::vector<Fit>> find_fits(Names host, Names profiler, AlignBudget& budget) {
  std::vector<Fit> fits;
  if (host.empty()) return fits;
  NameBits bits(host);
  if (!take_steps(budget, bits.words(), profiler.size())) return std::nullopt;
  const auto distance = distances(bits, host.size(), profiler, true);
  NameBits bits_backward(std::vector<std::uint32_t>(host.rbegin(), host.rend()));
  for (std::uint32_t end : best_ends(distance, host.size())) {
    // A fit is no longer than that.
    const std::size_t length = std::min<std::size_t>(end, host.size() + distance[end]);
    if (!take_steps(budget, bits.words(), length)) return std::nullopt;
    const auto window = profiler.subspan(end - length, length);
    const std::vector<std::uint32_t> backwards(window.rbegin(), window.rend());
    const auto by_length = distances(bits_backward, host.size(), backwards, false);
    const auto best = static_cast<std::uint32_t>(best_length(by_length, host.size()));
    fits.push_back({end - best, end, distance[end]});
  }
  return fits;
}

}  // namespace nadi
