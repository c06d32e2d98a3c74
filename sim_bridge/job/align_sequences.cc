#include "nadi/sim_bridge/job/align_sequences.h"

#include <algorithm>
#include <cassert>
#include <tuple>
#include <utility>

#include "nadi/base/median.h"

#include "et_def.pb.h"

namespace nadi {
namespace {

using Entries = std::vector<SequenceEntry>;

/// Positions in two sequences, both ascending.
struct Pair {
  std::uint32_t a, b;
};
using Pairs = std::vector<Pair>;

/// How far the clock of b is from that of a: a constant, or followed along the pairs.
class Shift {
 public:
  static Shift constant(Ns shift) { return {shift, false}; }
  static Shift followed(Ns first) { return {first, true}; }

  Ns value() const { return shift_; }
  /// One end in four counts, so that one that is off moves the rest by little.
  void see(Ns difference) {
    if (follows_) shift_ += (difference - shift_) / 4;
  }

 private:
  Shift(Ns shift, bool follows) : shift_(shift), follows_(follows) {}
  Ns shift_;
  bool follows_;
};

Ns difference_of_ends(const SequenceEntry& a, const SequenceEntry& b) {
  return a.end_ns - b.end_ns;
}

bool overlaps(const SequenceEntry& a, const SequenceEntry& b, Ns shift) {
  return b.start_ns + shift <= a.end_ns + kClockResolution &&
         a.start_ns <= b.end_ns + shift + kClockResolution;
}

/// Pairs, and how well they agree with the times.
struct Alignment {
  Pairs pairs;
  std::size_t agreeing = 0;  ///< that no times contradict
  std::size_t close = 0;     ///< of these, those that end within kClose of each other
  Ns apart_ns = 0;           ///< the sum of how far ends are apart
};

/// Ends of one communication are one moment (K22), but for small messages, which are sent and left.
constexpr Ns kClose = 50'000;

bool is_better(const Alignment& x, const Alignment& y) {
  return std::tuple(x.agreeing, -x.apart_ns) > std::tuple(y.agreeing, -y.apart_ns);
}

class PairAligner {
 public:
  PairAligner(const Entries& a, const Entries& b, bool is_of_messages)
      : a_(a), b_(b), is_of_messages_(is_of_messages) {}

  Pairs align() const {
    Alignment best = by_position();
    if (is_complete(best) && best.close == best.pairs.size()) return std::move(best.pairs);
    const std::vector<Alignment> others = by_time();
    if (const Alignment* closest = closest_of(others, best.close)) return closest->pairs;
    if (is_complete(best)) return std::move(best.pairs);
    for (const Alignment& other : others)
      if (is_better(other, best)) best = other;
    return std::move(best.pairs);
  }

 private:
  /// Leaves no entry alone, and no times contradict it.
  bool is_complete(const Alignment& found) const {
    return found.pairs.size() == std::max(a_.size(), b_.size()) &&
           found.agreeing == found.pairs.size();
  }

  /// One in which three of four entries end together, and more than in another; null = none.
  const Alignment* closest_of(const std::vector<Alignment>& found, std::size_t more_than) const {
    const Alignment* closest = nullptr;
    for (const Alignment& one : found)
      if (one.close > more_than && 4 * one.close >= 3 * std::min(a_.size(), b_.size()) &&
          (closest == nullptr || one.close > closest->close))
        closest = &one;
    return closest;
  }

  bool may_pair(const SequenceEntry& a, const SequenceEntry& b) const {
    return a.type == b.type || a.type < 0 || b.type < 0;
  }

  bool contradicts(const SequenceEntry& a, const SequenceEntry& b, Ns shift) const {
    switch (comm_order_of(a.type, is_of_messages_)) {
      case CommOrder::kAllBeforeAny:
        return !overlaps(a, b, shift);
      case CommOrder::kSourceBeforeReceiver:
        return b.end_ns + shift + kClockResolution < a.start_ns;
      case CommOrder::kNone:
        return false;
    }
    return false;
  }

