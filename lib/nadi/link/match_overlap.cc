#include "nadi/link/match_overlap.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "nadi/link/common_window.h"

namespace nadi {
namespace {

constexpr std::size_t kMostLeading = 4, kMostTried = 16;

void swap_sides(ByRow<ThreadIteration>& thread_iterations) {
  for (ThreadIteration& thread_iteration : thread_iterations)
    for (NamePair& pair : thread_iteration.pairs) std::swap(pair.host, pair.profiler);
}

/// Positions of the shorter sequence in the longer one.
ByRow<ThreadIteration> locate_shorter(Names host, Names profiler, MatchBudget& budget) {
  if (host.size() <= profiler.size()) return locate_anywhere(host, profiler, kMostTried, budget);
  ByRow<ThreadIteration> result = locate_anywhere(profiler, host, kMostTried, budget);
  swap_sides(result);
  return result;
}

/// Half-open ranges of positions that are of the same part of the run.
struct Part {
  PositionRange host, profiler;
};

Names names_in(Names all, PositionRange range) { return all.between(range.first, range.second); }

void move_to(const Part& part, ThreadIteration& thread_iteration) {
  for (NamePair& pair : thread_iteration.pairs)
    pair = {part.host.first + pair.host.value, part.profiler.first + pair.profiler.value};
}

/// Ops of one name and sequence number: their position if there is one, none if there are more.
template <class Ops>
std::map<std::pair<NameNumber, std::int64_t>, NamePosition> positions_of_numbers(
    const OpSequence<Ops>& sequence, const ByRow<Ops, std::int64_t>& seq_id) {
  std::map<std::pair<NameNumber, std::int64_t>, NamePosition> positions;
  for (const NamePosition position : rows_of(sequence.row)) {
    const std::int64_t number = seq_id[sequence.row[position]];
    if (number < 0) continue;
    const auto [known, is_new] = positions.try_emplace({sequence.name[position], number}, position);
    if (!is_new) known->second = {};
  }
  return positions;
}

/// The part in which both sequences have ops of one number and name, and on either side what the
/// shorter one still has. Nothing where fewer than 16 ops or other orders say so.
std::optional<Part> part_of_equal_numbers(const HostSequence& on_host,
                                          const ProfilerSequence& on_profiler,
                                          const HostTrace& host, const DeviceTrace& device) {
  constexpr std::size_t kLeast = 16;
  const auto profiler = positions_of_numbers(on_profiler, device.ops.seq_id);
  std::vector<NamePair> equal;
  for (const auto& [op, position] : positions_of_numbers(on_host, host.ops.seq_id))
    if (const auto found = profiler.find(op); position && found != profiler.end() && found->second)
      equal.push_back({position, found->second});
  if (equal.size() < kLeast) return std::nullopt;
  std::sort(equal.begin(), equal.end());
  std::size_t backward = 0;
  for (std::size_t i = 1; i < equal.size(); ++i)
    backward += equal[i].profiler < equal[i - 1].profiler ? 1 : 0;
  if (10 * backward > equal.size()) return std::nullopt;
  const NamePair first = equal.front(), last = equal.back();
  if (last.profiler < first.profiler) return std::nullopt;
  const std::size_t before = std::min(first.host.value, first.profiler.value);
  const std::size_t after =
      std::min(on_host.end_position() - last.host, on_profiler.end_position() - last.profiler);
  return Part{{first.host - before, last.host + after},
              {first.profiler - before, last.profiler + after}};
}

/// Where the leading thread's sequences may overlap.
ByRow<ThreadIteration> leading_candidates(const HostSequence& on_host,
                                          const ProfilerSequence& on_profiler,
                                          const HostTrace& host, const DeviceTrace& device,
                                          OverlapBy by, MatchBudget& budget) {
  ByRow<ThreadIteration> candidates;
  if (const auto part = part_of_equal_numbers(on_host, on_profiler, host, device)) {
    const Names in_host = names_in(on_host.name, part->host),
                in_profiler = names_in(on_profiler.name, part->profiler);
    candidates.push_back(diff_range(in_host, in_profiler,
                                    {NamePosition(0), NamePosition(in_profiler.size())}, budget));
    move_to(*part, candidates.back());
  }
  if (by == OverlapBy::kNumbersOrNames)
    for (ThreadIteration& candidate : locate_shorter(on_host.name, on_profiler.name, budget))
      candidates.push_back(std::move(candidate));
  std::erase_if(candidates,
                [](const ThreadIteration& candidate) { return candidate.pairs.empty(); });
  return candidates;
}

/// Between which ops of the leading thread, neither included, both traces recorded the same; and
/// whether either trace begins later or ends earlier than the other.
struct Bounds {
  std::uint64_t after_id = 0, before_id = std::numeric_limits<std::uint64_t>::max();
  Ns after_ns = std::numeric_limits<Ns>::min(), before_ns = std::numeric_limits<Ns>::max();
  bool is_cut_before = false, is_cut_after = false;
};

Bounds bounds_of(const ThreadIteration& leading, const HostSequence& on_host,
                 const ProfilerSequence& on_profiler, const HostTrace& host,
                 const DeviceTrace& device) {
  const NamePair first = leading.pairs.front(), last = leading.pairs.back();
  Bounds bounds;
  constexpr NamePosition kFirst(0);
  const bool ends_before_host = last.host + 1 < on_host.end_position();
  const bool ends_before_profiler = last.profiler + 1 < on_profiler.end_position();
  if (first.host > kFirst) bounds.after_id = host.ops.id[on_host.row[first.host - 1]];
  if (ends_before_host) bounds.before_id = host.ops.id[on_host.row[last.host + 1]];
  if (first.profiler > kFirst)
    bounds.after_ns = device.ops.start_ns[on_profiler.row[first.profiler - 1]];
  if (ends_before_profiler)
    bounds.before_ns = device.ops.start_ns[on_profiler.row[last.profiler + 1]];
  bounds.is_cut_before = first.host > kFirst || first.profiler > kFirst;
  bounds.is_cut_after = ends_before_host || ends_before_profiler;
  return bounds;
}

/// Positions of a sequence, which are in the order of `key`, with a key between both.
template <class Ops, class Value, class Key>
PositionRange positions_between(const OpSequence<Ops>& sequence, Value after, Value before,
                                const Key& key) {
  const auto first = std::partition_point(sequence.row.begin(), sequence.row.end(),
                                          [&](Index<Ops> row) { return key(row) <= after; });
  const auto end = std::partition_point(first, sequence.row.end(),
                                        [&](Index<Ops> row) { return key(row) < before; });
  const auto position = [&](auto at) {
    return NamePosition(static_cast<std::size_t>(at - sequence.row.begin()));
  };
  return {position(first), position(end)};
}

/// Pairs of equal names at the same distance from the begin or from the end of both.
ThreadIteration pair_at_end(Names host, Names profiler, bool from_begin) {
  const std::size_t size = std::min(host.size(), profiler.size());
  const NamePosition host_begin(from_begin ? 0 : host.size() - size);
  const NamePosition profiler_begin(from_begin ? 0 : profiler.size() - size);
  ThreadIteration thread_iteration;
  for (std::size_t i = 0; i < size; ++i)
    if (host[host_begin + i] == profiler[profiler_begin + i])
      thread_iteration.pairs.push_back({host_begin + i, profiler_begin + i});
  thread_iteration.exact = thread_iteration.pairs.size();
  return thread_iteration;
}

/// A part whose one end, or both, is the same in both traces.
ThreadIteration match_part(Names host, Names profiler, const Bounds& bounds, MatchBudget& budget) {
  const bool from_begin = !bounds.is_cut_before || bounds.is_cut_after;
  ThreadIteration best = pair_at_end(host, profiler, from_begin);
  const auto consider = [&](ThreadIteration other) {
    if (other.pairs.size() > best.pairs.size()) best = std::move(other);
  };
  consider(pair_at_end(host, profiler, !from_begin));
  if (best.pairs.size() == std::min(host.size(), profiler.size())) return best;
  ByRow<ThreadIteration> candidates = locate_shorter(host, profiler, budget);
  if (!from_begin) std::reverse(candidates.begin(), candidates.end());
  for (ThreadIteration& candidate : candidates) consider(std::move(candidate));
  return best;
}

/// Tries candidates and keeps the best.
class Overlap {
 public:
  Overlap(NameSequences names, const HostTrace& host, const DeviceTrace& device, OverlapBy by)
      : host_(host), device_(device), by_(by) {
    match_.names = std::move(names);
    for (const HostSequence& sequence : match_.names.host) match_.host_ops += sequence.size();
    const auto profiler = most_alike_threads(match_.names);
    for (const HostSequenceIndex thread : by_length(match_.names.host))
      match_.threads.push_back({thread, profiler[thread], {}});
  }

