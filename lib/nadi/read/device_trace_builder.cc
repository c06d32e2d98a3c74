#include "nadi/read/device_trace_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "nadi/read/copy_name.h"
#include "nadi/read/json_text.h"

namespace nadi {
namespace {

/// Signed value; absent, no number, or too large for int64 (K17: a huge unsigned) = -1.
std::int64_t integer(const TraceEvent& event, Field field) {
  return event.value(field).integer().value_or(-1);
}

/// 0 = it is none.
std::uint64_t natural(const TraceEvent& event, Field field) {
  return event.value(field).natural().value_or(0);
}

std::int64_t identity(const TraceEvent& event, Field field) {
  return event.value(field).identity();
}

/// The number at the end of "7", "stream 7" (K5); -1 = none.
std::int64_t trailing_number(const EventValue& value) {
  std::string scratch;
  const std::string_view text = trim(value.text(scratch));
  const std::size_t digits = text.find_last_not_of("0123456789");
  if (digits == std::string_view::npos) return integer_of(text).value_or(-1);
  return digits > 0 || text.front() != '-' ? integer_of(text.substr(digits + 1)).value_or(-1) : -1;
}

/// One key for both profilers: Kineto writes all 64 bits, Cuspy the lower half (N16).
std::uint64_t graph_node_id(std::uint64_t graph, std::uint64_t node) {
  return graph == 0 || node >> 32 != 0 ? node : graph << 32 | node;
}

/// 0 is none, too: profilers write it for what they do not know (N43).
std::int64_t correlation_of(const TraceEvent& event) {
  const std::int64_t correlation = identity(event, Field::kCorrelation);
  return correlation == 0 ? -1 : correlation;
}

/// "nn.Module: Linear_0": what torch.profiler records with_stack calls the call of a module.
bool is_module(const EventValue& name) { return name.view().starts_with("nn.Module: "); }

/// The kind of a sync row by its name (K16); backends other than CUDA name theirs after the call.
std::optional<SyncKind> sync_kind(std::string_view name) {
  const auto has = [&](std::string_view word) { return name.find(word) != std::string_view::npos; };
  if (has("Wait Event") || has("WaitEvent")) return SyncKind::kStreamWaitEvent;
  if (has("Event")) return SyncKind::kEvent;
  if (has("Stream") || has("Queue")) return SyncKind::kStream;
  if (has("Context") || has("Device")) return SyncKind::kContext;
  return std::nullopt;
}

}  // namespace

StringId DeviceTraceBuilder::text(const TraceEvent& event, Field field) {
  if (!event.has(field)) return StringId::kEmpty;
  return trace_.strings.intern(event.value(field).text(scratch_));
}

void DeviceTraceBuilder::add(const TraceEvent& event, std::uint32_t order) {
  order_ = order;
  const std::string_view phase = event.value(Field::kPhase).view();
  const char kind = phase.size() == 1 ? phase.front() : '\0';
  if (kind == 'X') return add_complete(event, kind_of(event));
  if (kind == 'M') return add_thread_name(event);
  if (kind != 's' && kind != 'f') return;  // instants, counters
  const EventCategory flow = kind_of(event);
  if (flow == EventCategory::kLaunchFlow) add_flow(event, FlowKind::kLaunch, kind == 'f');
  if (flow == EventCategory::kForwardBackwardFlow)
    add_flow(event, FlowKind::kForwardBackward, kind == 'f');
}

EventCategory DeviceTraceBuilder::kind_of(const TraceEvent& event) {
  const std::string_view category = event.value(Field::kCategory).view();
  const EventCategory kind = event_category_of(category);
  if (kind == EventCategory::kUnknown && !category.empty())
    report_unknown(Finding::kUnknownCategory, event, Field::kCategory);
  if (kind == EventCategory::kPythonFunction)
    return is_module(event.value(Field::kName)) ? EventCategory::kAnnotation
                                                : EventCategory::kIgnored;
  return kind;
}

void DeviceTraceBuilder::report_unknown(Finding kind, const TraceEvent& event, Field field) {
  diagnostics_.report(
      kind, [&] { return fmt::format("\"{}\", event {}", written(event, field), order_); });
}

/// For messages: text as JSON has it, without its quotes.
std::string_view DeviceTraceBuilder::written(const TraceEvent& event, Field field) {
  return unquoted(event.value(field).token(scratch_));
}

void DeviceTraceBuilder::add_complete(const TraceEvent& event, EventCategory kind) {
  switch (kind) {
    case EventCategory::kOp:
    case EventCategory::kAnnotation:
    case EventCategory::kCall: {
      const RowTime time = time_of(event, true);
      if (!time.is_known()) return;
      if (kind == EventCategory::kCall) return add_call(event, time);
      return add_op(event,
                    kind == EventCategory::kOp ? ProfilerOpKind::kOp : ProfilerOpKind::kAnnotation,
                    time);
    }
    case EventCategory::kKernel:
    case EventCategory::kMemcpy:
    case EventCategory::kMemset:
    case EventCategory::kOtherDevice:
    case EventCategory::kHostNode:
    case EventCategory::kGraphEventRecord:
      return add_row(event, device_kind(kind), time_of(event, false));
    case EventCategory::kSync:
      return add_sync(event, time_of(event, false));
    case EventCategory::kEventRecord:
      return add_event_record(event, time_of(event, false));
    default:
      return;
  }
}

RowTime DeviceTraceBuilder::time_of(const TraceEvent& event, bool is_host) {
  const RowTime time = row_time_of(event);
  const bool is_unset = time.start_ns == 0 && time.duration_ns == 0;  // garbage (K8)
  if (time.is_known() && !is_unset) return time;
  // A host row without times is of no use; a device row stays, for its launch and its stream.
  const Finding kind = is_host ? Finding::kGarbageTime : Finding::kGarbageTimeOfRow;
  diagnostics_.report(
      kind, [&] { return fmt::format("event {}: {}", order_, written(event, Field::kName)); });
  return {};
}

void DeviceTraceBuilder::cover(const RowTime& time) {
  if (!time.is_known()) return;
  const Ns end = time.start_ns + time.duration_ns;
  trace_.first_ns =
      trace_.first_ns == kNoTime ? time.start_ns : std::min(trace_.first_ns, time.start_ns);
  trace_.last_ns = std::max(trace_.last_ns, end);
}

ThreadIndex DeviceTraceBuilder::thread_of(const TraceEvent& event) {
  const EventValue &pid = event.value(Field::kPid), &tid = event.value(Field::kTid);
  for (const RecentThread& recent : recent_)
    if (recent.tid.value == tid && recent.pid.value == pid && recent.index) return recent.index;
  RecentThread& recent = recent_[next_recent_++ % recent_.size()];
  recent.pid.keep(pid);
  recent.tid.keep(tid);
  return recent.index = find_thread(event);
}

ThreadIndex DeviceTraceBuilder::find_thread(const TraceEvent& event) {
  const StringId pid = text(event, Field::kPid), tid = text(event, Field::kTid);
  const std::uint64_t key =
      std::uint64_t{static_cast<std::uint32_t>(pid)} << 32 | static_cast<std::uint32_t>(tid);
  const auto [entry, is_new] = threads_.try_emplace(key, trace_.threads.size());
  if (is_new) {
    const auto number = event.value(Field::kTid).integer();
    trace_.threads.push_back({pid, tid, number.value_or(-1), {}});
  }
  return entry->second;
}

void DeviceTraceBuilder::add_op(const TraceEvent& event, ProfilerOpKind kind, const RowTime& time) {
  ProfilerOps& ops = trace_.ops;
  append_row(ops);
  ops.name.back() = text(event, Field::kName);
  ops.kind.back() = kind;
  ops.start_ns.back() = time.start_ns;
  ops.duration_ns.back() = time.duration_ns;
  ops.thread.back() = thread_of(event);
  ops.rf_id.back() = natural(event, Field::kRecordFunctionId);
  ops.external_id.back() = natural(event, Field::kExternalId);
  ops.seq_id.back() = integer(event, Field::kSequenceNumber);
  ops.fwd_thread.back() = natural(event, Field::kForwardThread);
  ops.concrete_inputs.back() = text(event, Field::kConcreteInputs);
  ops.input_dims.back() = text(event, Field::kInputDims);
  ops.input_type.back() = text(event, Field::kInputType);
  ops.input_strides.back() = text(event, Field::kInputStrides);
  ops.kernel_backend.back() = text(event, Field::kKernelBackend);
  ops.kernel_file.back() = text(event, Field::kKernelFile);
  ops.comm.back() = comm_of(event);
  ops.order.back() = order_;
  cover(time);
}

void DeviceTraceBuilder::add_call(const TraceEvent& event, const RowTime& time) {
  RuntimeCalls& calls = trace_.calls;
  append_row(calls);
  calls.name.back() = text(event, Field::kName);
  calls.start_ns.back() = time.start_ns;
  calls.duration_ns.back() = time.duration_ns;
  calls.thread.back() = thread_of(event);
  calls.correlation.back() = correlation_of(event);
  calls.external_id.back() = natural(event, Field::kExternalId);
  calls.kernel.back() = text(event, Field::kLaunchedKernel);
  calls.bytes.back() = integer(event, Field::kBytes);
  calls.order.back() = order_;
  has_kineto_rows_ |= event.has(Field::kExternalId);
  cover(time);
}

void DeviceTraceBuilder::add_row(const TraceEvent& event, DeviceRowKind kind, const RowTime& time) {
  // Without args, the lane is taken: pid is the device, tid the stream. An arg that is no number is
  // somebody's annotation (N29).
  const auto is_number = [&](Field arg) { return event.value(arg).integer().has_value(); };
  const auto lane = [&](Field arg, Field column) {
    return is_number(arg) ? identity(event, arg) : trailing_number(event.value(column));
  };
  // A row that was moved to a lane of its own tells its stream apart (N17).
  const Field stream = is_number(Field::kOriginalStream) ? Field::kOriginalStream : Field::kStream;
  DeviceRows& rows = trace_.rows;
  append_row(rows);
  rows.name.back() = row_name(event, kind);
  rows.kind.back() = kind;
  rows.start_ns.back() = time.start_ns;
  rows.duration_ns.back() = time.duration_ns;
  rows.device.back() = lane(Field::kDevice, Field::kPid);
  rows.stream.back() = lane(stream, Field::kTid);
  rows.context.back() = identity(event, Field::kContext);
  rows.correlation.back() = correlation_of(event);
  rows.external_id.back() = natural(event, Field::kExternalId);
  rows.graph_id.back() = natural(event, Field::kGraphId);
  rows.graph_node_id.back() =
      graph_node_id(rows.graph_id.back(), natural(event, Field::kGraphNodeId));
  rows.bytes.back() = integer(event, Field::kBytes);
  rows.comm.back() = comm_of(event);
  if (!rows.comm.back()) rows.comm.back() = nccl_comm_of(event);
  rows.order.back() = order_;
  if (rows.graph_id.back() != 0) add_to_graph(event, DeviceRowIndex(rows.size() - 1));
  // Only its Perfetto traces number rows; they leave out a channel type of 0 (P12).
  const bool is_numbered = event.has(Field::kEventId) || event.has(Field::kChannelType);
  has_cuspy_rows_ |=
      kind == DeviceRowKind::kKernel && is_numbered && !event.has(Field::kExternalId);
  has_kineto_rows_ |= event.has(Field::kBlocksPerSm);
  cover(time);
}

void DeviceTraceBuilder::add_to_graph(const TraceEvent& event, DeviceRowIndex row) {
  graph_flows_.add_row({row, thread_of(event), natural(event, Field::kEventId)});
  if (!event.has(Field::kEventWaitIds)) return;
  for (const std::string_view id : elements_of(event.value(Field::kEventWaitIds).view()))
    graph_flows_.add_wait(row, unsigned_of(id).value_or(0));
}

StringId DeviceTraceBuilder::row_name(const TraceEvent& event, DeviceRowKind kind) {
  const auto text_of_arg = [&](Field field) { return event.value(field).view(); };
  const std::string_view name = text_of_arg(Field::kName);
  if (kind == DeviceRowKind::kMemcpy && name == "Memcpy" && event.has(Field::kCopyKind))
    return trace_.strings.intern(copy_name(text_of_arg(Field::kCopyKind),
                                           text_of_arg(Field::kSourceKind),
                                           text_of_arg(Field::kTargetKind)));
  if (kind == DeviceRowKind::kMemset && name == "Memset" && event.has(Field::kMemoryKind))
    return trace_.strings.intern(set_name(text_of_arg(Field::kMemoryKind)));
  return text(event, Field::kName);
}

void DeviceTraceBuilder::add_sync(const TraceEvent& event, const RowTime& time) {
  const auto by_name = sync_kind(event.value(Field::kName).view());
  const auto kind = by_name ? by_name : sync_kind(event.value(Field::kSyncKind).view());
  if (!kind) return report_unknown(Finding::kUnknownSync, event, Field::kName);
  SyncRows& syncs = trace_.syncs;
  append_row(syncs);
  syncs.kind.back() = *kind;
  syncs.start_ns.back() = time.start_ns;
  syncs.duration_ns.back() = time.duration_ns;
  syncs.device.back() = identity(event, Field::kDevice);
  syncs.context.back() = identity(event, Field::kContext);
  syncs.stream.back() = identity(event, Field::kStream);  // not the tid (K19)
  syncs.correlation.back() = correlation_of(event);
  syncs.external_id.back() = natural(event, Field::kExternalId);
  syncs.wait_on_stream.back() = identity(event, Field::kWaitOnStream);
  syncs.wait_on_record.back() = identity(event, Field::kWaitOnRecord);
  syncs.wait_on_event.back() = identity(event, Field::kWaitOnEvent);
  syncs.order.back() = order_;
  cover(time);
}

void DeviceTraceBuilder::add_event_record(const TraceEvent& event, const RowTime& time) {
  EventRecords& records = trace_.event_records;
  append_row(records);
  records.start_ns.back() = time.start_ns;
  records.device.back() = identity(event, Field::kDevice);
  records.context.back() = identity(event, Field::kContext);
  records.stream.back() = identity(event, Field::kStream);
  records.event.back() = identity(event, Field::kEventId);
  records.correlation.back() = correlation_of(event);
  records.order.back() = order_;
  cover(time);
}

void DeviceTraceBuilder::add_flow(const TraceEvent& event, FlowKind kind, bool is_finish) {
  const std::int64_t id = integer(event, Field::kId);
  // Others have ids as large, of launches.
  const auto is_of_cuspy = [&] { return event.value(Field::kCategory).view() == "ac2g"; };
  if (kind == FlowKind::kLaunch && id >= GraphFlows::kFirstId && is_of_cuspy())
    return graph_flows_.add_flow_end(
        {id, is_finish, thread_of(event), event.value(Field::kTime).time().value_or(kNoTime)});
  Flows& flows = trace_.flows;
  append_row(flows);
  flows.kind.back() = kind;
  flows.is_finish.back() = is_finish ? 1 : 0;
  flows.id.back() = id;
  flows.thread.back() = thread_of(event);
  flows.time_ns.back() = event.value(Field::kTime).time().value_or(kNoTime);
}

void DeviceTraceBuilder::add_thread_name(const TraceEvent& event) {
  if (event.value(Field::kName).view() != "thread_name") return;
  const StringId name = text(event, Field::kArgName);
  ProfilerThread& thread = trace_.threads[thread_of(event).value];
  // Cuspy names threads again, by their number only (N13).
  const bool is_number =
      trace_.strings[name] == fmt::format("thread {}", trace_.strings[thread.tid]);
  if (thread.name == StringId::kEmpty || !is_number) thread.name = name;
}

CommIndex DeviceTraceBuilder::comm_of(const TraceEvent& event) {
  if (!event.has(Field::kCollective) && !event.has(Field::kGroupName)) return {};
  CommRecord record;
  record.collective = text(event, Field::kCollective);
  record.dtype = text(event, Field::kDtype);
  record.in_nelems = integer(event, Field::kInNelems);
  record.out_nelems = integer(event, Field::kOutNelems);
  record.pg_name = text(event, Field::kGroupName);
  record.pg_desc = text(event, Field::kGroupDescription);
  record.group_size = integer(event, Field::kGroupSize);
  record.group_ranks = text(event, Field::kGroupRanks);
  record.rank_start = integer(event, Field::kRankStart);
  record.rank_stride = integer(event, Field::kRankStride);
  record.src_rank = integer(event, Field::kSrcRank);
  record.dst_rank = integer(event, Field::kDstRank);
  record.peer_rank = integer(event, Field::kRank);
  record.seq = integer(event, Field::kSeq);
  record.in_split = text(event, Field::kInSplit);
  record.out_split = text(event, Field::kOutSplit);
  const std::string_view name = trace_.strings[record.collective];
  record.is_p2p = name == "send" || name == "recv" || record.src_rank >= 0 || record.dst_rank >= 0;
  trace_.comms.push_back(record);
  return CommIndex(trace_.comms.size() - 1);
}

/// What NCCL's plugin writes on a collective's kernel (N49): the count is that of the smaller
/// side.
CommIndex DeviceTraceBuilder::nccl_comm_of(const TraceEvent& event) {
  const bool is_recorded = event.has(Field::kNcclFunction) && event.has(Field::kNcclType) &&
                           event.has(Field::kNcclCount);
  if (!is_recorded) return {};
  CommRecord record;
  record.collective = text(event, Field::kNcclFunction);
  record.dtype = text(event, Field::kNcclType);
  record.seq = integer(event, Field::kNcclSeq);
  const std::string_view name = trace_.strings[record.collective];
  if (name != "ReduceScatter") record.in_nelems = integer(event, Field::kNcclCount);
  if (name != "AllGather") record.out_nelems = integer(event, Field::kNcclCount);
  trace_.comms.push_back(record);
  return CommIndex(trace_.comms.size() - 1);
}

void DeviceTraceBuilder::finish(Diagnostics& ambiguous) {
  graph_flows_.bind(trace_, diagnostics_, ambiguous);
  // Only its rows show which profiler wrote a trace (N8).
  trace_.is_by_cuspy = has_cuspy_rows_ && !has_kineto_rows_;
  if (!trace_.is_by_cuspy) return;
  Flows& flows = trace_.flows;
  for (std::size_t row = 0; row < flows.size(); ++row)  // ids are correlations, and 0 is none (N43)
    if (flows.kind[row] == FlowKind::kLaunch && flows.id[row] == 0) flows.id[row] = -1;
}

}  // namespace nadi
