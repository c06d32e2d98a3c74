// Threads of both traces mapped to each other, and the iterations in which all of them occur.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "nadi/link/iteration_search.h"
#include "nadi/link/match.h"
#include "nadi/link/match_names.h"

namespace nadi {

/// One thread of the host trace and where its ops occur.
struct ThreadMatch {
  HostSequenceIndex host;
  ProfilerSequenceIndex profiler;  ///< none = none fits
  ByRow<ThreadIteration> thread_iterations;
  /// Host ops of a name that the most alike profiler thread has too; none = no free one has at
  /// least half as many ops.
  std::optional<std::uint64_t> same_name_ops = {};
};

using ThreadMatchIndex = Index<ThreadMatch>;

/// One time all of the host trace was run: a thread iteration each, consistent in time.
struct Iteration {
  /// The thread iteration, by thread match; none = the thread lacks it, as do the threads
  /// beyond the end.
  ByRow<ThreadMatch, ThreadIterationIndex> thread_iteration;
  std::uint64_t matched = 0;    ///< host ops
  std::uint64_t ambiguous = 0;  ///< of them, see ThreadIteration
  Ns start_ns = 0, end_ns = 0;  ///< first matched op's start to the last one's end
  std::string conflict;  ///< see describe_number_conflict(); empty = nothing speaks against it
};

/// A host trace located in a profiler's. Iterations in time order.
struct SequenceMatch {
  NameSequences names;
  ByRow<ThreadMatch> threads;  ///< those with the most ops first
  std::vector<Iteration> iterations;
  std::size_t chosen = 0;      ///< of iterations, if there are any
  std::uint64_t host_ops = 0;  ///< of the names
};

/// Finds the thread iterations of a host sequence in a profiler's.
using Locate =
    std::function<ByRow<ThreadIteration>(HostSequenceIndex host, ProfilerSequenceIndex profiler)>;

/// Maps each host thread to the profiler thread in which most of its ops occur, the largest first;
/// no profiler thread is taken twice. At most 64 threads of the host trace and 4 candidates each
/// (by how many names are common) are tried; the others fit none.
ByRow<ThreadMatch> map_threads(const NameSequences& names, const Locate& locate);

/// The sequences, the longest first.
template <class Sequence>
std::vector<Index<Sequence>> by_length(const ByRow<Sequence>& sequences) {
  std::vector<Index<Sequence>> order(sequences.size());
  std::iota(order.begin(), order.end(), Index<Sequence>(0));
  std::stable_sort(order.begin(), order.end(), [&](Index<Sequence> a, Index<Sequence> b) {
    return sequences[a].size() > sequences[b].size();
  });
  return order;
}

/// Returns, by host thread, the profiler thread with which it has the most ops in common, whatever
/// their order; none is taken twice, the pairs with the most come first. None = none is left.
/// Of both traces the 64 longest threads are looked at.
ByRow<HostSequence, ProfilerSequenceIndex> most_alike_threads(const NameSequences& names);

/// Joins thread iterations: those of the thread that began first (of the larger ones) part the
/// time; a thread that began later has its thread iteration after that one's begin and before the
/// next. Keeps only iterations without a conflict, if there are any. Of these, if every op is
/// matched in some, keeps those (and with DifferingToo::kYes also those in which
/// kLeastShareBesideWhole of the ops is matched). If every op is matched in none, keeps those in
/// which kLeastShare is; if there are none of these either, the best one. Uses at most 64 numbers
/// of memory for each iteration.
std::vector<Iteration> join_iterations(const SequenceMatch& match, const HostTrace& host,
                                       const DeviceTrace& device, DifferingToo differing);

/// Returns the iteration to link. Throws Error(kUsage) where there is none of the number wished.
std::size_t choose_iteration(const SequenceMatch& match, const HostTrace& host,
                             const DeviceTrace& device, const IterationPick& choice);

/// The least share_of_equal_numbers() of the iteration that the host trace recorded. There most
/// agree: ops paired in another order cost some; other iterations have none in common with it,
/// since numbers count up.
inline constexpr double kLeastShareOfOneRun = 0.25;
/// Returns the share of the autograd sequence numbers in both that agree, from 0 to 1.
double share_of_equal_numbers(const SequenceMatch& match, const Iteration& iteration,
                              const HostTrace& host, const DeviceTrace& device);

/// Numbers count up along the program, so those of one iteration are apart by one constant in both
/// traces (0 where they recorded the same run). Says by what they are apart where more than 1 % of
/// the ops that have a number in both traces differ from most of them, or where threads differ from
/// each other; else empty. Time n log n in the ops of the iteration.
std::string describe_number_conflict(const SequenceMatch& match, const Iteration& iteration,
                                     const HostTrace& host, const DeviceTrace& device);

/// Returns the thread's iteration in the iteration; null = it has none, or there is no iteration.
const ThreadIteration* thread_iteration_in(const SequenceMatch& match, const Iteration* iteration,
                                           ThreadMatchIndex thread);

/// Calls visit(host row, profiler row) for what belongs together in an iteration.
template <class Visit>
void for_each_pair(const SequenceMatch& match, const Iteration& iteration, const Visit& visit) {
  for (const ThreadMatchIndex t : rows_of(iteration.thread_iteration)) {
    const ThreadIteration* thread_iteration = thread_iteration_in(match, &iteration, t);
    if (thread_iteration == nullptr) continue;
    const ThreadMatch& thread = match.threads[t];
    for (const NamePair& pair : thread_iteration->pairs)
      visit(match.names.host[thread.host].row[pair.host],
            match.names.profiler[thread.profiler].row[pair.profiler]);
  }
}

}  // namespace nadi
