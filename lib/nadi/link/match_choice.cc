#include "nadi/link/match_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "nadi/base/error.h"
#include "nadi/link/common_window.h"
#include "nadi/link/match_order.h"
#include "nadi/link/match_overlap.h"
#include "nadi/link/match_report.h"
#include "nadi/link/match_tree.h"

namespace nadi {
namespace {

/// Without being asked for, order and trees decide only over so many ops: a few names fit anywhere.
constexpr std::uint64_t kLeastOps = 8;

constexpr const char* kFewNamesRemedy =
    "Use `match=order` if they are ops of the same run, or leave the host trace out to convert the "
    "device "
    "trace alone";
constexpr const char* kNoOpsRemedy =
    "Start the observer before the steps it shall record, or leave that one out";

/// By kOrder, or by kTree. To repeat the host trace's iteration, those are wanted too in which it
/// differs a little.
SequenceMatch locate_by(MatchMethod method, const HostTrace& host, const DeviceTrace& device,
                        const MatchOptions& options) {
  const DifferingToo differing = options.repeats_all ? DifferingToo::kYes : DifferingToo::kNo;
  return method == MatchMethod::kTree
             ? locate_by_tree(host, device, differing)
             : locate_by_order(host, device, options.annotation, differing);
}

/// The first of those with the most ops matched; one without any where there is none.
Iteration best_iteration(const SequenceMatch& match) {
  const auto best = std::max_element(
      match.iterations.begin(), match.iterations.end(),
      [](const Iteration& a, const Iteration& b) { return a.matched < b.matched; });
  return best == match.iterations.end() ? Iteration{} : *best;
}

std::uint64_t matched_ops(const SequenceMatch& match) { return best_iteration(match).matched; }

/// Ops matched by a common name alone do not count: any two traces of few names have as many.
bool has_enough_ops(const SequenceMatch& match) {
  const Iteration best = best_iteration(match);
  return !match.iterations.empty() &&
         is_share(best.matched - best.ambiguous, match.host_ops, kLeastShare);
}

bool has_conflict(const SequenceMatch& match) { return !best_iteration(match).conflict.empty(); }

bool fits(const SequenceMatch& match) { return has_enough_ops(match) && !has_conflict(match); }

std::string describe_share_of(const SequenceMatch& match, MatchMethod method) {
  const std::uint64_t ambiguous = best_iteration(match).ambiguous;
  return fmt::format("{} {}{} of {} host ops fit",
                     method == MatchMethod::kTree ? "by call trees" : "by the order of names",
                     has_enough_ops(match) ? "" : "only ", matched_ops(match) - ambiguous,
                     match.host_ops) +
         (ambiguous == 0 ? "" : fmt::format(", {} more by name alone", ambiguous)) +
         (has_conflict(match) ? ", but " + best_iteration(match).conflict : "");
}

std::string describe_failure(const SequenceMatch& match, MatchMethod method, const HostTrace& host,
                             const DeviceTrace& device) {
  return describe_share_of(match, method) + " (" + describe_match(match, host, device) + ")";
}

[[noreturn]] void refuse(const std::string& what, const char* remedy = kMismatchRemedy) {
  throw Error(ErrorCode::kInput, "host and device trace", what, remedy);
}

/// The pairs of one iteration.
OpMatch match_of(const SequenceMatch& match, const Iteration& iteration, const HostTrace& host) {
  OpMatch ops;
  ops.host_ops = match.host_ops;
  ops.profiler_of_host.resize(host.ops.size());
  for_each_pair(match, iteration, [&](HostOpIndex host_row, ProfilerOpIndex profiler_row) {
    ops.profiler_of_host[host_row] = profiler_row;
    ++ops.matched;
  });
  return ops;
}

bool chooses_iterations(const MatchOptions& options) {
  return options.iteration_pick.kind != IterationPickKind::kAuto || !options.annotation.empty() ||
         options.repeats_all;
}

bool is_of_one_run(const SequenceMatch& match, const HostTrace& host, const DeviceTrace& device) {
  return std::any_of(
      match.iterations.begin(), match.iterations.end(), [&](const Iteration& iteration) {
        return share_of_equal_numbers(match, iteration, host, device) >= kLeastShareOfOneRun;
      });
}

/// The whole traces.
MatchPlan whole(OpMatch ops) { return {std::move(ops), {}, {}}; }

/// What traces of different windows both hold.
MatchPlan part_of(OpMatch ops, CommonWindow window) {
  ops.host_ops = window.host_ops;
  return {std::move(ops), std::move(window.part), {}};
}

/// The same of a match by names, if it is enough.
std::optional<MatchPlan> plan_overlap(const SequenceMatch& match, const HostTrace& host,
                                      const DeviceTrace& device, Diagnostics& diagnostics) {
  if (match.iterations.empty()) return std::nullopt;
  OpMatch ops = match_of(match, match.iterations.front(), host);
  auto window = find_common_window(host, device, ops);
  if (!window) return std::nullopt;
  report_match(match, host, device, false, diagnostics);
  return part_of(std::move(ops), *std::move(window));
}

/// Where nothing was wished of iterations.
std::optional<MatchPlan> match_overlap(const NameSequences& names, const HostTrace& host,
                                       const DeviceTrace& device, const MatchOptions& options,
                                       Diagnostics& diagnostics) {
  if (chooses_iterations(options)) return std::nullopt;
  return plan_overlap(locate_overlap(names, host, device, OverlapBy::kNumbersOrNames), host, device,
                      diagnostics);
}

/// What equal sequence numbers show to be of one run, where a match of ops of other numbers is not
/// whole or has no more ops.
std::optional<MatchPlan> match_by_numbers(const SequenceMatch& other, const HostTrace& host,
                                          const DeviceTrace& device, const MatchOptions& options,
                                          Diagnostics& diagnostics) {
  if (chooses_iterations(options) || is_of_one_run(other, host, device)) return std::nullopt;
  const SequenceMatch match = locate_overlap(other.names, host, device, OverlapBy::kNumbers);
  const std::uint64_t least = matched_ops(other) < other.host_ops ? 0 : other.host_ops;
  if (matched_ops(match) < least || !is_of_one_run(match, host, device)) return std::nullopt;
  return plan_overlap(match, host, device, diagnostics);
}

/// Of a match that fits: its iterations, or one of them.
MatchPlan plan(SequenceMatch match, const HostTrace& host, const DeviceTrace& device,
               const MatchOptions& options, Diagnostics& diagnostics) {
  if (auto by_numbers = match_by_numbers(match, host, device, options, diagnostics))
    return *std::move(by_numbers);
  match.chosen = choose_iteration(match, host, device, options.iteration_pick);
  report_match(match, host, device, options.repeats_all, diagnostics);
  MatchPlan plan;
  if (!options.repeats_all) plan.ops = match_of(match, match.iterations[match.chosen], host);
  plan.part = {std::move(match.names.host), std::move(match.names.profiler),
               Finding::kHostOpsOutsideTheSegment, Finding::kOpsOfOtherIterations};
  if (options.repeats_all) plan.repeats = std::move(match);
  return plan;
}

void require_sense(const MatchOptions& options) {
  using enum MatchMethod;
  if (options.repeats_all && options.iteration_pick.kind != IterationPickKind::kAuto)
    throw Error(ErrorCode::kUsage, "`occurrence`", "`repeat=all` leaves none to choose",
                "Leave one of the two out");
  if ((options.method == kRfId || options.method == kForce) && chooses_iterations(options))
    throw Error(ErrorCode::kUsage, "`match`",
                "record-function ids know one iteration: there is none to choose",
                "Use `match=order` or tree, or leave `occurrence`, `annotation` and `repeat` out");
  if (options.method == kTree && !options.annotation.empty())
    throw Error(ErrorCode::kUsage, "`annotation`", "call trees are not cut by annotations",
                "Use `match=order`, or leave `annotation` out");
}

/// Two runs of one program match as well as one run does: only the processes tell them apart.
void report_other_process(const HostTrace& host, const DeviceTrace& device,
                          Diagnostics& diagnostics) {
  if (host.pid == 0) return;
  const std::string wanted = std::to_string(host.pid);
  std::set<std::string_view> others;
  for (const ThreadIndex thread : device.ops.thread) {
    const std::string_view pid = device.strings[device.threads[thread].pid];
    if (pid == wanted) return;
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (std::all_of(pid.begin(), pid.end(), is_digit)) others.insert(pid);
  }
  if (others.empty()) return;
  diagnostics.report(
      Finding::kAnotherProcess,
      fmt::format("the host trace is of process {}, the device trace of {}: two runs of a program?",
                  wanted, *others.begin()));
}

bool has_ops(const HostTrace& host) {
  return std::any_of(host.ops.name.begin(), host.ops.name.end(),
                     [&](StringId name) { return !is_root(host.strings[name]); });
}

/// Of a host trace without ops: nothing for record-function ids, refused by other methods.
MatchPlan match_nothing(const HostTrace& host, const MatchOptions& options,
                        Diagnostics& diagnostics) {
  using enum MatchMethod;
  if (options.method == kOrder || options.method == kTree || chooses_iterations(options))
    throw Error(ErrorCode::kInput, "host trace", "it holds no ops, so there is nothing to locate",
                kNoOpsRemedy);
  diagnostics.report(Finding::kHostTraceWithoutOps, "the ops are the device trace's own");
  OpMatch match;
  match.profiler_of_host.resize(host.ops.size());
  return whole(std::move(match));
}

/// Tries the order and, where that leaves ops out, the trees; refuses with what was tried before
/// and now.
MatchPlan match_by_names(std::string tried, const HostTrace& host, const DeviceTrace& device,
                         const MatchOptions& options, Diagnostics& diagnostics) {
  const std::uint64_t least = chooses_iterations(options) ? 1 : kLeastOps;
  SequenceMatch by_order = locate_by(MatchMethod::kOrder, host, device, options);
  std::optional<SequenceMatch> by_tree;
  // Call trees are not cut by annotations.
  if (options.annotation.empty() && (matched_ops(by_order) < by_order.host_ops || !fits(by_order)))
    by_tree = locate_by(MatchMethod::kTree, host, device, options);
  const bool is_tree_better =
      by_tree && (fits(*by_tree) != fits(by_order) ? fits(*by_tree)
                                                   : matched_ops(*by_tree) > matched_ops(by_order));
  SequenceMatch& best = is_tree_better ? *by_tree : by_order;
  if (fits(best) && matched_ops(best) >= least)
    return plan(std::move(best), host, device, options, diagnostics);
  if (auto overlap = match_overlap(by_order.names, host, device, options, diagnostics))
    return *std::move(overlap);
  tried += describe_failure(by_order, MatchMethod::kOrder, host, device);
  if (by_tree)
    tried += "; " + (is_tree_better ? describe_failure(*by_tree, MatchMethod::kTree, host, device)
                                    : describe_share_of(*by_tree, MatchMethod::kTree));
  if (!fits(best)) refuse(tried);
  refuse(fmt::format("{}, but fewer than {} names decide nothing", tried, kLeastOps),
         kFewNamesRemedy);
}

}  // namespace

MatchPlan match_ops(const HostTrace& host, const DeviceTrace& device, const MatchOptions& options,
                    Diagnostics& diagnostics) {
  using enum MatchMethod;
  require_sense(options);
  if (!has_ops(host)) return match_nothing(host, options, diagnostics);
  report_other_process(host, device, diagnostics);
  if (options.method == kOrder || options.method == kTree) {
    SequenceMatch match = locate_by(options.method, host, device, options);
    if (fits(match)) return plan(std::move(match), host, device, options, diagnostics);
    if (auto overlap = match_overlap(match.names, host, device, options, diagnostics))
      return *std::move(overlap);
    refuse(describe_failure(match, options.method, host, device));
  }
  if (options.method == kAuto && chooses_iterations(options))
    return match_by_names("", host, device, options, diagnostics);
  OpMatch by_id = match_by_rf_id(host, device);
  if (options.method == kForce && by_id.matched == 0)
    diagnostics.report(Finding::kNothingMatched, describe_share(by_id, device));
  if (options.method == kForce || is_same_window(by_id, device)) return whole(std::move(by_id));
  if (auto window = find_common_window(host, device, by_id))
    return part_of(std::move(by_id), *std::move(window));
  if (by_id.share() >= kLeastShare || leave_out_threads_without_matches(host, device, by_id))
    return whole(std::move(by_id));
  if (device.ops.size() == 0) refuse(describe_share(by_id, device));
  if (options.method == kRfId) refuse(describe_share(by_id, device), kNoIdsRemedy);
  return match_by_names(describe_share(by_id, device) + "; ", host, device, options, diagnostics);
}

void report_unused(const MatchOptions& options, Diagnostics& diagnostics) {
  if (options.method == MatchMethod::kAuto && !chooses_iterations(options)) return;
  diagnostics.report(Finding::kMatchOptionsUnused, "there is no host trace to be matched");
}

}  // namespace nadi