  SequenceMatch run() && {
    std::size_t leading = 0;
    for (const ThreadMatchIndex t : rows_of(match_.threads)) {
      if (leading == kMostLeading) break;
      if (!match_.threads[t].profiler) continue;
      ++leading;
      for (ThreadIteration& candidate :
           leading_candidates(on_host(t), on_profiler(t), host_, device_, by_, budget_))
        consider(t, std::move(candidate));
    }
    if (best_.matched == 0) return std::move(match_);
    match_.iterations.push_back(std::move(best_));
    for (const ThreadMatchIndex t : rows_of(match_.threads))
      match_.threads[t].thread_iterations = std::move(best_iterations_[t]);
    return std::move(match_);
  }

 private:
  const HostSequence& on_host(ThreadMatchIndex t) const {
    return match_.names.host[match_.threads[t].host];
  }
  const ProfilerSequence& on_profiler(ThreadMatchIndex t) const {
    return match_.names.profiler[match_.threads[t].profiler];
  }

  void consider(ThreadMatchIndex leading, ThreadIteration candidate) {
    match_around(leading, std::move(candidate));
    Iteration iteration = iteration_of_all();
    iteration.conflict = describe_number_conflict(match_, iteration, host_, device_);
    if (!iteration.conflict.empty()) return;
    const bool is_one_run =
        is_common_window(iteration.matched, match_.host_ops, device_.ops.size()) &&
        share_of_equal_numbers(match_, iteration, host_, device_) >= kLeastShareOfOneRun;
    if (std::pair(is_one_run, iteration.matched) <= std::pair(is_best_one_run_, best_.matched))
      return;
    is_best_one_run_ = is_one_run;
    best_ = std::move(iteration);
    best_iterations_.clear();
    for (ThreadMatch& thread : match_.threads)
      best_iterations_.push_back(std::move(thread.thread_iterations));
  }

