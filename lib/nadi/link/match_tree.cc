#include "nadi/link/match_tree.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "nadi/link/op_tree.h"

namespace nadi {
namespace {

/// As Siblings, but some are taken out.
using Positions = ByPosition<NamePosition>;

NameList names_at(const OpTree& tree, Siblings positions) {
  NameList names;
  for (const NamePosition position : positions) names.push_back(tree.name[position]);
  return names;
}

/// Matches two lists of siblings, then what they enclose.
class TreeMatch {
 public:
  TreeMatch(const OpTree& host, const OpTree& profiler, MatchBudget& budget)
      : host_(host), profiler_(profiler), budget_(budget) {}

  ThreadIteration run(Siblings host, Siblings profiler) {
    match_siblings(host, profiler);
    while (!pending_.empty()) {
      const Pending next = pending_.back();
      pending_.pop_back();
      const auto of_host = host_.children_of(next.pair.host);
      const auto of_profiler = profiler_.children_of(next.pair.profiler);
      if (!next.is_equal) {
        match_siblings(of_host, of_profiler);
        continue;
      }
      for (std::size_t i = 0; i < std::min(of_host.size(), of_profiler.size()); ++i)
        add({of_host[i], of_profiler[i]}, true, false);
    }
    std::sort(found_.pairs.begin(), found_.pairs.end());
    return std::move(found_);
  }

 private:
  struct Pending {
    NamePair pair;
    bool is_equal;  ///< the subtrees are
  };

  /// is_doubtful: another sibling would do as well, and their order is not the same.
  void add(NamePair pair, bool is_equal, bool is_doubtful) {
    if (host_.name[pair.host] != profiler_.name[pair.profiler]) return;  // equal hashes by chance
    const bool is_ambiguous = is_doubtful && host_.children_of(pair.host).empty();
    found_.pairs.push_back(pair);
    found_.exact += is_equal && !is_ambiguous ? 1 : 0;
    found_.ambiguous += is_ambiguous ? 1 : 0;
    pending_.push_back({pair, is_equal});
  }

  /// What is left of both lists goes from step to step.
  void match_siblings(Siblings host, Siblings profiler) {
    Positions h(host.begin(), host.end()), p(profiler.begin(), profiler.end());
    in_order(h, p, host_.same_order, profiler_.same_order, true);
    any_position(h, p, host_.same_order, profiler_.same_order, true);
    any_position(h, p, host_.any_order, profiler_.any_order, false);
    in_order(h, p, host_.name, profiler_.name, false);
    any_position(h, p, host_.name, profiler_.name, false);
  }

  template <class Key>
  void in_order(Positions& h, Positions& p, const ByPosition<Key>& host_key,
                const ByPosition<Key>& profiler_key, bool is_equal) {
    if (h.empty() || p.empty()) return;
    std::unordered_map<Key, NameNumber> numbers;
    const auto number = [&](const Positions& positions, const ByPosition<Key>& keys) {
      NameList result;
      for (const NamePosition position : positions)
        result.push_back(
            numbers.try_emplace(keys[position], NameNumber(numbers.size())).first->second);
      return result;
    };
    const NameList of_host = number(h, host_key);
    const NameList of_profiler = number(p, profiler_key);
    std::vector<NamePair> pairs = diff_names(of_host, of_profiler, budget_);
    pair_by_number(h, p, host_key, pairs);
    take(h, p, pairs, is_equal, [](const NamePair&) { return false; });
  }

