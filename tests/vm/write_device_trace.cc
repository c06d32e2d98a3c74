#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "write.h"
#include "write_comm.h"
#include "write_device_rows.h"

namespace nadi::vm {

using nlohmann::ordered_json;

namespace {

constexpr ProfilerForm kKinetoForm{.has_external_ids = true,
                                   .annotation_tail = 2,
                                   .has_flows_of_syncs = false,
                                   .tells_wait_streams = true,
                                   .has_event_records = true};
constexpr ProfilerForm kCuspyForm{.has_external_ids = false,
                                  .annotation_tail = 1,
                                  .has_flows_of_syncs = true,
                                  .tells_wait_streams = false,
                                  .has_event_records = false};

}  // namespace

std::string microseconds(Ns ns) {
  const std::string text = fmt::format("{}.{:03}", ns / 1000, ns % 1000);
  return text;
}

DeviceTraceWriter::DeviceTraceWriter(const Program& program, const Execution& run, int rank,
                                     const WriteOptions& options)
    : program_(program),
      code_(program.ranks[static_cast<std::size_t>(rank)]),
      run_(run.ranks[static_cast<std::size_t>(rank)]),
      rank_(rank),
      pid_(options.pid + rank),
      options_(options),
      form_(options.form == DeviceForm::kKineto ? kKinetoForm : kCuspyForm),
      records_(graph_records(code_, run_, options)),
      event_ids_(run_.rows.size(), 0) {
  number_events();
}

Ns DeviceTraceWriter::stamp(Ns time) const {
  const Ns exact = options_.origin_ns + time;
  return options_.has_whole_micros ? exact / 1000 * 1000 : exact;
}

void DeviceTraceWriter::event(const char* phase, const std::string& category,
                              const std::string& name, std::int64_t pid, std::int64_t tid,
                              Span span, const ordered_json& args) {
  std::string text = fmt::format(
      R"(  {{
    "ph": "{}", "cat": "{}", "name": {}, "pid": {}, "tid": {},
    "ts": {}, "dur": {})",
      phase, category, ordered_json(name).dump(), pid, tid, microseconds(stamp(span.start)),
      microseconds(stamp(span.end) - stamp(span.start)));
  if (!args.empty()) text += ",\n    \"args\": " + args.dump();
  events_.push_back(text + "\n  }");
}

void DeviceTraceWriter::flow(bool is_finish, const char* name, std::int64_t id, std::int64_t pid,
                             std::int64_t tid, Ns time) {
  events_.push_back(fmt::format(
      R"(  {{
    "ph": "{}", "id": {}, "pid": {}, "tid": {}, "ts": {},
    "cat": "{}", "name": "{}"{}
  }})",
      is_finish ? "f" : "s", id, pid, tid, microseconds(stamp(time)), name, name,
      is_finish ? ", \"bp\": \"e\"" : ""));
}

std::int64_t DeviceTraceWriter::os_tid(int thread) const {
  return thread == 0 ? pid_ : pid_ + 9000 + 503 * thread;
}

std::uint64_t DeviceTraceWriter::external_id(int op) const {
  return run_.ops[static_cast<std::size_t>(op)].rf_id + 140;
}

void DeviceTraceWriter::ops() {
  int flow_id = 0, place = 0;
  for (std::size_t i = 0; i < code_.ops.size(); ++i) {
    const Op& op = code_.ops[i];
    const OpRun& run = run_.ops[i];
    if (op.is_host_only || !run.is_recorded) continue;
    ordered_json args;
    args["External id"] = external_id(static_cast<int>(i));
    if (options_.has_rf_ids) args["Record function id"] = run.rf_id;
    const bool is_comm = !op.comm.empty() || op.work >= 0;
    if (is_comm && options_.has_comm_args)
      args.update(op.work >= 0 ? kineto_wait_args() : kineto_comm_args(program_, op.comm[0]));
    if (!op.is_annotation && !is_comm) {
      args["Concrete Inputs"] = {""};
      args["Input type"] = {"float"};
      args["Input Strides"] = ordered_json::array({ordered_json::array({1})});
      args["Input Dims"] = ordered_json::array({ordered_json::array({op.elements})});
    }
    if (op.seq_id >= 0) {
      args["Fwd thread id"] =
          op.forward < 0 ? 0 : code_.ops[static_cast<std::size_t>(op.forward)].thread + 1;
      args["Sequence number"] = op.seq_id;
    }
    args["Ev Idx"] = place++;
    event("X", op.is_annotation ? "user_annotation" : "cpu_op", op.name, pid_, os_tid(op.thread),
          run.span, args);
    if (!options_.has_flows || !op.is_backward || !at(run_.ops, op.forward).is_recorded) continue;
    const Op& forward = code_.ops[static_cast<std::size_t>(op.forward)];
    const Ns forward_start = run_.ops[static_cast<std::size_t>(op.forward)].span.start;
    flow(false, "fwdbwd", ++flow_id, pid_, os_tid(forward.thread), forward_start);
    flow(true, "fwdbwd", flow_id, pid_, os_tid(op.thread), run.span.start);
  }
}

