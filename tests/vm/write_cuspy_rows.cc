// What PyTorch's new profiler writes otherwise than Kineto: the order of the file, the arguments of
// device rows, and the dependencies between the nodes of graphs.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "write_device_rows.h"
#include "write_pftrace.h"

namespace nadi::vm {

namespace {

/// In the order of the file (N11).
constexpr std::pair<EventCategory, const char*> kRowCategories[] = {
    {EventCategory::kKernel, "kernel"},
    {EventCategory::kMemcpy, "gpu_memcpy"},
    {EventCategory::kMemset, "gpu_memset"},
    {EventCategory::kEventRecord, "graph_event_node"},
    {EventCategory::kHostNode, "graph_host_node"}};

constexpr std::int64_t kFirstDependency = std::int64_t{1} << 40;  // N22

/// Copies and sets are named without what they do (N15).
std::string row_name(const Row& row) {
  if (row.kind == EventCategory::kMemcpy) return "Memcpy";
  if (row.kind == EventCategory::kMemset) return "Memset";
  return row.name;
}

/// "Memcpy HtoD (Pinned -> Device)" as three arguments.
void add_copy_kinds(const std::string& name, nlohmann::ordered_json& args) {
  const auto between = [&](std::string_view before, std::string_view behind) {
    const std::size_t first = name.find(before) + before.size();
    std::string text = name.substr(first, name.find(behind, first) - first);
    return text;
  };
  const auto memory = [&](std::string_view before, std::string_view behind) {
    std::string text = between(before, behind);
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  };
  args["copy kind"] = between("Memcpy ", " (");
  args["src kind"] = memory("(", " -> ");
  args["dst kind"] = memory(" -> ", ")");
}

/// Tids are absolute values in JSON (N19, N26).
void make_tids_absolute(nlohmann::ordered_json& trace) {
  for (nlohmann::ordered_json& event : trace["traceEvents"])
    if (event.contains("tid") && event["tid"].is_number())
      event["tid"] = std::abs(event["tid"].get<std::int64_t>());
}

}  // namespace

std::string DeviceTraceWriter::write_cuspy(Ns makespan) {
  number_rows();
  host_process();
  host_threads();
  device_names();
  call_threads();
  ops();
  cuspy_rows();
  dependency_flows();
  calls();
  overhead();
  syncs();
  annotations();
  counters(makespan);
  markers(makespan);
  nlohmann::ordered_json trace = nlohmann::ordered_json::parse(finished());
  if (options_.form == DeviceForm::kPftrace) return write_pftrace(trace, options_.base_time_ns);
  make_tids_absolute(trace);
  return trace.dump();
}

std::int64_t DeviceTraceWriter::call_tid(const CallRun& call) const {
  const bool is_known = options_.form == DeviceForm::kKineto || !options_.has_wrong_threads;
  if (is_known || call.thread == 0) return os_tid(call.thread);
  constexpr std::int64_t kEvery = 3, kPthread = 0x8f3b4640, kBetween = 0x801000;
  if (call.correlation % kEvery == 0) return os_tid(0);
  return static_cast<std::int32_t>(kPthread - call.thread * kBetween);
}

/// Once more, plainly, for threads that made calls (N13).
void DeviceTraceWriter::call_threads() {
  host_process();
  std::set<std::int64_t> tids;
  for (const CallRun& call : run_.calls)
    if (call.is_recorded) tids.insert(call_tid(call));
  for (const std::int64_t tid : tids)
    metadata("thread_name", pid_, tid, {{"name", fmt::format("thread {}", std::abs(tid))}});
}

void DeviceTraceWriter::number_rows() {
  std::int64_t last = 0;
  for (const auto& [kind, category] : kRowCategories)
    for (std::size_t row = 0; row < run_.rows.size(); ++row)
      if (records_.is_written[row] && row_of(code_, run_.rows[row]).kind == kind)
        event_ids_[row] = ++last;
}

void DeviceTraceWriter::cuspy_rows() {
  for (const auto& [kind, category] : kRowCategories) {
    std::vector<int> rows;
    for (std::size_t row = 0; row < run_.rows.size(); ++row)
      if (records_.is_written[row] && row_of(code_, run_.rows[row]).kind == kind)
        rows.push_back(static_cast<int>(row));
    for (int row : rows) {
      const Row& what = row_of(code_, at(run_.rows, row));
      event("X", category, row_name(what), rank_, what.stream, at(run_.rows, row).span,
            cuspy_args(row));
    }
    for (int row : rows)
      if (!records_.is_waiting[u(row)])
        flow(true, "ac2g", at(records_.correlation, row), rank_,
             row_of(code_, at(run_.rows, row)).stream, at(run_.rows, row).span.start);
  }
}

void DeviceTraceWriter::dependency_flows() {
  std::int64_t id = kFirstDependency;
  for (const auto& [from, to] : records_.edges) {
    const RowRun &before = at(run_.rows, from), &after = at(run_.rows, to);
    flow(false, "ac2g", id, rank_, row_of(code_, before).stream, before.span.end);
    flow(true, "ac2g", id, rank_, row_of(code_, after).stream, after.span.start);
    ++id;
  }
}

DeviceTraceWriter::Json DeviceTraceWriter::cuspy_args(int row) const {
  const RowRun& run = at(run_.rows, row);
  const Row& what = row_of(code_, run);
  const Call& call = at(code_.calls, run.call);
  Json args;
  args["device"] = rank_;
  args["context"] = 1;
  args["stream"] = what.stream;
  args["correlation"] = at(records_.correlation, row);
  switch (what.kind) {
    case EventCategory::kKernel:
      args["grid"] = {128, 1, 1};
      args["block"] = {256, 1, 1};
      args["registers per thread"] = 32;
      args["shared memory"] = 0;
      args["priority"] = 0;
      // When the launch entered the queue (N14); rows of graphs do not tell.
      args["queued"] = graph_id(call) == 0 ? epoch_ns(at(run_.calls, run.call).span.start) : 0;
      break;
    case EventCategory::kMemcpy:
      add_copy_kinds(what.name, args);
      args["bytes"] = what.bytes;
      args["flags"] = 0;
      break;
    case EventCategory::kMemset:
      args["bytes"] = what.bytes;
      args["value"] = 0;
      args["memory kind"] = 3;
      break;
    case EventCategory::kEventRecord:
      if (options_.has_graph_edges) args["cuda event"] = "0x7f2c5c0012a0";
      break;
    case EventCategory::kHostNode:
      args["host process"] = pid_;
      args["host thread"] = pid_ + 77;
      args["host fn"] = what.name.substr(what.name.find(' ') + 1);
      args["host fn addr"] = "0x7f2c60a41b30";
      break;
  }
  const bool has_channel = what.kind == EventCategory::kKernel ||
                           what.kind == EventCategory::kMemcpy ||
                           what.kind == EventCategory::kMemset;
  if (has_channel) {
    args["channel"] = 8;
    args["channel_type"] = what.kind == EventCategory::kKernel ? 1 : 2;
  }
  if (const std::uint64_t graph = graph_id(call); graph != 0) {
    args["graph id"] = graph;
    args["graph node id"] = graph_node_id(call, run.ordinal);  // the lower half (N16)
  }
  if (options_.form == DeviceForm::kPftrace) add_event_ids(row, args);
  return args;
}

void DeviceTraceWriter::add_event_ids(int row, Json& args) const {
  args[kEventId] = at(event_ids_, row);
  auto edge = std::lower_bound(records_.edges.begin(), records_.edges.end(), row,
                               [](const auto& e, int successor) { return e.second < successor; });
  for (; edge != records_.edges.end() && edge->second == row; ++edge)
    args[kEventWaitIds].push_back(at(event_ids_, edge->first));
}

/// Of a graph launch: its roots (P8).
DeviceTraceWriter::Json DeviceTraceWriter::launched_ids(const CallRun& call) const {
  Json ids = Json::array();
  for (int row : call.rows)
    if (records_.is_written[u(row)] && !records_.is_waiting[u(row)])
      ids.push_back(at(event_ids_, row));
  return ids;
}

void DeviceTraceWriter::overhead() {
  event("X", "overhead", "Activity Buffer Request", -1, 0, {0, 1_us}, {});
}

/// Counters have a text for their pid and an argument with an empty key (N31).
void DeviceTraceWriter::counters(Ns makespan) {
  constexpr std::pair<const char*, double> kCounters[] = {
      {"Power (W)", 412.5}, {"Temperature (C)", 51.0}, {"SM Clock (MHz)", 1980.0}};
  for (const Ns time : {Ns{0}, makespan})
    for (const auto& [name, value] : kCounters)
      events_.push_back(fmt::format(
          R"({{"ph":"C","name":"{}","pid":"GPU {} Counters","ts":{},"args":{{"":{:.1f}}}}})", name,
          rank_, microseconds(stamp(time)), value));
}

}  // namespace nadi::vm
