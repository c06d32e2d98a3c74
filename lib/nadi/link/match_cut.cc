#include "nadi/link/match_cut.h"

#include <algorithm>
#include <limits>

#include "nadi/base/id_map.h"
#include "nadi/link/kept_rows.h"

namespace nadi {
namespace {

struct Span {
  Ns begin_ns = 0, end_ns = 0;
  bool contains(Ns time) const { return begin_ns <= time && time < end_ns; }
};

struct Spans {
  ByRow<ProfilerThread, Span> of_thread;
  Span of_all;
};

/// The start of the first op, no annotation, after the positions first to last that begins when
/// they have ended: what begins before is inside of one of them. The trace's end if there is none.
Ns next_op_start(const ProfilerSequence& sequence, NamePosition first, NamePosition last,
                 const DeviceTrace& device) {
  const ProfilerOps& ops = device.ops;
  Ns end_ns = 0;
  for (const NamePosition i : RowRange(first, sequence.end_position())) {
    const ProfilerOpIndex row = sequence.row[i];
    if (ops.kind[row] != ProfilerOpKind::kOp) continue;
    if (i <= last)
      end_ns = std::max(end_ns, op_end_ns(ops, row));
    else if (ops.start_ns[row] >= end_ns)
      return ops.start_ns[row];
  }
  return std::numeric_limits<Ns>::max();
}

/// Positions of a thread's ops in start order.
struct MatchedPositions {
  NamePosition first, last;
  bool exist() const { return bool(first); }
};

ByRow<ProfilerSequence, MatchedPositions> find_matched(const ByRow<ProfilerSequence>& threads,
                                                       const DeviceTrace& device,
                                                       const OpMatch& match) {
  ByRow<ProfilerOps, bool> is_matched(device.ops.size(), false);
  for (const ProfilerOpIndex op : match.profiler_of_host)
    if (op) is_matched[op] = true;
  ByRow<ProfilerSequence, MatchedPositions> result(threads.size());
  for (const ProfilerSequenceIndex t : rows_of(threads))
    for (const NamePosition position : rows_of(threads[t].row))
      if (is_matched[threads[t].row[position]])
        result[t] = {std::min(result[t].first, position), position};
  return result;
}

bool is_op_before(const ProfilerSequence& thread, NamePosition end, const DeviceTrace& device) {
  return std::any_of(thread.row.begin(), thread.row.begin() + end.value, [&](ProfilerOpIndex row) {
    return device.ops.kind[row] == ProfilerOpKind::kOp;
  });
}

/// From the first start to the last end of the matched ops.
Span span_of_matched(const DeviceTrace& device, const OpMatch& match) {
  Span span{std::numeric_limits<Ns>::max(), std::numeric_limits<Ns>::min()};
  for (const ProfilerOpIndex op : match.profiler_of_host) {
    if (!op) continue;
    span = {std::min(span.begin_ns, device.ops.start_ns[op]),
            std::max(span.end_ns, op_end_ns(device.ops, op))};
  }
  return span;
}

Spans find_spans(const ByRow<ProfilerSequence>& threads,
                 const ByRow<ProfilerSequence, MatchedPositions>& matched,
                 const DeviceTrace& device, const OpMatch& match) {
  bool is_cut_before = false;
  for (const ProfilerSequenceIndex t : rows_of(threads))
    if (matched[t].exist())
      is_cut_before = is_cut_before || is_op_before(threads[t], matched[t].first, device);
  constexpr Ns kAlways = std::numeric_limits<Ns>::min();
  Spans spans;
  spans.of_all = span_of_matched(device, match);
  if (!is_cut_before) spans.of_all.begin_ns = kAlways;
  spans.of_thread.assign(device.threads.size(), spans.of_all);
  for (const ProfilerSequenceIndex t : rows_of(threads)) {
    const auto [first, last] = matched[t];
    if (!matched[t].exist()) continue;
    const ProfilerSequence& ops = threads[t];
    spans.of_thread[ops.thread] = {is_cut_before ? device.ops.start_ns[ops.row[first]] : kAlways,
                                   next_op_start(ops, first, last, device)};
  }
  return spans;
}

bool is_op_inside(const DeviceTrace& device, const Spans& spans, ProfilerOpIndex op) {
  const Span& span = spans.of_thread[device.ops.thread[op]];
  const Ns begin = device.ops.start_ns[op], duration = device.ops.duration_ns[op];
  if (span.contains(begin) && begin + duration <= span.end_ns) return true;
  const Ns inside = std::min(begin + duration, span.end_ns) - std::max(begin, span.begin_ns);
  return inside > 0 && inside >= duration - inside;
}

/// By correlation: does the call with it stay? Nothing where there is no such call.
class CallFate {
 public:
  CallFate(const RuntimeCalls& calls, const ByRow<RuntimeCalls, bool>& kept) {
    for (const CallIndex call : rows_of(calls))
      if (bool& is_kept = is_kept_[calls.correlation[call]]; kept[call]) is_kept = true;
  }
  enum class Is { kUnknown, kKept, kCut };
  Is of(std::int64_t correlation) const {
    const auto found = is_kept_.find(correlation);
    if (correlation < 0 || found == is_kept_.end()) return Is::kUnknown;
    return found->second ? Is::kKept : Is::kCut;
  }

