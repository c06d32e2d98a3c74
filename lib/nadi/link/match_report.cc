#include "nadi/link/match_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "nadi/base/count_text.h"
#include "nadi/base/utf8.h"
#include "nadi/link/op_tree.h"

namespace nadi {
namespace {

const Iteration* chosen_iteration(const SequenceMatch& match) {
  return match.iterations.empty() ? nullptr : &match.iterations[match.chosen];
}

std::string short_name(std::string_view name) {
  constexpr std::size_t kLongest = 48;
  const std::string shown(whole_prefix(name, kLongest));
  return name.size() > kLongest ? shown + "..." : shown;
}

/// Names of [position - 2, position + 2], the one at position in brackets.
template <class NameOf>
std::string neighbourhood(NamePosition position, std::size_t size, const NameOf& name_of) {
  std::string text;
  const NamePosition first = position - std::min(position.value, 2U), behind(size);
  for (const NamePosition i : RowRange(first, std::max(first, std::min(behind, position + 3)))) {
    const std::string name = short_name(name_of(i));
    text += fmt::format("{}{}", text.empty() ? "" : ", ", i == position ? "[" + name + "]" : name);
  }
  return position >= behind ? text + (text.empty() ? "" : ", ") + "[end]" : text;
}

/// Positions where the sequences first differ; nothing where they do not.
struct Difference {
  NamePosition host, profiler;
  bool exists;
};

Difference first_difference(const ThreadIteration& thread_iteration, std::size_t host_size) {
  NamePosition host(0), profiler = thread_iteration.first_position();
  for (const NamePair& pair : thread_iteration.pairs) {
    if (pair.host != host || pair.profiler != profiler) return {host, profiler, true};
    ++host;
    ++profiler;
  }
  return {host, profiler, host < NamePosition(host_size)};
}

/// is_whole: neither trace has an op there that the other lacks.
std::string describe_difference(const SequenceMatch& match, ThreadMatchIndex thread,
                                const ThreadIteration& thread_iteration, bool is_whole,
                                const HostTrace& host, const DeviceTrace& device) {
  const HostSequence& on_host = match.names.host[match.threads[thread].host];
  const ProfilerSequence& on_profiler = match.names.profiler[match.threads[thread].profiler];
  const Difference at = first_difference(thread_iteration, on_host.size());
  if (!at.exists) return {};
  const auto host_name = [&](NamePosition i) {
    return host.strings[host.ops.name[on_host.row[i]]];
  };
  const auto profiler_name = [&](NamePosition i) {
    return device.strings[device.ops.name[on_profiler.row[i]]];
  };
  const bool has_same_name = at.host < on_host.end_position() &&
                             at.profiler < on_profiler.end_position() &&
                             on_host.name[at.host] == on_profiler.name[at.profiler];
  const char* const what = is_whole        ? "op in another order"
                           : has_same_name ? "op matched elsewhere"
                                           : "difference";
  return fmt::format(", first {} at op {}: host trace {} - device trace {}", what,
                     at.host.value + 1, neighbourhood(at.host, on_host.size(), host_name),
                     neighbourhood(at.profiler, on_profiler.size(), profiler_name));
}

/// The first name that no thread of the device trace has, with those around it.
std::string describe_lacking(const SequenceMatch& match, const HostSequence& on_host,
                             const HostTrace& host) {
  const NameSet known = names_of(match.names.profiler);
  const auto missing = std::find_if(on_host.name.begin(), on_host.name.end(),
                                    [&](NameNumber name) { return !known.contains(name); });
  if (missing == on_host.name.end()) return ": all names occur, but apart or in another order";
  const NamePosition position(static_cast<std::size_t>(missing - on_host.name.begin()));
  const auto name_of = [&](NamePosition i) { return host.strings[host.ops.name[on_host.row[i]]]; };
  return fmt::format(", the first name that no thread there has is op {}: {}", position.value + 1,
                     neighbourhood(position, on_host.size(), name_of));
}

/// Why a thread has no part in an iteration.
std::string describe_missing(const SequenceMatch& match, ThreadMatchIndex thread,
                             const HostTrace& host) {
  const ThreadMatch& missed = match.threads[thread];
  const HostSequence& on_host = match.names.host[missed.host];
  if (!missed.thread_iterations.empty())
    return fmt::format("its {} found {}, but not in the time of the other threads' iteration",
                       count_text(on_host.size(), "op"),
                       count_text(missed.thread_iterations.size(), "time"));
  if (!missed.same_name_ops)
    return fmt::format("no free thread of the device trace has half as many ops as its {}",
                       on_host.size());
  const std::string numbers = fmt::format(
      "no place found where half of its {} stand together, {} with an op of their name in the "
      "most alike thread of the device trace",
      count_text(on_host.size(), "op"), *missed.same_name_ops);
  return numbers + describe_lacking(match, on_host, host);
}

/// "thread 1: 308 of 311 ops exact, 2 gap-filled, 1 unmatched, …", with the first mismatch and the
/// names around it on both sides; of a thread without a part in the iteration why that is: how many
/// ops have one of their name and which name the device trace lacks, or that its thread iterations
/// lie elsewhere.
std::string describe_thread(const SequenceMatch& match, ThreadMatchIndex thread,
                            const Iteration* iteration, const HostTrace& host,
                            const DeviceTrace& device) {
  const ThreadMatchCounts counts = count_thread(match, thread, iteration);
  const HostSequence& on_host = match.names.host[match.threads[thread].host];
  const ThreadIteration* thread_iteration = thread_iteration_in(match, iteration, thread);
  if (thread_iteration == nullptr)
    return fmt::format("thread {}: {}", on_host.tid, describe_missing(match, thread, host));
  std::string text =
      fmt::format("thread {}: {} of {} ops exact", on_host.tid, counts.exact, counts.host_ops);
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count != 0) text += fmt::format(", {} {}", count, what);
  };
  add(counts.gap_filled, "gap-filled");
  add(counts.unmatched_host, "unmatched");
  add(counts.unmatched_profiler, "in the device trace only");
  const bool is_whole = counts.unmatched_host == 0 && counts.unmatched_profiler == 0;
  return text + describe_difference(match, thread, *thread_iteration, is_whole, host, device);
}

}  // namespace

