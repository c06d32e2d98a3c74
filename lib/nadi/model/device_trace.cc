#include "nadi/model/device_trace.h"

#include <algorithm>
#include <limits>

namespace nadi {
namespace {

template <class... Column>
void keep_in_columns(const std::vector<bool>& marked, Column&... columns) {
  const auto one = [&](auto& column) {
    std::size_t to = 0;
    for (std::size_t from = 0; from < marked.size(); ++from)
      if (marked[from]) column[to++] = column[from];
    column.resize(to);
  };
  (one(columns), ...);
}

}  // namespace

std::string_view to_string(SyncKind kind) {
  switch (kind) {
    case SyncKind::kStream:
      return "Stream Sync";
    case SyncKind::kEvent:
      return "Event Sync";
    case SyncKind::kContext:
      return "Context Sync";
    case SyncKind::kStreamWaitEvent:
      return "Stream Wait Event";
  }
  return "sync";
}

void keep_marked(const std::vector<bool>& marked, ProfilerOps& ops) {
  keep_in_columns(marked, ops.name, ops.kind, ops.start_ns, ops.duration_ns, ops.thread, ops.rf_id,
                  ops.external_id, ops.seq_id, ops.fwd_thread, ops.concrete_inputs, ops.input_dims,
                  ops.input_type, ops.input_strides, ops.kernel_backend, ops.kernel_file, ops.comm,
                  ops.order);
}

void keep_marked(const std::vector<bool>& marked, RuntimeCalls& calls) {
  keep_in_columns(marked, calls.name, calls.start_ns, calls.duration_ns, calls.thread,
                  calls.correlation, calls.external_id, calls.order);
}

void keep_marked(const std::vector<bool>& marked, DeviceRows& rows) {
  keep_in_columns(marked, rows.name, rows.kind, rows.start_ns, rows.duration_ns, rows.device,
                  rows.stream, rows.context, rows.correlation, rows.external_id, rows.graph_id,
                  rows.graph_node_id, rows.bytes, rows.comm, rows.order);
}

void keep_marked(const std::vector<bool>& marked, SyncRows& syncs) {
  keep_in_columns(marked, syncs.kind, syncs.start_ns, syncs.duration_ns, syncs.device,
                  syncs.context, syncs.stream, syncs.correlation, syncs.external_id,
                  syncs.wait_on_stream, syncs.wait_on_record, syncs.wait_on_event, syncs.order);
}

void keep_marked(const std::vector<bool>& marked, EventRecords& records) {
  keep_in_columns(marked, records.start_ns, records.device, records.context, records.stream,
                  records.event, records.correlation, records.order);
}

void keep_marked(const std::vector<bool>& marked, Flows& flows) {
  keep_in_columns(marked, flows.kind, flows.is_finish, flows.id, flows.thread, flows.time_ns);
}

void measure_span(DeviceTrace& device) {
  Ns first = std::numeric_limits<Ns>::max(), last = kNoTime;
  const auto add = [&](const std::vector<Ns>& starts, const std::vector<Ns>& durations) {
    for (std::size_t row = 0; row < starts.size(); ++row) {
      if (starts[row] == kNoTime) continue;
      first = std::min(first, starts[row]);
      last = std::max(last, starts[row] + durations[row]);
    }
  };
  add(device.ops.start_ns, device.ops.duration_ns);
  add(device.calls.start_ns, device.calls.duration_ns);
  add(device.rows.start_ns, device.rows.duration_ns);
  add(device.syncs.start_ns, device.syncs.duration_ns);
  if (last == kNoTime) return;
  device.first_ns = first;
  device.last_ns = last;
}

}  // namespace nadi