  /// The first of a key goes with the first of it on the other side, wherever that is.
  template <class Key>
  void any_position(Positions& h, Positions& p, const ByPosition<Key>& host_key,
                    const ByPosition<Key>& profiler_key, bool is_equal) {
    if (h.empty() || p.empty()) return;
    const auto sorted = [](const Positions& positions, const ByPosition<Key>& keys) {
      std::vector<std::pair<Key, NamePosition>> result;
      for (const NamePosition i : rows_of(positions)) result.emplace_back(keys[positions[i]], i);
      std::sort(result.begin(), result.end());
      return result;
    };
    const auto of_host = sorted(h, host_key), of_profiler = sorted(p, profiler_key);
    std::vector<NamePair> pairs;
    for (auto a = of_host.begin(), b = of_profiler.begin();
         a != of_host.end() && b != of_profiler.end();) {
      if (a->first == b->first)
        pairs.push_back({a++->second, b++->second});
      else
        a->first < b->first ? ++a : ++b;
    }
    pair_by_number(h, p, host_key, pairs);
    std::unordered_set<Key> repeated;
    const auto add_repeated = [&repeated](const auto& keys) {
      for (std::size_t i = 1; i < keys.size(); ++i)
        if (keys[i].first == keys[i - 1].first) repeated.insert(keys[i].first);
    };
    add_repeated(of_host);
    add_repeated(of_profiler);
    take(h, p, pairs, is_equal,
         [&](const NamePair& pair) { return repeated.contains(host_key[h[pair.host]]); });
  }

  /// Of siblings with one key and autograd's sequence numbers on both sides the lowest number goes
  /// with the lowest: that is their order in the program, wherever they stand.
  template <class Key>
  void pair_by_number(const Positions& h, const Positions& p, const ByPosition<Key>& key,
                      std::vector<NamePair>& pairs) const {
    const auto on_host = [&](const NamePair& pair) { return host_.seq_id[h[pair.host]]; };
    const auto on_profiler = [&](const NamePair& pair) {
      return profiler_.seq_id[p[pair.profiler]];
    };
    const auto numbered = std::partition(pairs.begin(), pairs.end(), [&](const NamePair& pair) {
      return on_host(pair) < 0 || on_profiler(pair) < 0;
    });
    std::vector<NamePair> by_host(numbered, pairs.end()), by_profiler = by_host;
    const auto sort = [&](std::vector<NamePair>& list, const auto& number) {
      std::stable_sort(list.begin(), list.end(), [&](const NamePair& a, const NamePair& b) {
        const Key &x = key[h[a.host]], &y = key[h[b.host]];
        return x != y ? x < y : number(a) < number(b);
      });
    };
    sort(by_host, on_host);
    sort(by_profiler, on_profiler);
    auto pair = numbered;
    for (std::size_t i = 0; i < by_host.size(); ++i)
      *pair++ = {by_host[i].host, by_profiler[i].profiler};
  }

  /// Adds the pairs (indices into h and p) and leaves the rest.
  template <class IsDoubtful>
  void take(Positions& h, Positions& p, const std::vector<NamePair>& pairs, bool is_equal,
            const IsDoubtful& is_doubtful) {
    for (const NamePair& pair : pairs)
      add({h[pair.host], p[pair.profiler]}, is_equal, is_doubtful(pair));
    for (const NamePair& pair : pairs) h[pair.host] = p[pair.profiler] = {};
    std::erase(h, NamePosition());
    std::erase(p, NamePosition());
  }

