#include "nadi/link/infix_search.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace nadi {
namespace {

using Word = std::uint64_t;
constexpr std::size_t kWordBits = 64;

/// Where each name stands in a pattern, as bits. Names that occur often have their bits ready, the
/// others a list of positions, so that memory stays linear and a look-up costs a step a word.
class NameBits {
 public:
  explicit NameBits(Names pattern) : words_((pattern.size() + kWordBits - 1) / kWordBits) {
    scratch_.assign(words_, 0);
    std::unordered_map<NameNumber, std::vector<NamePosition>> positions;
    for (const NamePosition i : rows_of(pattern)) positions[pattern[i]].push_back(i);
    for (auto& [name, list] : positions) {
      Entry entry;
      if (list.size() > words_) {
        entry.bits.assign(words_, 0);
        for (const NamePosition position : list) set(entry.bits, position);
      } else {
        entry.positions = std::move(list);
      }
      entries_.emplace(name, std::move(entry));
    }
  }

  std::size_t words() const { return words_; }

  /// Calls use(bits): a word for 64 positions each.
  template <class Use>
  void with_bits(NameNumber name, const Use& use) {
    const auto found = entries_.find(name);
    if (found != entries_.end() && !found->second.bits.empty()) return use(found->second.bits);
    if (found == entries_.end()) return use(scratch_);
    for (const NamePosition position : found->second.positions) set(scratch_, position);
    use(scratch_);
    for (const NamePosition position : found->second.positions)
      scratch_[position.value / kWordBits] = 0;
  }

 private:
  struct Entry {
    std::vector<Word> bits;  ///< or empty and
    std::vector<NamePosition> positions;
  };
  static void set(std::vector<Word>& bits, NamePosition position) {
    bits[position.value / kWordBits] |= Word{1} << (position.value % kWordBits);
  }

  std::size_t words_;
  std::unordered_map<NameNumber, Entry> entries_;
  std::vector<Word> scratch_;
};

/// A column of the table of distances as differences between neighbours: G. Myers, "A Fast
/// Bit-Vector Algorithm for Approximate String Matching Based on Dynamic Programming", J. ACM 1999;
/// words joined as in H. Hyyro, "A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit
/// Distances", Nordic J. of Computing 2003.
class DistanceColumn {
 public:
  explicit DistanceColumn(std::size_t pattern_size)
      : top_(Word{1} << ((pattern_size - 1) % kWordBits)),
        plus_((pattern_size + kWordBits - 1) / kWordBits, ~Word{0}),
        minus_(plus_.size(), 0) {}