  Alignment assess(Pairs pairs, Shift shift) const {
    // Of what is further apart, only that it is.
    constexpr Ns kMostApart = 1'000'000'000;
    Alignment result;
    for (const Pair& pair : pairs) {
      const SequenceEntry &a = a_[pair.a], &b = b_[pair.b];
      const Ns difference = difference_of_ends(a, b);
      const Ns apart = std::min(std::abs(difference - shift.value()), kMostApart);
      result.apart_ns = saturated_sum(result.apart_ns, apart);
      if (contradicts(a, b, shift.value())) continue;
      ++result.agreeing;
      result.close += apart <= kClose ? 1 : 0;
      shift.see(difference);
    }
    result.pairs = std::move(pairs);
    return result;
  }

  /// Of the first pairs: later ones may have drifted.
  Ns median_difference(const Pairs& pairs) const {
    constexpr std::size_t kLooked = 15;
    std::vector<Ns> differences;
    for (std::size_t i = 0; i < std::min(pairs.size(), kLooked); ++i)
      differences.push_back(difference_of_ends(a_[pairs[i].a], b_[pairs[i].b]));
    return upper_median(differences);
  }

  /// Up to the first position whose types differ; on the recorded clocks, or others.
  Alignment by_position() const {
    Pairs pairs;
    for (std::uint32_t i = 0; i < std::min(a_.size(), b_.size()); ++i) {
      if (!may_pair(a_[i], b_[i])) break;
      pairs.push_back({i, i});
    }
    if (pairs.empty()) return {};
    Alignment as_recorded = assess(pairs, Shift::constant(0));
    if (is_complete(as_recorded) && as_recorded.close == pairs.size()) return as_recorded;
    Alignment followed = assess(pairs, Shift::followed(median_difference(pairs)));
    return is_better(followed, as_recorded) ? followed : as_recorded;
  }

  std::vector<Alignment> by_time() const {
    std::vector<Alignment> found;
    for (const Ns shift : likely_shifts()) {
      found.push_back(assess(pairs_by_time(Shift::followed(shift)), Shift::followed(shift)));
      if (found.back().close == std::min(a_.size(), b_.size())) break;
    }
    return found;
  }

  /// The recorded clocks; and those that make ends of the first entries the same.
  std::vector<Ns> likely_shifts() const {
    constexpr std::size_t kFirst = 6;
    std::vector<Ns> shifts{0};
    for (std::size_t i = 0; i < std::min(a_.size(), kFirst); ++i)
      for (std::size_t j = 0; j < std::min(b_.size(), kFirst); ++j)
        if (may_pair(a_[i], b_[j])) shifts.push_back(difference_of_ends(a_[i], b_[j]));
    std::sort(shifts.begin(), shifts.end(),
              [](Ns x, Ns y) { return std::tuple(std::abs(x), x) < std::tuple(std::abs(y), y); });
    shifts.erase(std::unique(shifts.begin(), shifts.end()), shifts.end());
    return shifts;
  }

  /// Entries whose ends are nearest to each other: neither's neighbour is nearer to the other.
  Pairs pairs_by_time(Shift shift) const {
    Pairs pairs;
    for (std::uint32_t i = 0, j = 0; i < a_.size() && j < b_.size();) {
      const Ns apart = difference_of_ends(a_[i], b_[j]) - shift.value();
      if (is_nearest(i, j, shift.value())) {
        pairs.push_back({i++, j++});
        shift.see(apart + shift.value());
      } else if (apart < 0) {
        ++i;
      } else {
        ++j;
      }
    }
    return pairs;
  }

