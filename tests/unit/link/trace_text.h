// Traces for tests of linking and graphs, as the text their readers read; times in us.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "nadi/graph/build.h"
#include "nadi/link/link.h"
#include "nadi/read/device_trace_reader.h"
#include "nadi/read/host_trace_reader.h"

namespace nadi::test {

using Lines = std::vector<std::string>;

inline std::string event(const std::string& cat, const std::string& name, double ts, double dur,
                         const std::string& pid_tid, const std::string& args) {
  return fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", {}, "ts": {}, "dur": {}, )"
                     R"("args": {{{}}}}})",
                     cat, name, pid_tid, ts, dur, args);
}
inline std::string thread(int tid) { return fmt::format(R"("pid": 1, "tid": {})", tid); }

/// args: further members, "\"Sequence number\": 3".
inline std::string op(const std::string& name, double ts, double dur, int rf_id = 0, int tid = 100,
                      const std::string& args = "") {
  return event(
      "cpu_op", name, ts, dur, thread(tid),
      fmt::format(R"("Record function id": {}{}{})", rf_id, args.empty() ? "" : ", ", args));
}
inline std::string annotation(const std::string& name, double ts, double dur, int tid = 100) {
  return event("user_annotation", name, ts, dur, thread(tid), "");
}
inline std::string call(const std::string& name, double ts, double dur, std::int64_t correlation,
                        int tid = 100) {
  return event("cuda_runtime", name, ts, dur, thread(tid),
               fmt::format(R"("correlation": {})", correlation));
}
inline std::string launch(double ts, double dur, std::int64_t correlation, int tid = 100) {
  return call("cudaLaunchKernel", ts, dur, correlation, tid);
}
/// Ops of 20 us that each make a call: where each call names its op by `External id`, ids tell.
inline Lines ops_with_calls(bool are_named) {
  Lines events;
  for (int i = 0; i < 20; ++i) {
    const std::string id = fmt::format(R"("External id": {})", i + 1);
    events.push_back(op("op", 30.0 * i, 20, i + 1, 100, id));
    events.push_back(event("cuda_runtime", "cudaMalloc", 30.0 * i + 5, 1, thread(100),
                           are_named ? id : R"("External id": 9000)"));
  }
  return events;
}
inline std::string row(const std::string& name, double ts, double dur, std::int64_t correlation,
                       int stream = 7, const std::string& args = "",
                       const std::string& cat = "kernel") {
  return event(cat, name, ts, dur, fmt::format(R"("pid": 0, "tid": {})", stream),
               fmt::format(R"("device": 0, "context": 1, "stream": {}, "correlation": {}{}{})",
                           stream, correlation, args.empty() ? "" : ", ", args));
}
/// kind: "Stream Sync", …; waits_on: "wait_on_…" members.
inline std::string sync(const std::string& kind, double ts, int correlation, int stream,
                        const std::string& waits_on = "") {
  return row(kind, ts, 0, correlation, stream, waits_on, "cuda_sync");
}
/// A node of a host trace in the flat form; more: further members.
inline std::string node(int id, const std::string& name, int parent, int rf_id, int tid = 1,
                        const std::string& more = "") {
  return fmt::format(R"({{"id": {}, "name": "{}", "parent": {}, "rf_id": {}, "tid": {}{}{}}})", id,
                     name, parent, rf_id, tid, more.empty() ? "" : ", ", more);
}

/// head: top-level members before the events, "\"distributedInfo\": {…},".
inline std::string trace_text(const Lines& events, const std::string& head = "") {
  return fmt::format("{{{}\"traceEvents\": [{}]}}", head, fmt::join(events, ",\n"));
}
inline DeviceTrace device_trace(const Lines& events, const std::string& head = "") {
  const std::string text = trace_text(events, head);
  ByteSource source = source_of_bytes(text, "trace");
  Diagnostics diagnostics;
  return read_device_trace(source, diagnostics);
}
inline HostTrace host_trace(const Lines& nodes) {
  const std::string text = fmt::format(
      R"({{"schema": "1.0.1", "pid": 1, "start_ts": 1, "nodes": [{}], "finish_ts": 2}})",
      fmt::join(nodes, ",\n"));
  ByteSource source = source_of_bytes(text, "trace");
  Diagnostics diagnostics;
  return read_host_trace(source, diagnostics);
}

/// Links the events, with the nodes of a host trace if there are some.
inline LinkedTrace link(const Lines& events, const Lines& nodes = {}, const std::string& head = "",
                        Diagnostics* diagnostics = nullptr) {
  std::optional<HostTrace> host;
  if (!nodes.empty()) host = host_trace(nodes);
  Diagnostics own;
  return link_traces(std::move(host), device_trace(events, head), {},
                     diagnostics == nullptr ? own : *diagnostics);
}

/// The name of an op, "" for none.
inline std::string op_name(const LinkedTrace& linked, LinkedOpIndex op) {
  return op ? std::string(linked.strings[linked.ops.name[op]]) : "";
}
inline std::string op_name(const LinkedTrace& linked, std::uint32_t row) {
  return op_name(linked, LinkedOpIndex(row));
}

}  // namespace nadi::test
