#include "nadi/link/link.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "nadi/base/error.h"
#include "nadi/link/call_threads.h"
#include "nadi/link/comm_records.h"
#include "nadi/link/damaged_times.h"
#include "nadi/link/event_ids.h"
#include "nadi/link/far_times.h"
#include "nadi/link/graph_dependencies.h"
#include "nadi/link/implied_waits.h"
#include "nadi/link/inferred_waits.h"
#include "nadi/link/lanes.h"
#include "nadi/link/launches.h"
#include "nadi/link/linked_ops.h"
#include "nadi/link/lost_copies.h"
#include "nadi/link/lost_rows.h"
#include "nadi/link/lost_sync_calls.h"
#include "nadi/link/shared_correlations.h"
#include "nadi/link/steps.h"
#include "nadi/link/sync_row_waits.h"
#include "nadi/link/waits.h"
#include "nadi/model/op_relations.h"

namespace nadi {
namespace {

/// Makes the device trace's StringIds those of the table that took over its strings.
void translate(DeviceTrace& device, const std::vector<StringId>& ids) {
  const auto one = [&](StringId& id) { id = ids[static_cast<std::size_t>(id)]; };
  one(device.backend);
  for (ProfilerThread& thread : device.threads) {
    one(thread.pid);
    one(thread.tid);
    one(thread.name);
  }
  translate_strings(ids, device.ops);
  translate_strings(ids, device.calls);
  translate_strings(ids, device.rows);
  for (CommRecord& comm : device.comms)
    for (const CommText& text : kCommTexts) one(comm.*text.member);
}

/// One string table for both traces.
void take_over(LinkedTrace& linked, std::optional<HostTrace> host, DeviceTrace device) {
  linked.device = std::move(device);
  linked.has_host = host.has_value();
  if (!host) {
    linked.strings = std::move(linked.device.strings);
    return;
  }
  linked.host = std::move(*host);
  linked.strings = std::move(linked.host.strings);
  translate(linked.device, linked.strings.absorb(std::move(linked.device.strings)));
}

/// True where autograd names its nodes so, in profiles of any version: for its engine, as its own
/// C++ classes are named, or as `MulBackward0`.
bool is_name_of_autograd(std::string_view name) {
  if (name.starts_with("autograd::engine::") || name.starts_with("torch::autograd::")) return true;
  constexpr std::string_view kBackward = "Backward";
  name = name.substr(0, name.find_last_not_of("0123456789") + 1);
  if (!name.ends_with(kBackward)) return false;
  name.remove_suffix(kBackward.size());
  return !name.empty() && name.back() != ' ';  // of what users annotate
}

/// A lane runs the backward pass if autograd's ops take most of the time of its outermost ops. Time
/// counts and not the number of ops, as a main thread may run some backward ops, too, and a hook
/// may run many short ones. What a thread runs backward of its own forward ops does not count: it
/// called backward() itself, for the CPU.
void mark_backward_lanes(LinkedTrace& linked) {
  const LinkedOps& ops = linked.ops;
  ByRow<Lane, Ns> backward_ns(linked.lanes.size(), 0), other_ns(linked.lanes.size(), 0);
  const auto outermost = outermost_cpu_ops(ops);
  const auto is_autograds = [&](LinkedOpIndex op) {
    const ProfilerOpIndex profiler = ops.profiler[op];
    return (profiler && linked.device.ops.fwd_thread[profiler] != 0) ||
           is_name_of_autograd(linked.strings[ops.name[op]]);
  };
  LaneIndex lane;
  std::unordered_set<std::int64_t> forward;  // sequence numbers of the lane's forward ops
  for (const LinkedOpIndex op : rows_of(ops)) {
    if (ops.lane[op] != lane) forward.clear();
    lane = ops.lane[op];
    const ProfilerOpIndex profiler = ops.profiler[op];
    const std::int64_t seq_id = profiler ? linked.device.ops.seq_id[profiler] : -1;
    const bool is_backward = is_autograds(outermost[op]);
    if (seq_id >= 0 && !is_backward) forward.insert(seq_id);
    if (outermost[op] != op || ops.is_annotation[op] != 0) continue;
    Ns& time = (is_backward && !forward.contains(seq_id) ? backward_ns : other_ns)[lane];
    time = saturated_sum(time, std::max<Ns>(ops.duration_ns[op], 1));  // untimed ops count, too
  }
  for (const LaneIndex of : rows_of(linked.lanes))
    linked.lanes[of].is_backward = backward_ns[of] > other_ns[of];
}

/// Host threads, and what ran on them.
LaneTable join_hosts(LinkedTrace& linked, const OpMatch& match, Diagnostics& diagnostics) {
  LaneTable lanes = make_host_lanes(linked, match);
  linked.ops = make_linked_ops(linked, match, lanes, diagnostics);
  append_rows(linked.calls, linked.device.calls.size());
  for (const CallIndex call : rows_of(linked.calls))
    linked.calls.lane[call] = lanes.of_thread[linked.device.calls.thread[call]];
  return lanes;
}

/// The op that launched a row, where that is recorded.
void set_recorded_callers(LinkedTrace& linked, const TraceJoins& joins) {
  if (joins.callers.empty()) return;
  const auto op_of_host = linked_ops_of_host(linked.ops, linked.host.ops.size());
  for (const DeviceRowIndex row : rows_of(joins.callers))
    if (joins.callers[row] && linked.rows.evidence[row] != LinkEvidence::kUnlaunched)
      linked.rows.parent[row] = op_of_host[joins.callers[row]];
}

/// Device rows, the call that launched each, and the op and step in which all of it was.
void link_rows(LinkedTrace& linked, LaneTable& lanes, const CallEffects& effects,
               const TraceJoins& joins, Diagnostics& diagnostics) {
  make_stream_lanes(linked, lanes);
  const auto named_ops = link_device_rows(linked, lanes, diagnostics);
  find_lost_rows(linked, effects);
  learn_graph_dependencies(linked, diagnostics);
  find_launching_ops(linked, named_ops);
  set_recorded_callers(linked, joins);
  find_steps(linked);
}

void add_recorded_blocks(WaitList& waits, const TraceJoins& joins) {
  for (const CallIndex call : joins.settled) waits.settle(call);
  for (const RecordedBlock& block : joins.blocks) {
    if (block.row)
      waits.add_row_wait(block.call, block.row, block.inferred);
    else
      waits.mark_blocking(block.call);
  }
}

/// What waited for what, the surest first.
void find_waits(LinkedTrace& linked, LaneTable& lanes, const CallEffects& effects,
                const TraceJoins& joins, Diagnostics& diagnostics) {
  WaitList waits(linked.device.calls);
  const StreamTimeline timeline(linked);
  const StreamCalls calls(linked, timeline, effects);
  const RecordsOfWaits records = records_of_waits(linked, calls);
  linked.lanes = add_sync_row_waits(waits, linked, lanes, effects, calls, records, diagnostics);
  add_recorded_blocks(waits, joins);
  add_implied_waits(waits, linked, timeline, effects, diagnostics);
  add_waits_of_lost_copies(waits, linked, timeline, effects, diagnostics);
  add_inferred_waits(waits, linked, calls, records, diagnostics);
  linked.actions = waits.in_api_order();
  for (const CallIndex call : rows_of(linked.calls))
    if (CallRole& role = linked.calls.role[call]; waits.is_blocking(call))
      role = role == CallRole::kNone ? CallRole::kBlocks : CallRole::kLaunchesAndBlocks;
}

}  // namespace

LinkedTrace join_traces(std::optional<HostTrace> host, DeviceTrace device, const TraceJoins& joins,
                        const LinkOptions& options, Diagnostics& diagnostics) {
  const OpMatch& match = joins.match;
  LinkedTrace linked;
  take_over(linked, std::move(host), std::move(device));
  restore_lost_sync_calls(linked.device, linked.strings, options.hypotheses, diagnostics);
  linked.host_op_count = linked.has_host ? match.host_ops : linked.device.ops.size();
  linked.matched_host_op_count = linked.has_host ? match.matched : linked.device.ops.size();
  linked.clock_resolution_ns = clock_resolution(linked.device);
  linked.hypotheses = options.hypotheses;
  linked.rank = options.rank >= 0 ? options.rank : std::max<std::int64_t>(linked.device.rank, 0);

  LaneTable lanes = join_hosts(linked, match, diagnostics);
  mark_backward_lanes(linked);
  linked.forward_backward = forward_backward_pairs(linked);
  const CallEffects effects = call_effects(linked.device.calls, linked.strings);
  link_rows(linked, lanes, effects, joins, diagnostics);
  linked.groups = merged_groups(linked.device.groups, linked.host.groups);
  join_op_records(linked);
  find_carried_records(linked);
  find_waits(linked, lanes, effects, joins, diagnostics);
  return linked;
}

LinkedTrace link_traces(std::optional<HostTrace> host, DeviceTrace device,
                        const LinkOptions& options, Diagnostics& diagnostics) {
  forget_far_times(device, diagnostics);
  repair_call_threads(device, diagnostics);
  repair_shared_correlations(device, diagnostics);
  const ByRow<DeviceRows, RowLimits> limits = find_row_limits(device);
  cut_damaged_times(device, limits, diagnostics);
  std::vector<ClockCorrection> clocks;
  if (options.clock == ClockMode::kAuto) clocks = correct_clocks(device, limits, diagnostics);
  TraceJoins joins;
  if (host)
    joins.match = fit_traces(match_ops(*host, device, options.match, diagnostics), *host, device,
                             diagnostics);
  else
    report_unused(options.match, diagnostics);
  LinkedTrace linked = join_traces(std::move(host), std::move(device), joins, options, diagnostics);
  linked.clocks = std::move(clocks);
  return linked;
}

}  // namespace nadi