  bool is_nearest(std::uint32_t i, std::uint32_t j, Ns shift) const {
    if (!may_pair(a_[i], b_[j]) || contradicts(a_[i], b_[j], shift)) return false;
    const auto apart = [&](std::uint32_t of_a, std::uint32_t of_b) {
      return std::abs(difference_of_ends(a_[of_a], b_[of_b]) - shift);
    };
    const Ns own = apart(i, j);
    if (i + 1 < a_.size() && may_pair(a_[i + 1], b_[j]) && apart(i + 1, j) < own) return false;
    return j + 1 >= b_.size() || !may_pair(a_[i], b_[j + 1]) || apart(i, j + 1) >= own;
  }

  const Entries &a_, &b_;
  const bool is_of_messages_;
};

/// Joins a member at a time to the rows found so far.
class RowJoiner {
 public:
  explicit RowJoiner(const Sequence& sequence) : sequence_(sequence) {}

  AlignedSequence join() {
    for (std::uint32_t member = 0; member < sequence_.members.size(); ++member) {
      const Entries& own = sequence_.members[member];
      row_of_.emplace_back(own.size(), kNoIndex);
      const Pairs pairs = PairAligner(known_, own, sequence_.key.is_of_messages()).align();
      for (const Pair& pair : pairs) row_of_[member][pair.b] = rows_[pair.a];
      if (pairs.size() < own.size()) add_rows(member, pairs);
    }
    return table();
  }

 private:
  /// Entries that the rows lack become rows; they stand where their ends are, on the clock of the
  /// pair before.
  void add_rows(std::uint32_t member, const Pairs& pairs) {
    const Entries& own = sequence_.members[member];
    const Entries known = std::exchange(known_, {});
    const std::vector<std::uint32_t> rows = std::exchange(rows_, {});
    std::uint32_t row = 0, position = 0;
    Ns shift = pairs.empty() ? 0 : difference_of_ends(known[pairs[0].a], own[pairs[0].b]);
    const auto append_until = [&](std::size_t rows_end, std::size_t own_end) {
      while (row < rows_end || position < own_end) {
        const bool takes_own =
            row == rows_end ||
            (position < own_end && own[position].end_ns + shift < known[row].end_ns);
        if (takes_own) {
          row_of_[member][position] = rows_made_;
          append(rows_made_++, moved(own[position++], shift));
        } else {
          append(rows[row], known[row]);
          ++row;
        }
      }
    };
    for (const Pair& pair : pairs) {
      append_until(pair.a, pair.b);
      append(rows[row], known[row]);
      shift = difference_of_ends(known[row++], own[position++]);
    }
    append_until(known.size(), own.size());
  }

  static SequenceEntry moved(SequenceEntry entry, Ns by) {
    entry.start_ns += by;
    entry.end_ns += by;
    return entry;
  }

  void append(std::uint32_t row, const SequenceEntry& entry) {
    rows_.push_back(row);
    known_.push_back(entry);
  }

  AlignedSequence table() const {
    AlignedSequence aligned;
    aligned.members = row_of_.size();
    aligned.positions.assign(rows_.size() * aligned.members, kNoIndex);
    std::vector<std::size_t> order(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) order[rows_[i]] = i;
    for (std::size_t member = 0; member < row_of_.size(); ++member)
      for (std::uint32_t position = 0; position < row_of_[member].size(); ++position)
        aligned.positions[order[row_of_[member][position]] * aligned.members + member] = position;
    return aligned;
  }