  /// Gives each thread the thread iteration that goes with the leading one's.
  void match_around(ThreadMatchIndex leading, ThreadIteration candidate) {
    const Bounds bounds =
        bounds_of(candidate, on_host(leading), on_profiler(leading), host_, device_);
    for (const ThreadMatchIndex t : rows_of(match_.threads)) {
      ByRow<ThreadIteration>& thread_iterations = match_.threads[t].thread_iterations;
      thread_iterations.clear();
      if (t == leading || !match_.threads[t].profiler) continue;
      const auto id = [&](HostOpIndex row) { return host_.ops.id[row]; };
      const auto start = [&](ProfilerOpIndex row) { return device_.ops.start_ns[row]; };
      const Part part{positions_between(on_host(t), bounds.after_id, bounds.before_id, id),
                      positions_between(on_profiler(t), bounds.after_ns, bounds.before_ns, start)};
      ThreadIteration found =
          match_part(names_in(on_host(t).name, part.host),
                     names_in(on_profiler(t).name, part.profiler), bounds, budget_);
      move_to(part, found);
      if (!found.pairs.empty()) thread_iterations.push_back(std::move(found));
    }
    match_.threads[leading].thread_iterations.push_back(std::move(candidate));
  }

  Iteration iteration_of_all() const {
    Iteration iteration;
    iteration.start_ns = std::numeric_limits<Ns>::max();
    iteration.end_ns = std::numeric_limits<Ns>::min();
    for (const ThreadMatch& thread : match_.threads)
      iteration.thread_iteration.push_back(
          thread.thread_iterations.empty() ? ThreadIterationIndex() : ThreadIterationIndex(0));
    for_each_pair(match_, iteration, [&](HostOpIndex, ProfilerOpIndex row) {
      iteration.start_ns = std::min(iteration.start_ns, device_.ops.start_ns[row]);
      iteration.end_ns = std::max(iteration.end_ns, op_end_ns(device_.ops, row));
      ++iteration.matched;
    });
    return iteration;
  }

  const HostTrace& host_;
  const DeviceTrace& device_;
  OverlapBy by_;
  SequenceMatch match_;  ///< with the candidate tried last
  MatchBudget budget_;
  bool is_best_one_run_ = false;
  Iteration best_;
  ByRow<ThreadMatch, ByRow<ThreadIteration>> best_iterations_;
};

}  // namespace

SequenceMatch locate_overlap(NameSequences names, const HostTrace& host, const DeviceTrace& device,
                             OverlapBy by) {
  return Overlap(std::move(names), host, device, by).run();
}

}  // namespace nadi