  const OpTree& host_;
  const OpTree& profiler_;
  MatchBudget& budget_;
  std::vector<Pending> pending_;
  ThreadIteration found_;
};

/// Aligns what is left on both sides between two neighbours that are matched in order: stamps in
/// whole us give an op that begins when its parent ends another parent.
void bridge_gaps(const OpTree& host, const OpTree& profiler, MatchBudget& budget,
                 ThreadIteration& found) {
  std::unordered_set<NamePosition> taken;
  for (const NamePair& pair : found.pairs) taken.insert(pair.profiler);
  std::vector<NamePair> gap_filled;
  for (std::size_t i = 1; i < found.pairs.size(); ++i) {
    const NamePair before = found.pairs[i - 1], after = found.pairs[i];
    const std::size_t left = after.host - before.host - 1;
    // A longer gap is no small difference; and the bound keeps the time linear.
    if (left == 0 || after.profiler <= before.profiler ||
        after.profiler - before.profiler > 4 * left + 16)
      continue;
    Positions on_host, on_profiler;
    for (NamePosition position = before.host + 1; position < after.host; ++position)
      on_host.push_back(position);
    for (NamePosition position = before.profiler + 1; position < after.profiler; ++position)
      if (!taken.contains(position)) on_profiler.push_back(position);
    const auto pairs = diff_names(names_at(host, on_host), names_at(profiler, on_profiler), budget);
    for (const NamePair& pair : pairs) {
      gap_filled.push_back({on_host[pair.host], on_profiler[pair.profiler]});
      taken.insert(on_profiler[pair.profiler]);
    }
  }
  found.pairs.insert(found.pairs.end(), gap_filled.begin(), gap_filled.end());
  std::sort(found.pairs.begin(), found.pairs.end());
}

/// An op by its name and autograd's sequence number.
using Numbered = std::pair<NameNumber, std::int64_t>;

/// The outermost profiler ops from the first to the last that have or enclose an op the host trace
/// has too, by name and sequence number; nothing where these are too far apart to be one iteration.
std::optional<PositionRange> recorded_range(const OpTree& host, const OpTree& profiler) {
  std::set<Numbered> on_host;
  for (const NamePosition position : rows_of(host.name))
    if (host.seq_id[position] >= 0) on_host.emplace(host.name[position], host.seq_id[position]);
  if (on_host.empty()) return std::nullopt;
  const Siblings outermost = profiler.outermost();
  const NamePosition behind(outermost.size());
  NamePosition first, last(0);
  NamePosition inside(0);  // of the outermost ops
  for (const NamePosition position : rows_of(profiler.name)) {
    while (inside + 1 < behind && outermost[inside + 1] <= position) ++inside;
    if (!on_host.contains({profiler.name[position], profiler.seq_id[position]})) continue;
    first = std::min(first, inside);
    last = inside;
  }
  const auto few = 2 * host.outermost().size() + 2;
  if (!first || last - first >= few) return std::nullopt;
  return PositionRange{first, last + 1};
}

/// Puts the range in place of those that overlap it, unless one of them holds it.
void put_first(std::optional<PositionRange> range, std::vector<PositionRange>& ranges) {
  if (!range) return;
  const auto overlaps = [&](const PositionRange& r) {
    return r.first < range->second && range->first < r.second;
  };
  for (const PositionRange& r : ranges)
    if (r.first <= range->first && range->second <= r.second) return;
  std::erase_if(ranges, overlaps);
  ranges.push_back(*range);
}

/// Ranges of outermost profiler ops to look at, ascending; they may overlap. The one whose ops have
/// the host's autograd sequence numbers is among them. All ops are one range if they are not many
/// more than the host's, or if they are few and nothing is likely.
std::vector<PositionRange> iteration_ranges(const OpTree& host, const OpTree& profiler,
                                            MatchBudget& budget) {
  const Siblings of_host = host.outermost(), of_profiler = profiler.outermost();
  const std::vector<PositionRange> all = {{NamePosition(0), NamePosition(of_profiler.size())}};
  if (2 * of_profiler.size() < 3 * of_host.size()) return all;
  const auto on_host = names_at(host, of_host), on_profiler = names_at(profiler, of_profiler);
  std::vector<PositionRange> likely;
  for (const Infix& infix : find_infixes(on_host, on_profiler, budget))
    likely.push_back(infix.range);
  put_first(recorded_range(host, profiler), likely);
  std::sort(likely.begin(), likely.end());
  const bool are_few = 2 * of_profiler.size() < 3 * of_host.size() + 6;
  return likely.empty() && are_few ? all : likely;
}

/// Ops of a range of outermost ones, with what these enclose.
std::size_t ops_in(const OpTree& tree, PositionRange range) {
  const Siblings outermost = tree.outermost();
  const bool is_followed = range.second < NamePosition(outermost.size());
  const NamePosition end = is_followed ? outermost[range.second] : NamePosition(tree.size());
  return end - outermost[range.first];
}

ByRow<ThreadIteration> locate_tree(const OpTree& host, const OpTree& profiler,
                                   MatchBudget& budget) {
  const Siblings of_host = host.outermost(), of_profiler = profiler.outermost();
  ByRow<ThreadIteration> result;
  NamePosition free(0);
  for (PositionRange range : iteration_ranges(host, profiler, budget)) {
    range.first = std::max(range.first, free);
    if (range.first >= range.second || 2 * ops_in(profiler, range) < host.size()) continue;
    ThreadIteration found = TreeMatch(host, profiler, budget)
                                .run(of_host, of_profiler.between(range.first, range.second));
    if (found.pairs.empty() || 2 * found.pairs.size() < host.size()) continue;
    bridge_gaps(host, profiler, budget, found);
    const NamePosition last = found.last_position();
    while (free < NamePosition(of_profiler.size()) && of_profiler[free] <= last) ++free;
    result.push_back(std::move(found));
  }
  return result;
}

/// Adds thread iterations that take nothing of those there are.
void add_apart(ByRow<ThreadIteration>& thread_iterations, ByRow<ThreadIteration> others) {
  std::map<NamePosition, NamePosition> last_by_first;
  for (const ThreadIteration& o : thread_iterations)
    last_by_first[o.first_position()] = o.last_position();
  for (ThreadIteration& other : others) {
    const auto after = last_by_first.upper_bound(other.last_position());
    if (after == last_by_first.begin() || std::prev(after)->second < other.first_position())
      thread_iterations.push_back(std::move(other));
  }
  std::sort(thread_iterations.begin(), thread_iterations.end(),
            [](const ThreadIteration& a, const ThreadIteration& b) {
              return a.first_position() < b.first_position();
            });
}

/// Ops matched whose sequence numbers are equal, the most of a thread iteration.
std::size_t most_numbers(const ByRow<ThreadIteration>& thread_iterations, const OpTree& host,
                         const OpTree& profiler) {
  std::size_t most = 0;
  for (const ThreadIteration& thread_iteration : thread_iterations) {
    const auto equal = std::count_if(
        thread_iteration.pairs.begin(), thread_iteration.pairs.end(), [&](const NamePair& pair) {
          return host.seq_id[pair.host] >= 0 &&
                 host.seq_id[pair.host] == profiler.seq_id[pair.profiler];
        });
    most = std::max(most, static_cast<std::size_t>(equal));
  }
  return most;
}

/// The order decides where it is the same; elsewhere the trees, if they match more. Where both
/// match all, the sequence numbers say which of equal names are the same ops.
ByRow<ThreadIteration> locate_either_way(const HostSequence& host, const OpTree& host_tree,
                                         const ProfilerSequence& profiler,
                                         const OpTree& profiler_tree, MatchBudget& budget,
                                         DifferingToo differing) {
  ByRow<ThreadIteration> in_order = locate(host.name, profiler.name, budget, differing);
  ByRow<ThreadIteration> by_tree = locate_tree(host_tree, profiler_tree, budget);
  const std::size_t most = most_pairs(in_order), most_by_tree = most_pairs(by_tree);
  if (most_by_tree > most) return by_tree;
  if (most_by_tree == most && most_numbers(by_tree, host_tree, profiler_tree) >
                                  most_numbers(in_order, host_tree, profiler_tree))
    std::swap(in_order, by_tree);
  if (most == host.size()) add_apart(in_order, std::move(by_tree));
  return in_order;
}

}  // namespace

SequenceMatch locate_by_tree(const HostTrace& host, const DeviceTrace& device,
                             DifferingToo differing) {
  SequenceMatch match;
  match.names = name_sequences(host, device);
  const NameSet of_host_trace = names_of(match.names.host);
  const NameSet of_device = names_of(match.names.profiler);
  ByRow<HostSequence, OpTree> of_host;
  ByRow<ProfilerSequence, OpTree> of_profiler;
  MatchBudget budget;
  for (const HostSequence& sequence : match.names.host) {
    match.host_ops += sequence.size();
    of_host.push_back(host_tree(sequence, of_device, host));
  }
  for (const ProfilerSequence& sequence : match.names.profiler)
    of_profiler.push_back(profiler_tree(sequence, of_host_trace, device));
  match.threads = map_threads(match.names, [&](HostSequenceIndex h, ProfilerSequenceIndex p) {
    return locate_either_way(match.names.host[h], of_host[h], match.names.profiler[p],
                             of_profiler[p], budget, differing);
  });
  match.iterations = join_iterations(match, host, device, differing);
  return match;
}

}  // namespace nadi