  const Sequence& sequence_;
  std::vector<std::uint32_t> rows_;  ///< in order: number of the row, in which it was found
  Entries known_;                    ///< in order: what stands for the row, on the first clock
  std::uint32_t rows_made_ = 0;
  std::vector<std::vector<std::uint32_t>> row_of_;  ///< by member and position
};

/// The n-th entries of all members in one row, whatever they are.
AlignedSequence by_position(const Sequence& sequence) {
  AlignedSequence aligned{sequence.members.size(), {}, {}};
  std::size_t longest = 0;
  for (const Entries& entries : sequence.members) longest = std::max(longest, entries.size());
  for (std::uint32_t row = 0; row < longest; ++row)
    for (const Entries& entries : sequence.members)
      aligned.positions.push_back(row < entries.size() ? row : kNoIndex);
  return aligned;
}

bool are_alike_by_position(const Sequence& sequence) {
  const auto are_alike = [](const SequenceEntry& a, const SequenceEntry& b) {
    const bool is_size_free = a.bytes <= 0 || b.bytes <= 0 || may_differ_in_size(a.type);
    return a.type == b.type && (is_size_free || a.bytes == b.bytes);
  };
  const Entries& first = sequence.members.front();
  return std::all_of(sequence.members.begin(), sequence.members.end(), [&](const Entries& own) {
    return std::equal(first.begin(), first.end(), own.begin(), own.end(), are_alike);
  });
}

bool has_few_losses(const AlignedSequence& aligned) {
  constexpr std::size_t kRowsPerLoss = 10, kRowsForOneLoss = 4;
  const std::size_t most = std::max<std::size_t>(aligned.size() / kRowsPerLoss,
                                                 aligned.size() >= kRowsForOneLoss ? 1 : 0);
  std::vector<std::size_t> lacks(aligned.members, 0);
  for (std::size_t row = 0; row < aligned.size(); ++row)
    for (std::size_t member = 0; member < aligned.members; ++member)
      lacks[member] += aligned[row][member] == kNoIndex ? 1 : 0;
  return std::all_of(lacks.begin(), lacks.end(), [&](std::size_t count) { return count <= most; });
}

/// Finds rows that two members have.
class CommonRows {
 public:
  explicit CommonRows(const AlignedSequence& aligned) : aligned_(aligned) {}

  /// The nearest to a row that one of them lacks, the earlier of two. There is one: each lacks at
  /// most one in ten, or one of four. Rows of one pair ascend.
  std::size_t nearest(std::size_t row, std::size_t a, std::size_t b) {
    Gap& gap = gaps_[{a, b}];
    if (row >= gap.end) {
      for (gap.begin = row; gap.begin > 0 && !have_both(gap.begin - 1, a, b);) --gap.begin;
      for (gap.end = row + 1; gap.end < aligned_.size() && !have_both(gap.end, a, b);) ++gap.end;
    }
    const bool is_before =
        gap.begin > 0 && (gap.end == aligned_.size() || row - gap.begin < gap.end - row);
    assert(is_before || gap.end < aligned_.size());
    return is_before ? gap.begin - 1 : gap.end;
  }

 private:
  /// Rows that one of the two lacks, between rows that both have.
  struct Gap {
    std::size_t begin = 0, end = 0;
  };

  bool have_both(std::size_t row, std::size_t a, std::size_t b) const {
    return aligned_[row][a] != kNoIndex && aligned_[row][b] != kNoIndex;
  }