 private:
  IdMap<std::int64_t, bool> is_kept_;  ///< by correlation
};

void find_rows_of_calls(const DeviceTrace& device, Span all, const CallFate& calls,
                        RowsToKeep& kept) {
  using enum CallFate::Is;
  const DeviceRows& rows = device.rows;
  kept.rows.assign(rows.size(), false);
  for (const DeviceRowIndex row : rows_of(rows)) {
    if (calls.of(rows.correlation[row]) != kKept) continue;
    kept.rows[row] = true;
    if (rows.start_ns[row] != kNoTime)
      all.end_ns = std::max(all.end_ns, rows.start_ns[row] + rows.duration_ns[row]);
  }
  for (const DeviceRowIndex row : rows_of(rows))
    if (calls.of(rows.correlation[row]) == kUnknown)
      kept.rows[row] = all.contains(rows.start_ns[row]);
  const SyncRows& syncs = device.syncs;
  for (const SyncRowIndex row : rows_of(syncs)) {
    const auto fate = calls.of(syncs.correlation[row]);
    kept.syncs.push_back(fate == kKept || (fate == kUnknown && all.contains(syncs.start_ns[row])));
  }
  for (Ns start : device.event_records.start_ns) kept.records.push_back(start < all.end_ns);
}

RowsToKeep find_rows_to_keep(const DeviceTrace& device, const Spans& spans) {
  RowsToKeep kept;
  for (const ProfilerOpIndex op : rows_of(device.ops))
    kept.ops.push_back(is_op_inside(device, spans, op));
  for (const CallIndex call : rows_of(device.calls))
    kept.calls.push_back(
        spans.of_thread[device.calls.thread[call]].contains(device.calls.start_ns[call]));
  find_rows_of_calls(device, spans.of_all, CallFate(device.calls, kept.calls), kept);
  for (const FlowIndex flow : rows_of(device.flows)) {
    const bool is_at_row =
        device.flows.kind[flow] == FlowKind::kLaunch && device.flows.is_finish[flow] != 0;
    kept.flows.push_back(is_at_row || spans.of_thread[device.flows.thread[flow]].contains(
                                          device.flows.time_ns[flow]));
  }
  return kept;
}

bool is_any_op_outside(const ByRow<ProfilerSequence>& threads,
                       const ByRow<ProfilerSequence, MatchedPositions>& matched,
                       const DeviceTrace& device, const RowsToKeep& kept) {
  for (const ProfilerSequenceIndex t : rows_of(threads)) {
    if (!matched[t].exist()) continue;
    for (const ProfilerOpIndex row : threads[t].row)
      if (!kept.ops[row] && device.ops.kind[row] == ProfilerOpKind::kOp) return true;
  }
  return false;
}

}  // namespace

std::uint64_t cut_to_matched(const ByRow<ProfilerSequence>& threads, DeviceTrace& device,
                             OpMatch& match) {
  if (match.matched == 0) return 0;
  const ByRow<ProfilerSequence, MatchedPositions> matched = find_matched(threads, device, match);
  RowsToKeep kept = find_rows_to_keep(device, find_spans(threads, matched, device, match));
  for (const ProfilerOpIndex op : match.profiler_of_host)
    if (op) kept.ops[op] = true;  // a matched op stays, whatever its times
  if (!is_any_op_outside(threads, matched, device, kept)) return 0;
  const auto new_row = rows_after_keeping(kept.ops);
  for (ProfilerOpIndex& op : match.profiler_of_host)
    if (op) op = new_row[op];
  keep_rows(kept, device);
  return kept.ops.size() - device.ops.size();
}

}  // namespace nadi
