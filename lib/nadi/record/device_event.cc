#include "nadi/record/device_event.h"

#include <algorithm>
#include <limits>

#include "nadi/record/append_json.h"

namespace nadi::record {
namespace {

/// Times that a program gives may be anything: the difference stops at both ends.
Ns since(Ns origin, Ns time) {
  Ns difference = 0;
  if (!__builtin_sub_overflow(time, origin, &difference)) return difference;
  return time < 0 ? std::numeric_limits<Ns>::min() : std::numeric_limits<Ns>::max();
}

void append_place(std::string& text, const EventPlace& place, Ns time) {
  text += ",\"pid\":";
  append_number(text, place.pid);
  text += ",\"tid\":";
  append_number(text, place.tid);
  text += ",\"ts\":";
  append_microseconds(text, since(place.origin_ns, time));
}

// Every event begins with these; arguments follow, each with its comma; end_event() ends it.
void begin_event(std::string& text, std::string_view category, std::string_view name,
                 const EventPlace& place, Ns start, Ns duration) {
  text.append(",\n{\"ph\":\"X\",\"cat\":\"").append(category).append("\",\"name\":");
  append_string(text, name);
  append_place(text, place, start);
  text += ",\"dur\":";
  append_microseconds(text, duration);
  text += ",\"args\":{";
}
void end_event(std::string& text) { text += "}}"; }

void append_key(std::string& text, std::string_view key) {
  if (text.back() != '{') text += ',';
  text.append("\"").append(key).append("\":");
}
template <class Number>
void append_arg(std::string& text, std::string_view key, Number value) {
  append_key(text, key);
  append_number(text, value);
}
void append_text_arg(std::string& text, std::string_view key, std::string_view value) {
  append_key(text, key);
  append_string(text, value);
}
void append_column_arg(std::string& text, std::string_view key, const LoggedValues& values,
                       ValueColumn column) {
  append_key(text, key);
  text += '[';
  append_column(text, values, column);
  text += ']';
}

void append_flow(std::string& text, bool is_finish, std::string_view name, std::uint64_t id,
                 const EventPlace& place, Ns time) {
  text.append(is_finish ? ",\n{\"ph\":\"f\",\"bp\":\"e\",\"id\":" : ",\n{\"ph\":\"s\",\"id\":");
  append_number(text, id);
  append_place(text, place, time);
  text.append(",\"cat\":\"").append(name).append("\",\"name\":\"").append(name).append("\"}");
}

constexpr std::size_t kMostListed = 30;  // Kineto cuts longer lists

void append_comm_args(std::string& text, const LoggedComm& comm, const JobPlace& job) {
  const CommGroup group = group_of(comm, job);
  append_text_arg(text, "Collective name", comm.collective);
  append_text_arg(text, "dtype", comm.dtype);
  append_arg(text, "In msg nelems", comm.in_elements);
  append_arg(text, "Out msg nelems", comm.out_elements);
  if (group.size >= 0) append_arg(text, "Group size", group.size);
  append_text_arg(text, "In split size", list_text(comm.in_split, kMostListed));
  append_text_arg(text, "Out split size", list_text(comm.out_split, kMostListed));
  append_text_arg(text, "Process Group Name", comm.group);
  append_text_arg(text, "Process Group Description", group.description);
  if (group.process_group != nullptr)
    append_text_arg(text, "Process Group Ranks",
                    list_text(group.process_group->ranks, kMostListed));
  if (comm.sequence >= 0) append_arg(text, "Seq", comm.sequence);
  if (!comm.is_p2p()) return;
  append_arg(text, "Rank", comm.peer);
  append_arg(text, comm.is_send() ? "Dst Rank" : "Src Rank", group.global_rank(comm.peer));
}

void append_op_args(std::string& text, const ClosedOp& op, std::uint64_t index,
                    const JobPlace& job) {
  append_arg(text, "External id", op.id);
  append_arg(text, "Record function id", op.id);
  if (op.comm) append_comm_args(text, *op.comm, job);
  if (op.kind == OpKind::kOp) {
    append_column_arg(text, "Concrete Inputs", op.inputs, ValueColumn::kConcrete);
    append_column_arg(text, "Input type", op.inputs, ValueColumn::kDtypes);
    append_column_arg(text, "Input Strides", op.inputs, ValueColumn::kStrides);
    append_column_arg(text, "Input Dims", op.inputs, ValueColumn::kShapes);
  }
  if (op.sequence >= 0) {
    append_arg(text, "Fwd thread id", op.forward.tid);
    append_arg(text, "Sequence number", op.sequence);
  }
  if (!op.kernel_backend.empty()) append_text_arg(text, "kernel_backend", op.kernel_backend);
  if (!op.kernel_file.empty()) append_text_arg(text, "kernel_file", op.kernel_file);
  append_arg(text, "Ev Idx", index);
}

/// Kineto's name for what a call waits for; empty = it waits for nothing.
std::string_view sync_name(CallKind kind) {
  switch (kind) {
    case CallKind::kSyncStream:
      return "Stream Sync";
    case CallKind::kSyncDevice:
      return "Context Sync";
    case CallKind::kSyncEvent:
      return "Event Sync";
    case CallKind::kStreamWait:
      return "Stream Wait Event";
    default:
      return {};
  }
}

// The place of events in a program is known by event records, not by wait_on_* (K17, K18): one
// context for all, since a program's event numbers are its own.
void append_sync_event(std::string& text, const EventPlace& place, const ClosedCall& call,
                       std::string_view category, std::string_view name) {
  const bool is_event = call.facts.event >= 0;
  const EventPlace lane{std::max<std::int64_t>(call.facts.device, 0), call.facts.stream,
                        place.origin_ns};
  begin_event(text, category, name, lane, call.start_ns, call.duration_ns);
  append_arg(text, "stream", call.facts.stream);
  append_arg(text, "correlation", call.correlation);
  append_arg(text, "device", call.facts.device);
  append_arg(text, "context", std::int64_t{1});
  if (call.kind == CallKind::kEventRecord) {
    append_arg(text, "event_id", call.facts.event);
  } else {
    append_text_arg(text, "cuda_sync_kind", name);
    if (is_event) {
      append_arg(text, "wait_on_stream", std::int64_t{-1});
      append_arg(text, "wait_on_cuda_event_record_corr_id", std::int64_t{-1});
      append_arg(text, "wait_on_cuda_event_id", call.facts.event);
    }
  }
  end_event(text);
}

std::string_view category_of(DeviceRowKind kind) {
  switch (kind) {
    case DeviceRowKind::kCopy:
      return "gpu_memcpy";
    case DeviceRowKind::kSet:
      return "gpu_memset";
    default:
      return "kernel";
  }
}

}  // namespace

void append_op_event(std::string& text, const EventPlace& place, const ClosedOp& op,
                     std::uint64_t index, const JobPlace& job) {
  begin_event(text, op.kind == OpKind::kAnnotation ? "user_annotation" : "cpu_op", op.name, place,
              op.start_ns, op.duration_ns);
  append_op_args(text, op, index, job);
  end_event(text);
  if (op.is_backward)
    append_flow(text, true, "fwdbwd", op.forward.op, place, op.start_ns);
  else if (op.sequence >= 0)
    append_flow(text, false, "fwdbwd", op.id, place, op.start_ns);
}

void append_call_event(std::string& text, const EventPlace& place, const ClosedCall& call) {
  begin_event(text, "cuda_runtime", call.name, place, call.start_ns, call.duration_ns);
  if (call.op != 0) append_arg(text, "External id", call.op);
  append_arg(text, "correlation", call.correlation);
  end_event(text);
  if (call.kind == CallKind::kLaunch)
    append_flow(text, false, "ac2g", call.correlation, place, call.start_ns);
  if (call.kind == CallKind::kEventRecord)
    append_sync_event(text, place, call, "cuda_event", "cudaEvent");
  else if (const std::string_view sync = sync_name(call.kind); !sync.empty())
    append_sync_event(text, place, call, "cuda_sync", sync);
}

void append_device_row_event(std::string& text, Ns origin_ns, const ClosedDeviceRow& row,
                             const JobPlace& job) {
  const DeviceRowFacts& facts = row.facts;
  const EventPlace lane{facts.device, facts.stream, origin_ns};
  const Ns duration = std::max<Ns>(facts.duration_ns, 0);
  begin_event(text, category_of(row.kind), row.name, lane, facts.start_ns, duration);
  append_arg(text, "device", facts.device);
  append_arg(text, "context", std::int64_t{1});
  append_arg(text, "stream", facts.stream);
  if (row.correlation != 0) append_arg(text, "correlation", row.correlation);
  if (facts.bytes >= 0) append_arg(text, "bytes", facts.bytes);
  if (row.comm) append_comm_args(text, *row.comm, job);
  end_event(text);
  if (row.correlation != 0) append_flow(text, true, "ac2g", row.correlation, lane, facts.start_ns);
}

void append_metadata_event(std::string& text, const EventPlace& place, std::string_view what,
                           std::string_view key, std::string_view value) {
  text.append(",\n{\"ph\":\"M\",\"name\":\"").append(what).append("\",\"ts\":0.000,\"pid\":");
  append_number(text, place.pid);
  text += ",\"tid\":";
  append_number(text, place.tid);
  text.append(",\"args\":{\"").append(key).append("\":");
  append_string(text, value);
  end_event(text);
}

}  // namespace nadi::record