  /// Goes on by an op of the text. At the pattern's begin the distance changes by `above` (0: the
  /// text before an infix is free; 1: it is not); returns by how much it does at the pattern's end.
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

/// By length of text, which is the position where it ends.
using Distances = ByPosition<std::uint32_t>;

/// The fewest differences between the pattern and what ends there (begins at 0 if the text before
/// is not free).
Distances distances(NameBits& pattern, std::size_t pattern_size, Names text, bool is_begin_free) {
  DistanceColumn column(pattern_size);
  auto distance = static_cast<std::int64_t>(pattern_size);
  Distances result{static_cast<std::uint32_t>(distance)};
  result.reserve(text.size() + 1);
  for (const NameNumber name : text) {
    pattern.with_bits(name, [&](const std::vector<Word>& bits) {
      distance += column.advance(bits, is_begin_free ? 0 : 1);
    });
    result.push_back(static_cast<std::uint32_t>(distance));
  }
  return result;
}

/// Where an infix may end: no end beside it is better. `lowest` is the first of ends as good,
/// `last` the last one, so that a replaced op at the end is within the infix.
struct InfixEnd {
  NamePosition lowest, last;
  std::uint32_t differences;
};

/// The best first.
std::vector<InfixEnd> lowest_ends(const Distances& distance, std::size_t size) {
  std::vector<InfixEnd> ends;
  const NamePosition behind(distance.size());
  for (NamePosition end(1), last(1); end < behind; end = last + 1) {
    for (last = end; last + 1 < behind && distance[last + 1] == distance[end];) ++last;
    const bool is_falling = last == end && last + 1 < behind && distance[last + 1] < distance[end];
    if (2 * std::size_t{distance[end]} <= size && distance[end] < distance[end - 1] && !is_falling)
      ends.push_back({end, last, distance[end]});
  }
  std::stable_sort(ends.begin(), ends.end(), [](const InfixEnd& a, const InfixEnd& b) {
    return a.differences < b.differences;
  });
  return ends;
}

/// Of ends that are best first those half a pattern apart.
std::vector<InfixEnd> ends_apart(const std::vector<InfixEnd>& ends, std::size_t pattern_size) {
  const auto apart = static_cast<std::int64_t>(std::max<std::size_t>(1, pattern_size / 2));
  std::set<std::int64_t> taken;
  std::vector<InfixEnd> best;
  for (const InfixEnd& end : ends) {
    const std::int64_t lowest = end.lowest.value;
    const auto near = taken.lower_bound(lowest - apart + 1);
    if (near != taken.end() && *near < lowest + apart) continue;
    taken.insert({lowest, end.last.value});
    best.push_back(end);
  }
  return best;
}

/// The longest of the lengths with the fewest differences: with a replaced op at the begin, and
/// where the pattern lacks an op with all the others.
std::size_t best_length(const Distances& distance) {
  std::size_t best = 0;
  for (std::size_t length = 1; length < distance.size(); ++length)
    if (distance[length] <= distance[best]) best = length;
  return best;
}

bool take_words(MatchBudget& budget, std::size_t words, std::size_t ops) {
  if (ops > budget.words / words) return false;
  budget.words -= words * ops;
  return true;
}

NameList reversed(Names names) { return {names.rbegin(), names.rend()}; }

/// How many names of the pattern to look for. Half of the budget is left for other threads. If the
/// other half does not suffice for the whole pattern, only its first names are looked for, which
/// cost an eighth of that half.
std::size_t affordable_size(Names pattern, Names text, const MatchBudget& budget) {
  const std::size_t words = budget.words / std::max<std::size_t>(1, text.size());
  return pattern.size() <= words / 2 * kWordBits ? pattern.size() : words / 16 * kWordBits;
}

}  // namespace

std::vector<NamePosition> find_whole(Names pattern, Names text, bool may_overlap,
                                     std::size_t most) {
  std::vector<NamePosition> found;
  if (pattern.empty()) return found;
  // D. E. Knuth, J. H. Morris, V. R. Pratt, "Fast Pattern Matching in Strings", SIAM J. Comput.
  // 1977
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
    found.push_back(NamePosition(i + 1 - pattern.size()));
    length = may_overlap ? border[length] : 0;
  }
  return found;
}

std::vector<Infix> find_infixes(Names pattern, Names text, MatchBudget& budget) {
  std::vector<Infix> found;
  const std::size_t whole = pattern.size(), size = affordable_size(pattern, text, budget);
  if (size == 0) return found;
  pattern = pattern.first(size);
  NameBits bits(pattern), backward(reversed(pattern));
  take_words(budget, bits.words(), text.size());
  for (const InfixEnd& end :
       ends_apart(lowest_ends(distances(bits, size, text, true), size), whole)) {
    const std::size_t most = std::min<std::size_t>(end.last.value, size + end.differences);
    if (!take_words(budget, bits.words(), most)) break;
    const NameList before = reversed(text.between(end.last - most, end.last));
    const NamePosition begin = end.last - best_length(distances(backward, size, before, false));
    const NamePosition longest = std::min(NamePosition(text.size()), begin + (whole + whole / 4));
    found.push_back({{begin, size < whole ? longest : end.last}, end.differences});
  }
  return found;
}

}  // namespace nadi