void DeviceTraceWriter::metadata(const char* what, std::int64_t pid, std::int64_t tid,
                                 const ordered_json& args) {
  events_.push_back(fmt::format(
      R"(  {{
    "name": "{}", "ph": "M", "ts": {}, "pid": {}, "tid": {},
    "args": {}
  }})",
      what, microseconds(options_.origin_ns), pid, tid, args.dump()));
}

void DeviceTraceWriter::host_process() {
  metadata("process_name", pid_, 0, {{"name", "python"}});
  metadata("process_labels", pid_, 0, {{"labels", "CPU"}});
  metadata("process_sort_index", pid_, 0, {{"sort_index", pid_}});
}

void DeviceTraceWriter::device_names() {
  metadata("process_name", rank_, 0, {{"name", "python"}});
  metadata("process_labels", rank_, 0, {{"labels", fmt::format("GPU {}", rank_)}});
  metadata("process_sort_index", rank_, 0, {{"sort_index", 5000000 + rank_}});
  std::set<int> streams;
  for (const Call& call : code_.calls)
    for (const Row& row : call.rows) streams.insert(row.stream);
  for (int stream : streams) {
    const int lane = number_on_device(stream);
    metadata("thread_name", device(stream), lane, {{"name", fmt::format("stream {} ", lane)}});
    metadata("thread_sort_index", device(stream), lane, {{"sort_index", lane}});
  }
}

void DeviceTraceWriter::host_threads() {
  for (std::size_t i = 0; i < code_.threads.size(); ++i) {
    const std::int64_t tid = os_tid(static_cast<int>(i));
    const std::string name = fmt::format("thread {} ({})", tid, code_.threads[i].name);
    metadata("thread_name", pid_, tid, {{"name", name}});
    metadata("thread_sort_index", pid_, tid, {{"sort_index", tid}});
  }
}

void DeviceTraceWriter::markers(Ns makespan) {
  events_.push_back(fmt::format(
      R"J(  {{
    "ph": "X", "cat": "Trace", "ts": {}, "dur": {},
    "pid": "Spans", "tid": "PyTorch Profiler",
    "name": "PyTorch Profiler (0)",
    "args": {{"Op count": 0}}
  }})J",
      microseconds(options_.origin_ns), microseconds(makespan)));
  events_.push_back(fmt::format(
      R"J(  {{
    "name": "Iteration Start: PyTorch Profiler", "ph": "i", "s": "g",
    "pid": "Traces", "tid": "Trace PyTorch Profiler", "ts": {}
  }})J",
      microseconds(options_.origin_ns)));
  events_.push_back(fmt::format(
      R"J(  {{
    "name": "Record Window End", "ph": "i", "s": "g",
    "pid": "", "tid": "", "ts": {}
  }})J",
      microseconds(options_.origin_ns + makespan)));
}

std::string DeviceTraceWriter::header() const {
  ordered_json device;
  device["id"] = 0;
  device["name"] = "NVIDIA Virtual Machine";
  device["totalGlobalMem"] = 85899345920;
  device["numSms"] = 132;
  std::string text =
      "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    " + device.dump() + "\n  ],\n";
  if (!program_.groups.empty()) {
    ordered_json info;
    info["backend"] = "nccl";
    info["rank"] = rank_;
    info["world_size"] = program_.ranks.size();
    info["pg_count"] = program_.groups.size();
    info["pg_config"] = process_groups(program_);
    info["nccl_version"] = "2.26.6";
    text += "  \"distributedInfo\": " + info.dump() + ",\n";
  }
  text += "  \"record_shapes\": 1,\n  \"displayTimeUnit\": \"ms\",\n";
  if (options_.base_time_ns != 0)
    text += fmt::format("  \"baseTimeNanoseconds\": {},\n", options_.base_time_ns);
  return text + "  \"traceEvents\": [\n";
}

std::string DeviceTraceWriter::write(Ns makespan) {
  return options_.form == DeviceForm::kKineto ? write_kineto(makespan) : write_cuspy(makespan);
}

std::string DeviceTraceWriter::write_kineto(Ns makespan) {
  if (options_.has_sync_before_rows) syncs();
  ops();
  calls();
  rows();
  annotations();
  if (!options_.has_sync_before_rows) syncs();
  host_process();
  device_names();
  host_threads();
  markers(makespan);
  return finished();
}

std::string DeviceTraceWriter::finished() const {
  std::string text = header();
  for (std::size_t i = 0; i < events_.size(); ++i)
    text += events_[i] + (i + 1 < events_.size() ? ",\n" : "\n");
  return text + "  ],\n  \"traceName\": \"" + program_.name + ".json\"\n}\n";
}

std::string write_device_trace(const Program& program, const Execution& run, int rank,
                               const WriteOptions& options) {
  return DeviceTraceWriter(program, run, rank, options).write(run.makespan);
}

}  // namespace nadi::vm