  const AlignedSequence& aligned_;
  std::map<std::pair<std::size_t, std::size_t>, Gap> gaps_;  // the last one of two members
};

std::vector<LostEntry> lost_entries(const Sequence& sequence, const AlignedSequence& aligned) {
  const auto entry = [&](std::size_t row, std::size_t member) -> const SequenceEntry& {
    return sequence.members[member][aligned[row][member]];
  };
  CommonRows common_rows(aligned);
  std::vector<LostEntry> lost;
  for (std::size_t row = 0; row < aligned.size(); ++row) {
    std::size_t partner = 0;
    while (aligned[row][partner] == kNoIndex) ++partner;
    for (std::size_t member = 0; member < aligned.members; ++member) {
      if (aligned[row][member] != kNoIndex) continue;
      const std::size_t common = common_rows.nearest(row, partner, member);
      const SequenceEntry& own = entry(common, member);
      lost.push_back({row, member, partner,
                      entry(row, partner).end_ns + own.end_ns - entry(common, partner).end_ns,
                      own.node});
    }
  }
  return lost;
}

using Members = SequenceTable::mapped_type;

bool have_any(const Members& members, bool receive) {
  return std::any_of(members.begin(), members.end(), [&](const auto& member) {
    return member.first.receives == receive && !member.second.empty();
  });
}

/// What some ranks send each other or receive under names that the other end lacks.
struct OneSided {
  std::vector<SequenceTable::iterator> sends, receives;
};

void merge_differing_names(SequenceTable& table) {
  std::map<std::pair<std::int64_t, std::int64_t>, OneSided> pairs;
  for (auto at = table.begin(); at != table.end(); ++at) {
    if (!at->first.is_of_messages()) continue;
    const bool sends = have_any(at->second, false), receives = have_any(at->second, true);
    if (sends == receives) continue;
    OneSided& pair = pairs[{at->first.src, at->first.dst}];
    (sends ? pair.sends : pair.receives).push_back(at);
  }
  for (auto& [ranks, pair] : pairs) {
    if (pair.sends.empty() || pair.receives.empty()) continue;
    Members all;
    for (const auto* side : {&pair.sends, &pair.receives})
      for (const auto at : *side)
        for (auto& [member, nodes] : std::exchange(at->second, {}))
          all[member].insert(all[member].end(), nodes.begin(), nodes.end());
    for (auto& [member, nodes] : all) std::sort(nodes.begin(), nodes.end());
    pair.sends.front()->second = std::move(all);
  }
}

}  // namespace

void visit_sequences(
    SequenceTable table,
    const std::function<SequenceEntry(std::uint32_t rank, std::uint32_t node)>& entry_of,
    const std::function<void(const Sequence& sequence)>& take) {
  merge_differing_names(table);
  for (const auto& [key, members] : table) {
    Sequence sequence{key, {}, {}};
    for (const auto& [member, nodes] : members) {
      Entries& entries = sequence.members.emplace_back();
      entries.reserve(nodes.size());
      for (const std::uint32_t node : nodes) entries.push_back(entry_of(member.rank, node));
      if (key.is_of_messages())
        std::stable_sort(entries.begin(), entries.end(),
                         [](const auto& a, const auto& b) { return a.tag < b.tag; });
      sequence.ranks.push_back(member.rank);
    }
    take(sequence);
  }
}

std::vector<std::uint32_t> Sequence::nodes(std::span<const std::uint32_t> positions) const {
  std::vector<std::uint32_t> nodes(positions.size(), kNoIndex);
  for (std::size_t member = 0; member < positions.size(); ++member)
    if (positions[member] != kNoIndex) nodes[member] = members[member][positions[member]].node;
  return nodes;
}

CommOrder comm_order_of(std::int64_t type, bool is_message) {
  if (is_message) return CommOrder::kSourceBeforeReceiver;
  switch (type) {
    case ChakraProtoMsg::ALL_REDUCE:
    case ChakraProtoMsg::ALL_GATHER:
    case ChakraProtoMsg::ALL_TO_ALL:
    case ChakraProtoMsg::REDUCE_SCATTER:
    case ChakraProtoMsg::REDUCE_SCATTER_BLOCK:
    case ChakraProtoMsg::BARRIER:
      return CommOrder::kAllBeforeAny;
    default:
      return CommOrder::kNone;
  }
}

bool may_differ_in_size(std::int64_t type) {
  return type != ChakraProtoMsg::ALL_REDUCE && type != ChakraProtoMsg::REDUCE &&
         type != ChakraProtoMsg::BROADCAST;
}

AlignedSequence align_sequence(const Sequence& sequence, AlignRules rules) {
  if (sequence.members.empty()) return {};
  const bool is_by_position = rules.trusts_positions && are_alike_by_position(sequence);
  AlignedSequence aligned = is_by_position ? by_position(sequence) : RowJoiner(sequence).join();
  if (has_few_losses(aligned))
    aligned.lost = lost_entries(sequence, aligned);
  else if (rules.needs_all)
    aligned = by_position(sequence);
  return aligned;
}

}  // namespace nadi
