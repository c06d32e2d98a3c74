// Describes what a match by order or by tree found, thread by thread, in words for people.
#pragma once

#include <string>

#include "nadi/base/diagnostics.h"
#include "nadi/link/match_iterations.h"

namespace nadi {

/// Numbers of one thread in one iteration.
struct ThreadMatchCounts {
  std::uint64_t host_ops = 0, exact = 0, gap_filled = 0;
  std::uint64_t unmatched_host = 0;
  std::uint64_t unmatched_profiler = 0;  ///< between the first and the last matched op
};
/// Counts the ops of one thread; iteration null = none was found.
ThreadMatchCounts count_thread(const SequenceMatch& match, ThreadMatchIndex thread,
                               const Iteration* iteration);

/// Returns "thread 1: 308 of 311 ops exact, 2 gap-filled, 1 unmatched, …" of all threads, at most
/// 8, the largest first, joined by "; ".
std::string describe_match(const SequenceMatch& match, const HostTrace& host,
                           const DeviceTrace& device);

/// Rows of the diagnostics table: `iterations-found` with which was taken, `matched-threads` with
/// describe_match(), `gap-filled-ops` of all threads of what is linked.
void report_match(const SequenceMatch& match, const HostTrace& host, const DeviceTrace& device,
                  bool takes_all, Diagnostics& diagnostics);

}  // namespace nadi