ThreadMatchCounts count_thread(const SequenceMatch& match, ThreadMatchIndex thread,
                               const Iteration* iteration) {
  ThreadMatchCounts counts;
  counts.host_ops = counts.unmatched_host = match.names.host[match.threads[thread].host].size();
  const ThreadIteration* thread_iteration = thread_iteration_in(match, iteration, thread);
  if (thread_iteration == nullptr) return counts;
  const std::uint64_t matched = thread_iteration->pairs.size();
  counts.exact = std::min(thread_iteration->exact, matched);
  counts.gap_filled = matched - counts.exact;
  counts.unmatched_host -= matched;
  counts.unmatched_profiler =
      thread_iteration->last_position() - thread_iteration->first_position() + 1 - matched;
  return counts;
}

std::string describe_match(const SequenceMatch& match, const HostTrace& host,
                           const DeviceTrace& device) {
  constexpr std::size_t kMostThreads = 8;
  std::string text;
  for (const ThreadMatchIndex thread : rows_of(match.threads)) {
    if (thread == ThreadMatchIndex(kMostThreads))
      return text + "; " + count_text(match.threads.size() - kMostThreads, "more thread");
    text += (text.empty() ? "" : "; ") +
            describe_thread(match, thread, chosen_iteration(match), host, device);
  }
  return text;
}

void report_match(const SequenceMatch& match, const HostTrace& host, const DeviceTrace& device,
                  bool takes_all, Diagnostics& diagnostics) {
  const Iteration* iteration = chosen_iteration(match);
  if (iteration == nullptr) return;
  const double start_ms = static_cast<double>(iteration->start_ns - device.first_ns) / 1e6;
  diagnostics.report(
      Finding::kIterationsFound,
      takes_all ? "all taken"
                : fmt::format("number {} taken, from {:.3f} ms on", match.chosen + 1, start_ms),
      match.iterations.size());
  diagnostics.report(Finding::kMatchedThreads, describe_match(match, host, device),
                     match.threads.size());
  std::uint64_t gap_filled = 0;
  for (const Iteration& linked : match.iterations)
    if (takes_all || &linked == iteration)
      for (const ThreadMatchIndex thread : rows_of(match.threads))
        gap_filled += count_thread(match, thread, &linked).gap_filled;
  diagnostics.report(Finding::kGapFilledOps, {}, gap_filled);
}

}  // namespace nadi
