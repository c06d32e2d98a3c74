#include "write_device_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "write_comm.h"

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

}  // namespace

int DeviceTraceWriter::cpu_op_of(const CallRun& call) const {
  int op = recorded_op(code_, run_, call.op);
  while (op >= 0 && code_.ops[u(op)].is_annotation)
    op = recorded_op(code_, run_, code_.ops[u(op)].parent);
  return op;
}

void DeviceTraceWriter::calls() {
  for (std::size_t i = 0; i < code_.calls.size(); ++i) {
    const CallRun& call = run_.calls[i];
    const bool is_left_out =
        code_.calls[i].kind == CallKind::kEventRecord && !options_.has_record_rows;
    if (!call.is_recorded || is_left_out) continue;
    Json args;
    if (const int op = cpu_op_of(call); op >= 0) args["External id"] = external_id(op);
    args["cbid"] = callback_id(code_.calls[i].name);
    args["correlation"] = call.correlation;
    event("X", "cuda_runtime", code_.calls[i].name, pid_, os_tid(call.thread), call.span, args);
    if (options_.has_flows && !call.rows.empty())
      flow(false, "ac2g", call.correlation, pid_, os_tid(call.thread), call.span.start);
  }
}

void DeviceTraceWriter::rows() {
  for (const RowRun& run : run_.rows)
    if (run.is_recorded) row(run);
}

void DeviceTraceWriter::row(const RowRun& run) {
  const Row& what = row_of(code_, run);
  const CallRun& call = run_.calls[u(run.call)];
  Json args;
  if (const int op = cpu_op_of(call); op >= 0) args["External id"] = external_id(op);
  if (what.kind == EventCategory::kKernel) args["queued"] = 0;
  args["device"] = rank_;
  args["context"] = 1;
  args["stream"] = what.stream;
  args["correlation"] = call.correlation;
  if (what.kind == EventCategory::kKernel) {
    args["registers per thread"] = 32;
    args["shared memory"] = 0;
    args["grid"] = {128, 1, 1};
    args["block"] = {256, 1, 1};
    const bool is_graph = code_.calls[u(run.call)].kind == CallKind::kGraphLaunch;
    args["graph id"] = is_graph ? 3 : 0;
    args["graph node id"] = is_graph ? 12884901888 + run.ordinal : 0;
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
  event("X", category, what.name, rank_, what.stream, run.span, args);
  if (options_.has_flows) flow(true, "ac2g", call.correlation, rank_, what.stream, run.span.start);
}

// One gpu_user_annotation per annotation and stream, around the rows launched inside it (K9).
void DeviceTraceWriter::annotations() {
  std::map<std::pair<int, int>, Span> covered;  // op, stream
  for (const RowRun& run : run_.rows)
    for (int op = run_.calls[u(run.call)].op; op >= 0; op = code_.ops[u(op)].parent) {
      const bool is_seen = run.is_recorded && run_.ops[u(op)].is_recorded;
      if (!is_seen || !code_.ops[u(op)].is_annotation) continue;
      auto [found, is_new] = covered.try_emplace({op, row_of(code_, run).stream}, run.span);
      found->second.start = std::min(found->second.start, run.span.start);
      found->second.end = std::max(found->second.end, run.span.end);
    }
  for (const auto& [key, span] : covered)
    event("X", "gpu_user_annotation", code_.ops[u(key.first)].name, rank_, key.second,
          {span.start - 1, span.end + 2}, {{"External id", external_id(key.first)}});
}

DeviceTraceWriter::Json DeviceTraceWriter::unresolved() const {
  if (options_.has_huge_unresolved) return 18446744073709551615ULL;
  return -1;
}

// wait_on_* of a call that refers to an event.
DeviceTraceWriter::Json DeviceTraceWriter::event_args(const CallRun& call) const {
  const bool tells_record = options_.sync == SyncRows::kFull && call.record >= 0;
  const bool tells_stream =
      tells_record || (options_.sync == SyncRows::kStreams && call.record >= 0);
  Json args;
  args["wait_on_stream"] = tells_stream ? Json(code_.calls[u(call.record)].stream) : unresolved();
  args["wait_on_cuda_event_record_corr_id"] =
      tells_record ? Json(run_.calls[u(call.record)].correlation) : unresolved();
  return args;
}

bool DeviceTraceWriter::ever_ran(int stream) const {
  return std::any_of(run_.rows.begin(), run_.rows.end(), [&](const RowRun& run) {
    return run.is_recorded && row_of(code_, run).stream == stream;
  });
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
  if (const int op = cpu_op_of(call); op >= 0) args["External id"] = external_id(op);
  auto emit = [&](const char* name, int stream, std::int64_t tid) {
    args["stream"] = stream;
    args["correlation"] = call.correlation;
    args["device"] = rank_;
    args["context"] = 1;
    event("X", "cuda_sync", name, rank_, tid, span, args);
  };
  auto name_event = [&](const char* name) {
    args["cuda_sync_kind"] = name;
    args.update(event_args(call));
    args["wait_on_cuda_event_id"] = what.event + 8;
  };
  switch (what.kind) {
    case CallKind::kStreamSynchronize:
      args["cuda_sync_kind"] = "Stream Sync";
      emit("Stream Sync", what.stream, what.stream + (options_.has_sync_tid_offset ? 1000000 : 0));
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
      emit("Stream Wait Event", what.stream, what.stream);
      break;
    case CallKind::kEventRecord:
      if (options_.sync != SyncRows::kEvents || !options_.has_record_rows) break;
      event("X", "cuda_event", "cudaEvent", rank_, what.stream,
            {call.span.start + 1, call.span.start + 1},
            {{"event_id", what.event + 8},
             {"stream", what.stream},
             {"correlation", call.correlation},
             {"device", rank_},
             {"context", 1}});
      break;
    default:
      break;
  }
}

}  // namespace nadi::vm
