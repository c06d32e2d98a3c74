#include "write_device_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "write_comm.h"
#include "write_pftrace.h"

namespace nadi::vm {

namespace {

// CUPTI's callback ids, as real traces show them beside each call.
int callback_id(std::string_view name) {
  static constexpr std::pair<std::string_view, int> kIds[] = {
      {"cudaLaunchKernel", 211},      {"cudaLaunchKernelExC", 430},
      {"cudaMemcpyAsync", 41},        {"cudaMemsetAsync", 51},
      {"cudaGraphLaunch", 311},       {"cudaEventRecord", 135},
      {"cudaStreamWaitEvent", 147},   {"cudaEventSynchronize", 137},
      {"cudaStreamSynchronize", 131}, {"cudaDeviceSynchronize", 165},
      {"cudaEventQuery", 138},        {"cudaMalloc", 20},
      {"cudaStreamIsCapturing", 317}, {"cudaStreamGetCaptureInfo_v2", 409},
  };
  for (const auto& [call, id] : kIds)
    if (call == name) return id;
  return 0;
}

/// So many events were created before the trace.
constexpr std::int64_t kCreatedBefore = 7;

}  // namespace

int DeviceTraceWriter::cpu_op_of(const CallRun& call) const {
  int op = recorded_op(code_, run_, call.op);
  while (op >= 0 && code_.ops[u(op)].is_annotation)
    op = recorded_op(code_, run_, code_.ops[u(op)].parent);
  return op;
}

void DeviceTraceWriter::add_external_id(const CallRun& call, Json& args) const {
  const int op = form_.has_external_ids ? cpu_op_of(call) : -1;
  if (op >= 0) args["External id"] = external_id(op);
}

void DeviceTraceWriter::calls() {
  for (std::size_t i = 0; i < code_.calls.size(); ++i) call(i);
}

void DeviceTraceWriter::call(std::size_t index) {
  const CallRun& call = run_.calls[index];
  const Call& what = code_.calls[index];
  const bool is_left_out = what.kind == CallKind::kEventRecord && !options_.has_record_rows;
  if (!call.is_recorded || is_left_out) return;
  Json args;
  add_external_id(call, args);
  args["cbid"] = callback_id(what.name);
  args["correlation"] = call.correlation;
  if (options_.form == DeviceForm::kPftrace && !call.rows.empty())
    args[kLaunchedIds] = launched_ids(call);
  event("X", "cuda_runtime", what.name, pid_, call_tid(call), call.span, args);
  if (starts_flow(what, call))
    flow(false, "ac2g", call.correlation, pid_, call_tid(call), call.span.start);
}

bool DeviceTraceWriter::starts_flow(const Call& what, const CallRun& call) const {
  const bool is_sync =
      what.kind == CallKind::kStreamWaitEvent || what.kind == CallKind::kEventSynchronize ||
      what.kind == CallKind::kStreamSynchronize || what.kind == CallKind::kDeviceSynchronize;
  return options_.has_flows && (!call.rows.empty() || (form_.has_flows_of_syncs && is_sync));
}

// Of a copy between devices; its `device` and `context` are called "in".
void DeviceTraceWriter::add_devices(const Row& copy, Json& args) const {
  args["fromDevice"] = args["inDevice"] = device(copy.stream);
  args["toDevice"] = rank_ + copy.to_device;
  args["fromContext"] = args["inContext"] = context(copy.stream);
  args["toContext"] = 1 + copy.to_device;
}

void DeviceTraceWriter::rows() {
  for (std::size_t i = 0; i < run_.rows.size(); ++i)
    if (records_.is_written[i]) row(run_.rows[i]);
}

void DeviceTraceWriter::row(const RowRun& run) {
  const Row& what = row_of(code_, run);
  const CallRun& call = run_.calls[u(run.call)];
  Json args;
  add_external_id(call, args);
  if (what.kind == EventCategory::kKernel) args["queued"] = 0;
  if (what.to_device < 0) {
    args["device"] = device(what.stream);
    args["context"] = context(what.stream);
  } else {
    add_devices(what, args);
  }
  args["stream"] = number_on_device(what.stream);
  args["correlation"] = call.correlation;
  if (what.kind == EventCategory::kKernel) {
    args["registers per thread"] = 32;
    args["shared memory"] = 0;
    args["grid"] = {128, 1, 1};
    args["block"] = {256, 1, 1};
    const Call& launch = at(code_.calls, run.call);
    const std::uint64_t graph = graph_id(launch);
    args["graph id"] = graph;
    args["graph node id"] = graph == 0 ? 0 : graph << 32 | graph_node_id(launch, run.ordinal);
  } else {
    args["bytes"] = what.bytes;
    args["memory bandwidth (GB/s)"] =
        static_cast<double>(what.bytes) /
        static_cast<double>(std::max<Ns>(1, run.span.end - run.span.start));
  }
  // A coalesced kernel is launched outside record_param_comms: nobody tells it what it carries.
  if (what.carried.size() == 1 && cpu_op_of(call) >= 0 && options_.has_comm_args)
    args.update(kineto_comm_args(program_, what.carried[0]));
  const char* category = what.kind == EventCategory::kKernel   ? "kernel"
                         : what.kind == EventCategory::kMemcpy ? "gpu_memcpy"
                                                               : "gpu_memset";
  const int lane = number_on_device(what.stream);
  event("X", category, what.name, device(what.stream), lane, run.span, args);
  if (options_.has_flows)
    flow(true, "ac2g", call.correlation, device(what.stream), lane, run.span.start);
}

// One gpu_user_annotation per annotation and stream, around the rows launched inside it (K9, N30).
void DeviceTraceWriter::annotations() {
  std::map<std::pair<int, int>, Span> covered;  // op, stream
  for (std::size_t i = 0; i < run_.rows.size(); ++i) {
    const RowRun& run = run_.rows[i];
    for (int op = run_.calls[u(run.call)].op; op >= 0; op = code_.ops[u(op)].parent) {
      const bool is_seen = records_.is_written[i] && run_.ops[u(op)].is_recorded;
      if (!is_seen || !code_.ops[u(op)].is_annotation) continue;
      auto [found, is_new] = covered.try_emplace({op, row_of(code_, run).stream}, run.span);
      found->second.start = std::min(found->second.start, run.span.start);
      found->second.end = std::max(found->second.end, run.span.end);
    }
  }
  std::map<int, std::uint64_t> own_ids;  // of annotations, counted from 1 (N18)
  std::int64_t last_event = *std::max_element(event_ids_.begin(), event_ids_.end());
  for (const auto& [key, span] : covered) {
    const std::uint64_t own_id = own_ids.try_emplace(key.first, own_ids.size() + 1).first->second;
    Json args;
    args["External id"] = form_.has_external_ids ? external_id(key.first) : own_id;
    if (options_.form == DeviceForm::kPftrace) args[kEventId] = ++last_event;
    event("X", "gpu_user_annotation", code_.ops[u(key.first)].name, device(key.second),
          number_on_device(key.second), {span.start - 1, span.end + form_.annotation_tail}, args);
  }
}

DeviceTraceWriter::Json DeviceTraceWriter::unresolved() const {
  if (options_.has_huge_unresolved) return 18446744073709551615ULL;
  return -1;
}

// wait_on_* of a call that refers to an event. Kineto looks it up in the context that waits.
DeviceTraceWriter::Json DeviceTraceWriter::event_args(const Call& what, const CallRun& call) const {
  const bool is_in_window = call.record >= 0 && at(run_.calls, call.record).is_sync_recorded;
  const bool has_record =
      call.record >= 0 && (!form_.tells_wait_streams || what.stream < 0 ||
                           context(what.stream) == context(at(code_.calls, call.record).stream));
  const bool tells_record =
      form_.tells_wait_streams ? has_record && options_.sync == SyncRows::kFull : is_in_window;
  const bool tells_stream = form_.tells_wait_streams && has_record &&
                            (tells_record || options_.sync == SyncRows::kStreams);
  Json args;
  args["wait_on_stream"] =
      tells_stream ? Json(number_on_device(code_.calls[u(call.record)].stream)) : unresolved();
  args["wait_on_cuda_event_record_corr_id"] =
      tells_record ? Json(run_.calls[u(call.record)].correlation) : unresolved();
  return args;
}

void DeviceTraceWriter::number_events() {
  event_numbers_.assign(u(code_.events), 0);
  std::vector<int> count(u(code_.events), 0);
  std::vector<std::size_t> records;
  for (std::size_t i = 0; i < code_.calls.size(); ++i)
    if (code_.calls[i].kind == CallKind::kEventRecord) {
      records.push_back(i);
      ++at(count, code_.calls[i].event);
    }
  std::stable_sort(records.begin(), records.end(), [&](std::size_t a, std::size_t b) {
    return run_.calls[a].span.start < run_.calls[b].span.start;
  });
  std::int64_t last = kCreatedBefore;
  for (const bool is_recorded_again : {true, false})
    for (const std::size_t record : records) {
      const int event = code_.calls[record].event;
      if (std::int64_t& number = at(event_numbers_, event);
          number == 0 && (at(count, event) > 1) == is_recorded_again)
        number = ++last;
    }
}

/// Of an event that is never recorded it is one that was created before the trace.
std::int64_t DeviceTraceWriter::event_number(int event) const {
  const std::int64_t number = at(event_numbers_, event);
  return number == 0 ? kCreatedBefore : number;
}

bool DeviceTraceWriter::has_event_rows() const {
  const bool is_told = options_.sync == SyncRows::kEvents ||
                       (options_.sync == SyncRows::kFull && options_.has_event_rows);
  return form_.has_event_records && options_.has_record_rows && is_told;
}

bool DeviceTraceWriter::ever_ran(int stream) const {
  for (std::size_t i = 0; i < run_.rows.size(); ++i)
    if (records_.is_written[i] && row_of(code_, run_.rows[i]).stream == stream) return true;
  return false;
}

void DeviceTraceWriter::syncs() {
  if (options_.sync == SyncRows::kNone) return;
  for (std::size_t i = 0; i < code_.calls.size(); ++i) sync(i);
}

void DeviceTraceWriter::sync(std::size_t index) {
  const Call& what = code_.calls[index];
  const CallRun& call = run_.calls[index];
  if (!call.is_sync_recorded) return;
  const Span span{call.span.start + 1, std::max(call.span.start + 1, call.span.end - 1)};
  Json args;
  add_external_id(call, args);
  auto emit = [&](const char* name, int stream, std::int64_t tid) {
    args["stream"] = number_on_device(stream);
    args["correlation"] = call.correlation;
    args["device"] = device(stream);
    args["context"] = context(stream);
    event("X", "cuda_sync", name, device(stream), tid, span, args);
  };
  auto name_event = [&](const char* name) {
    args["cuda_sync_kind"] = name;
    args.update(event_args(what, call));
    args["wait_on_cuda_event_id"] = event_number(what.event);
  };
  switch (what.kind) {
    case CallKind::kStreamSynchronize:
      args["cuda_sync_kind"] = "Stream Sync";
      emit("Stream Sync", what.stream,
           number_on_device(what.stream) + (options_.has_sync_tid_offset ? 1000000 : 0));
      break;
    case CallKind::kDeviceSynchronize:
      args["cuda_sync_kind"] = "Context Sync";
      emit("Context Sync", -1, -1);
      break;
    case CallKind::kEventQuery:
      if (!call.was_done) break;
      [[fallthrough]];
    case CallKind::kEventSynchronize:
      name_event("Event Sync");
      emit("Event Sync", -1, -1);
      break;
    case CallKind::kStreamWaitEvent:
      if (!options_.has_waits_of_idle_streams && !ever_ran(what.stream)) break;
      name_event("Stream Wait Event");
      emit("Stream Wait Event", what.stream, number_on_device(what.stream));
      break;
    case CallKind::kEventRecord:
      if (!has_event_rows()) break;
      event("X", "cuda_event", "cudaEvent", device(what.stream), number_on_device(what.stream),
            {call.span.start + 1, call.span.start + 1},
            {{"event_id", event_number(what.event)},
             {"stream", number_on_device(what.stream)},
             {"correlation", call.correlation},
             {"device", device(what.stream)},
             {"context", context(what.stream)}});
      break;
    default:
      break;
  }
}

}  // namespace nadi::vm
