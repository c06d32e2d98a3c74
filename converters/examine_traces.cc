#include "nadi/converters/examine_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "nadi/base/count_text.h"
#include "nadi/base/error.h"
#include "nadi/link/clock.h"
#include "nadi/link/damaged_times.h"
#include "nadi/link/link.h"
#include "nadi/link/match_choice.h"
#include "nadi/model/call_names.h"
#include "nadi/model/communication_kernels.h"

namespace nadi {

namespace {

struct Traces {
  const HostTrace* host;
  const DeviceTrace& device;  ///< with damaged times cut
  const Diagnostics& diagnostics;
  std::uint64_t damaged_times;  ///< those that were cut
};

using MaybeFinding = std::optional<DoctorFinding>;

std::string nameless_remedy(const DeviceTrace& device) {
  return device.is_by_cuspy
             ? "record from an earlier step on: the events were recorded before the profiler began"
             : "a newer PyTorch (its profiler writes cuda_event rows), or CUDA before 12.9";
}

/// How a profile is asked for with an option of Cuspy's, all of which are off by default.
std::string cuspy_option(std::string_view option) {
  return fmt::format(
      "profile(activities=[ProfilerActivity.CPU, {{ProfilerActivity.CUDA: ProfilerActivityConfig("
      "profiler_configs=[CuspyConfig({}=True)])}}])",
      option);
}

/// The finding for `good` of `all`: good where all are, lacking where less than `least` of them is.
DoctorFinding of_share(std::string topic, std::uint64_t good, std::uint64_t all, double least,
                       std::string_view what, std::string remedy) {
  DoctorFinding finding{std::move(topic), TraceHealth::kGood,
                        fmt::format("{} of {} {}", good, all, what), ""};
  if (good == all) return finding;
  const double share = static_cast<double>(good) / static_cast<double>(all);
  finding.health = share < least ? TraceHealth::kLacking : TraceHealth::kPartly;
  finding.remedy = std::move(remedy);
  return finding;
}

template <class Column, class Test>
std::uint64_t count_if(const Column& column, const Test& test) {
  return static_cast<std::uint64_t>(std::count_if(column.begin(), column.end(), test));
}

std::uint64_t count_collectives(const DeviceTrace& device) {
  CommKernelNames kernels(device.strings);
  std::uint64_t count = 0;
  for (std::size_t row = 0; row < device.rows.size(); ++row)
    count += device.rows.comm[row] ||
             kernels.of(device.rows.name[row]) == CommKernelOrigin::kProcessGroup;
  return count;
}

std::uint64_t count_calls(const DeviceTrace& device, std::initializer_list<CallEffect> kinds) {
  return count_if(device.calls.name, [&](StringId name) {
    return std::find(kinds.begin(), kinds.end(), call_effect(device.strings[name])) != kinds.end();
  });
}

/// Calls that wait for the device or make a stream wait: what sync rows explain.
std::uint64_t count_waiting_calls(const DeviceTrace& device) {
  return count_calls(device, {CallEffect::kSyncStream, CallEffect::kSyncDevice,
                              CallEffect::kSyncEvent, CallEffect::kStreamWaitEvent});
}

bool is_rocm(const DeviceTrace& device) {
  return std::any_of(device.calls.name.begin(), device.calls.name.end(),
                     [&](StringId name) { return device.strings[name].starts_with("hip"); });
}

MaybeFinding host_trace(const Traces& traces) {
  if (traces.host == nullptr) {
    return {{"host trace", TraceHealth::kPartly, "none",
             "observer = ExecutionTraceObserver().register_callback(\"host.json\"); "
             "profile(..., execution_trace_observer=observer)"}};
  }
  if (traces.host->finish_ts == 0) {
    return {{"host trace", TraceHealth::kPartly, "cut: the observer was not stopped",
             "stop the profiler (prof.stop(), or leave its with block) before the process ends; an "
             "observer started by hand needs observer.stop() and unregister_callback()"}};
  }
  return {{"host trace", TraceHealth::kGood, count_text(traces.host->ops.size(), "node"), ""}};
}

/// Why a whole kind of events is not there.
std::string activity_remedy(const Traces& traces) {
  return traces.diagnostics.count(Finding::kTruncatedInput) > 0
             ? "record it again, to its end: the file is cut, maybe before them"
             : "profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])";
}

MaybeFinding host_activity(const Traces& traces) {
  const std::size_t ops = traces.device.ops.size();
  if (ops > 0) return {{"profiler ops", TraceHealth::kGood, count_text(ops, "op"), ""}};
  return {{"profiler ops", TraceHealth::kLacking, "none: host work has no times",
           activity_remedy(traces)}};
}

bool are_launches_recorded(const DeviceTrace& device) {
  return std::any_of(device.calls.name.begin(), device.calls.name.end(), [&](StringId name) {
    return call_launches(device.strings[name]) != CallLaunches::kNothing;
  });
}

MaybeFinding device_activity(const Traces& traces) {
  const std::size_t rows = traces.device.rows.size();
  if (rows > 0) return {{"device rows", TraceHealth::kGood, count_text(rows, "row"), ""}};
  if (traces.diagnostics.count(Finding::kTruncatedInput) == 0 &&
      are_launches_recorded(traces.device))
    return std::nullopt;  // it was on; the linking tells what is lost
  return {{"device rows", TraceHealth::kLacking, "none", activity_remedy(traces)}};
}

/// Kineto writes nearly all traces, and is not named.
MaybeFinding profiler(const Traces& traces) {
  if (!traces.device.is_by_cuspy) return std::nullopt;
  return {{kProfilerTopic, TraceHealth::kGood, "Cuspy, PyTorch's CUDA profiler beside Kineto", ""}};
}

/// A Perfetto trace without the JSON of its run.
MaybeFinding form(const Traces& traces) {
  if (!traces.device.is_perfetto) return std::nullopt;
  std::string found =
      "Perfetto: without process groups, forward-backward flows and directions of copies";
  if (const std::uint64_t cut = traces.diagnostics.count(Finding::kDeviceRowsCut); cut > 0)
    found += fmt::format("; {} may be cut", count_text(cut, "device row"));
  return {
      {"form", TraceHealth::kPartly, found,
       "prof.export_chrome_trace(\"device.json.gz\") as well, and `device` twice: both forms of "
       "one run"}};
}

MaybeFinding record_function_ids(const Traces& traces) {
  if (traces.host == nullptr || traces.device.ops.size() == 0) return std::nullopt;
  const auto& ids = traces.device.ops.rf_id;
  const auto known = count_if(ids, [](std::uint64_t id) { return id != 0; });
  return of_share(
      "record-function ids", known, ids.size(), 0.5, "profiler ops have one",
      "PyTorch 2.3 or later, and execution_trace_observer= given to the same profile()");
}

/// Matches as nadi convert does, which may cut the traces to what both recorded.
MaybeFinding same_run(HostTrace& host, DeviceTrace& device, const TraceFiles& files) {
  const std::string remedy =
      "record both at once: one profile(execution_trace_observer=observer) around the same steps "
      "of the same process";
  const OpMatch by_id = match_by_rf_id(host, device);
  const bool any_id = count_if(device.ops.rf_id, [](std::uint64_t id) { return id != 0; }) > 0;
  DoctorFinding finding{"same run", TraceHealth::kGood, "", ""};
  const auto tell = [&](const OpMatch& match, const char* what) {
    finding.found = fmt::format("{} of {} {}", match.matched, match.host_ops, what);
  };
  if (any_id) tell(by_id, "host ops are in the device trace");
  if (by_id.same_id_other_name > 0)
    finding.found += fmt::format("; {} {} another name", count_text(by_id.same_id_other_name, "id"),
                                 by_id.same_id_other_name == 1 ? "meets" : "meet");
  Diagnostics matching;
  try {
    const OpMatch match = fit_traces(match_ops(host, device, {}, matching), host, device, matching);
    if (!match.unprofiled_threads.empty())
      tell(match, "host ops are in the device trace, but for threads of which it has no op");
    else if (!any_id || by_id.share() < kLeastShare)
      tell(match, "host ops are in the device trace, by name");
  } catch (const Error& error) {
    finding.health = TraceHealth::kLacking;
    if (finding.found.empty()) finding.found = "nadi convert refuses them: no names fit";
    finding.remedy = remedy;
  }
  if (const auto conflict = rank_conflict(files, device, matching)) {
    finding.health = TraceHealth::kLacking;
    finding.found = "they " + conflict->problem();
    finding.remedy = "pass both traces of one rank";
  }
  return finding;
}

constexpr const char* kWarmUp =
    "profile(schedule=torch.profiler.schedule(wait=1, warmup=1, active=3)): with a warm-up step, "
    "and torch.cuda.synchronize() before the first active step";

/// Rows without a launch that no recording gives one: their device's profiler writes no
/// correlation.
std::uint64_t count_nameless(const LinkedTrace& linked) {
  std::uint64_t count = 0;
  for (const DeviceRowIndex row : rows_of(linked.rows))
    count += linked.rows.evidence[row] == LinkEvidence::kUnlaunched &&
                     linked.device.rows.correlation[row] < 0
                 ? 1
                 : 0;
  return count;
}

/// What nadi convert links, of the rows left by the matching; and what is lost.
MaybeFinding launches(DeviceTrace device) {
  if (device.rows.size() == 0 && !are_launches_recorded(device)) return std::nullopt;
  Diagnostics of_linking;
  const LinkedTrace linked = link_traces(std::nullopt, std::move(device), {}, of_linking);
  const LostRowCounts missing = missing_device_rows(linked);
  const std::string remedy =
      "call torch.cuda.synchronize() and prof.step() before the profiler stops, and record fewer "
      "steps at once: rows were lost, or the trace ends before them";
  if (linked.rows.size() == 0) {
    if (missing.all == 0) return std::nullopt;
    return {{"device rows", TraceHealth::kLacking,
             fmt::format("none: device activity was on, for launches are recorded, but the rows of "
                         "{} are lost",
                         lost_rows_text(missing)),
             remedy}};
  }
  const auto launched = count_if(linked.rows.evidence, [](LinkEvidence evidence) {
    return evidence != LinkEvidence::kUnlaunched;
  });
  DoctorFinding finding =
      of_share("launches", launched, linked.rows.evidence.size(), 0.5,
               "device rows have their launch: its runtime row, a flow, or an op's id", kWarmUp);
  if (const std::uint64_t nameless = count_nameless(linked); nameless > 0) {
    finding.found += fmt::format("; {} {} none", nameless, nameless == 1 ? "names" : "name");
    if (nameless == linked.rows.size() - launched) finding.remedy.clear();
  }
  if (missing.all == 0) return finding;
  finding.health = TraceHealth::kLacking;
  finding.found += fmt::format("; {} {} without a device row: {}", missing.all,
                               missing.all == 1 ? "launch" : "launches", lost_rows_text(missing));
  finding.remedy = remedy;
  return finding;
}

MaybeFinding times(const Traces& traces) {
  const auto& starts = traces.device.rows.start_ns;
  const auto garbage = count_if(starts, [](Ns start) { return start == kNoTime; });
  if (garbage == 0) return std::nullopt;
  return {{"device times", TraceHealth::kPartly,
           fmt::format("{} of {} device rows have none", garbage, starts.size()),
           "record fewer steps at once; newer CUDA and PyTorch lose fewer"}};
}

/// Rows that others contradict, which nadi convert cuts.
MaybeFinding damaged_times(const Traces& traces) {
  if (traces.damaged_times == 0) return std::nullopt;
  return {{"damaged times", TraceHealth::kPartly,
           fmt::format("{} too long for the rows and calls around: cut",
                       count_text(traces.damaged_times, "device row")),
           "record fewer steps at once; newer CUDA, ROCm and PyTorch lose fewer"}};
}

/// Device clocks that calls contradict; those of the host are taken for right.
MaybeFinding clocks(const Traces& traces) {
  DoctorFinding finding{"clocks", TraceHealth::kGood, "", "nothing: nadi convert corrects them"};
  for (const DeviceClock& clock : find_clocks(traces.device)) {
    if (!clock.fit.line && clock.fit.outliers == 0) continue;
    finding.found += (finding.found.empty() ? "" : "; ") + clock_text(clock);
    if (finding.health == TraceHealth::kGood) finding.health = TraceHealth::kPartly;
    if (!clock.fit.line && finding.health != TraceHealth::kLacking)
      finding.remedy = "nothing: single rows are wrong, their times are kept";
    if (!clock.fit.is_another_clock) continue;
    finding.health = TraceHealth::kLacking;
    finding.remedy = "a newer driver and profiler: what device rows wait for cannot be told";
  }
  if (finding.health == TraceHealth::kGood) return std::nullopt;
  return finding;
}

/// How to get sync rows; "" where there is no way.
std::string sync_remedy(const DeviceTrace& device) {
  if (device.is_by_cuspy) return cuspy_option("enable_cuda_sync_events");
  return is_rocm(device) ? ""
                         : "profile(experimental_config=torch._C._profiler._ExperimentalConfig("
                           "enable_cuda_sync_events=True))";
}

struct EventWaits {
  std::uint64_t all = 0;
  std::uint64_t resolved = 0;  ///< their sync row names the record, or event records do (K18)
};
EventWaits count_event_waits(const DeviceTrace& device) {
  EventWaits waits;
  for (std::size_t row = 0; row < device.syncs.size(); ++row) {
    const SyncKind kind = device.syncs.kind[row];
    if (kind != SyncKind::kEvent && kind != SyncKind::kStreamWaitEvent) continue;
    ++waits.all;
    waits.resolved += device.syncs.wait_on_record[row] != -1 || device.event_records.size() > 0;
  }
  return waits;
}

/// Sync rows tell who waited for what only where they name the record, or event records do (K18).
MaybeFinding synchronisation(const Traces& traces) {
  const DeviceTrace& device = traces.device;
  if (device.rows.size() == 0) return std::nullopt;
  if (device.syncs.size() == 0) {
    if (count_waiting_calls(device) == 0) return std::nullopt;
    return {{"sync rows", is_rocm(device) ? TraceHealth::kPartly : TraceHealth::kLacking,
             is_rocm(device)
                 ? "none, for ROCm's profiler writes none: waits are inferred from calls"
                 : "none: waits are inferred from the runtime calls",
             sync_remedy(device)}};
  }
  const EventWaits events = count_event_waits(device);
  if (events.all == 0) {
    return {{"sync rows", TraceHealth::kGood, count_text(device.syncs.size(), "row"), ""}};
  }
  return of_share("sync rows", events.resolved, events.all, 0.5,
                  "event waits name what they waited for", nameless_remedy(device));
}

/// Then a stream's wait changes nothing, and a thread's is for that stream.
bool has_one_stream(const DeviceTrace& device) {
  const DeviceRows& rows = device.rows;
  for (std::size_t row = 1; row < rows.size(); ++row)
    if (rows.stream[row] != rows.stream[0] || rows.device[row] != rows.device[0]) return false;
  return true;
}

/// What replays of what-ifs on the graph will rest on: `convert` then says what it found.
MaybeFinding what_ifs(const Traces& traces) {
  const DeviceTrace& device = traces.device;
  if (device.rows.size() == 0) return std::nullopt;
  DoctorFinding finding{"what-ifs", TraceHealth::kGood, "", ""};
  const bool has_syncs = device.syncs.size() > 0;
  const std::uint64_t calls = count_waiting_calls(device);
  if (calls == 0 && !has_syncs) {
    finding.found = "no call waits: no wait has to be inferred";
    if (are_launches_recorded(device)) return finding;
    finding.health = TraceHealth::kPartly;
    finding.found = "no call is known to launch or to wait: most of what rows wait for is inferred";
    if (device.calls.size() == 0) finding.remedy = kWarmUp;
    return finding;
  }
  if (has_one_stream(device)) {
    finding.found = "all rows are of one stream: waits can only be for that";
    return finding;
  }
  const EventWaits events = count_event_waits(device);
  if (has_syncs && events.resolved == events.all) {
    finding.found = events.all == 0
                        ? "no call waits for an event"
                        : fmt::format("all waits for events are recorded: {}", events.all);
    return finding;
  }
  finding.health = TraceHealth::kPartly;
  finding.remedy = has_syncs ? nameless_remedy(device) : sync_remedy(device);
  const bool has_records = count_calls(device, {CallEffect::kEventRecord}) > 0;
  finding.found = fmt::format(
      "{} of {} waits are recorded, the others are inferred{}: convert counts how", events.resolved,
      has_syncs ? events.all : calls, has_records ? "" : " without event records");
  return finding;
}

/// Rows of graphs with recorded dependencies whose nodes are behind all of these.
std::uint64_t count_rows_of_child_graphs(const DeviceTrace& device) {
  std::map<std::uint64_t, std::uint64_t> last_node;  // by graph id
  for (const GraphDependency& one : device.graph_dependencies) {
    std::uint64_t& last = last_node[device.rows.graph_id[one.target]];
    last = std::max(
        {last, device.rows.graph_node_id[one.source], device.rows.graph_node_id[one.target]});
  }
  std::uint64_t count = 0;
  for (std::size_t row = 0; row < device.rows.size(); ++row) {
    const auto last = last_node.find(device.rows.graph_id[row]);
    count += last != last_node.end() && device.rows.graph_node_id[row] > last->second ? 1 : 0;
  }
  return count;
}

/// CUDA graphs of several rows, and those of them of which dependencies are recorded.
MaybeFinding graph_dependencies(const Traces& traces) {
  const DeviceTrace& device = traces.device;
  std::map<std::uint64_t, std::uint64_t> rows_of_graph;
  for (const std::uint64_t graph : device.rows.graph_id)
    if (graph != 0) ++rows_of_graph[graph];
  std::erase_if(rows_of_graph, [](const auto& graph) { return graph.second < 2; });
  if (rows_of_graph.empty()) return std::nullopt;
  std::set<std::uint64_t> recorded;
  for (const GraphDependency& dependency : device.graph_dependencies)
    recorded.insert(device.rows.graph_id[dependency.target]);
  const std::string option = cuspy_option("enable_graph_dependencies");
  if (recorded.empty() && !device.is_by_cuspy)
    return {{"graph dependencies", TraceHealth::kPartly,
             "none: the order inside CUDA graphs is inferred",
             "a PyTorch that has Cuspy (mid-2026), with " + option}};
  DoctorFinding finding = of_share(
      "graph dependencies", recorded.size(), rows_of_graph.size(), 0.0,
      rows_of_graph.size() == 1 ? "CUDA graph has recorded ones" : "CUDA graphs have recorded ones",
      option + ", before the graphs are instantiated: the profiler knows no others");
  if (const std::uint64_t rows = count_rows_of_child_graphs(device); rows > 0) {
    finding.found += fmt::format("; {} of child graphs {} none", count_text(rows, "row"),
                                 rows == 1 ? "has" : "have");
    if (finding.remedy.empty())
      finding.remedy = "capture without child graphs, whose order the profiler does not record";
    finding.health = TraceHealth::kPartly;
  }
  return finding;
}

/// Waits for events that CUDA graphs record, of which no row tells where in the graph.
MaybeFinding graph_events(const Traces& traces) {
  const DeviceTrace& device = traces.device;
  if (!device.is_by_cuspy) return std::nullopt;
  std::set<std::int64_t> graph_launches, with_events;
  for (std::size_t row = 0; row < device.rows.size(); ++row) {
    if (device.rows.graph_id[row] == 0 || device.rows.correlation[row] < 0) continue;
    graph_launches.insert(device.rows.correlation[row]);
    if (device.rows.kind[row] == DeviceRowKind::kEventRecord)
      with_events.insert(device.rows.correlation[row]);
  }
  std::uint64_t waits = 0, placed = 0;
  for (const std::int64_t record : device.syncs.wait_on_record) {
    waits += graph_launches.contains(record) ? 1 : 0;
    placed += with_events.contains(record) ? 1 : 0;
  }
  if (waits == 0) return std::nullopt;
  return of_share("graph events", placed, waits, 0.0,
                  "waits for events of CUDA graphs tell where these are recorded",
                  cuspy_option("enable_event_node_ids"));
}

MaybeFinding process_groups(const Traces& traces) {
  const std::uint64_t collectives = count_collectives(traces.device);
  if (collectives == 0) return std::nullopt;
  const std::size_t groups =
      traces.device.groups.size() + (traces.host == nullptr ? 0 : traces.host->groups.size());
  const std::string found =
      count_text(collectives, "communication row") + ", " + count_text(groups, "process group");
  if (groups > 0) return {{"process groups", TraceHealth::kGood, found, ""}};
  return {
      {"process groups", TraceHealth::kLacking, found,
       "PyTorch 2.4 or later, and torch.distributed.init_process_group() before profiling starts"}};
}

MaybeFinding message_sizes(const Traces& traces) {
  const std::uint64_t collectives = count_collectives(traces.device);
  if (collectives == 0) return std::nullopt;
  const auto sized = [](const CommRecord& comm) {
    return comm.in_nelems >= 0 || comm.out_nelems >= 0 || comm.input_bytes >= 0;
  };
  const std::uint64_t known = count_if(traces.device.comms, sized) +
                              (traces.host == nullptr ? 0 : count_if(traces.host->comms, sized));
  if (known > 0) {
    return {
        {"message sizes", TraceHealth::kGood, count_text(known, "record") + " with a size", ""}};
  }
  return {{"message sizes", TraceHealth::kLacking, "none",
           "PyTorch 2.4 or later; profile(record_shapes=True)"}};
}

/// Kernels of libraries whose communication nobody records.
MaybeFinding unrecorded_communication(const Traces& traces) {
  const DeviceRows& rows = traces.device.rows;
  CommKernelNames kernels(traces.device.strings);
  std::uint64_t count = 0;
  Ns communication_ns = 0, all_ns = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    all_ns += rows.duration_ns[row];
    if (rows.comm[row] || kernels.of(rows.name[row]) != CommKernelOrigin::kUnrecorded) continue;
    ++count;
    communication_ns += rows.duration_ns[row];
  }
  if (count == 0) return std::nullopt;
  const double share =
      all_ns == 0 ? 0 : static_cast<double>(communication_ns) / static_cast<double>(all_ns);
  return {
      {"communication", TraceHealth::kPartly,
       fmt::format("{} communicate{} by {} name, and nothing records what and with whom ({:.1f} "
                   "% of the device time)",
                   count_text(count, "device row"), count == 1 ? "s" : "",
                   count == 1 ? "its" : "their", share * 100),
       "a run whose communication goes through process groups alone, if other ranks and other "
       "networks are asked about"}};
}

MaybeFinding rank(const Traces& traces) {
  if (traces.device.rank >= 0) {
    return {{"rank", TraceHealth::kGood, fmt::format("rank {}", traces.device.rank), ""}};
  }
  if (count_collectives(traces.device) == 0) return std::nullopt;
  return {{"rank", TraceHealth::kPartly, "not told", "give it: nadi convert `rank=R`"}};
}

MaybeFinding steps(const Traces& traces) {
  const auto& ops = traces.device.ops;
  const auto count = count_if(ops.name, [&](StringId name) {
    return traces.device.strings[name].starts_with("ProfilerStep#");
  });
  if (count > 0)
    return {{"steps", TraceHealth::kGood, fmt::format("{} ProfilerStep#N", count), ""}};
  return {{"steps", TraceHealth::kPartly, "none: `steps` has nothing to choose from",
           "profile(schedule=torch.profiler.schedule(wait=1, warmup=1, active=3)) and prof.step() "
           "after each step"}};
}

/// With a host trace the shapes come from there.
MaybeFinding shapes(const Traces& traces) {
  const auto told = [](StringId text) { return text != StringId::kEmpty; };
  const std::span<const StringId> columns =
      traces.host != nullptr ? std::span<const StringId>(traces.host->ops.input_shapes)
                             : traces.device.ops.input_dims;
  const auto known = count_if(columns, told);
  if (known > 0) {
    return {{"shapes", TraceHealth::kGood, fmt::format("{} of {} ops", known, columns.size()), ""}};
  }
  return {{"shapes", TraceHealth::kPartly, "none", "profile(record_shapes=True)"}};
}

MaybeFinding damage(const Traces& traces) {
  std::uint64_t count = 0;
  std::string kinds;
  for (const Diagnostic& diagnostic : traces.diagnostics.table()) {
    if (severity_of(diagnostic.kind) != Severity::kLoss) continue;
    count += diagnostic.count;
    kinds += (kinds.empty() ? "" : ", ") + std::string(to_string(diagnostic.kind));
  }
  if (count == 0) return std::nullopt;
  return {{"whole files", TraceHealth::kPartly,
           fmt::format("{} repaired or lost: {}", count, kinds),
           "let the process finish writing before it ends or the file is copied; a newer PyTorch "
           "writes valid JSON"}};
}

using Examination = MaybeFinding (*)(const Traces&);

// The order of these tables is the order of the findings; between them those on the linking.
constexpr Examination kBeforeLinking[] = {
    profiler, form, host_trace, host_activity, device_activity, record_function_ids};
constexpr Examination kAfterLinking[] = {synchronisation,
                                         graph_dependencies,
                                         graph_events,
                                         what_ifs,
                                         process_groups,
                                         message_sizes,
                                         unrecorded_communication,
                                         rank,
                                         steps,
                                         shapes,
                                         times,
                                         damaged_times,
                                         clocks,
                                         damage};

void add(std::vector<DoctorFinding>& findings, MaybeFinding finding) {
  if (finding) findings.push_back(std::move(*finding));
}

}  // namespace

std::string_view to_string(TraceHealth health) {
  switch (health) {
    case TraceHealth::kGood:
      return "good";
    case TraceHealth::kPartly:
      return "partly";
    case TraceHealth::kLacking:
      return "lacking";
  }
  return "unknown";
}

std::vector<DoctorFinding> examine_traces(std::optional<HostTrace> host, DeviceTrace device,
                                          const Diagnostics& diagnostics, const TraceFiles& files) {
  Diagnostics repaired;
  cut_damaged_times(device, repaired);
  const Traces traces{host ? &*host : nullptr, device, diagnostics,
                      repaired.count(Finding::kDamagedTime)};
  std::vector<DoctorFinding> findings, after;
  for (const auto examine : kBeforeLinking) add(findings, examine(traces));
  for (const auto examine : kAfterLinking) add(after, examine(traces));
  // Last, for matching and linking take the traces over.
  if (host && device.ops.size() > 0) add(findings, same_run(*host, device, files));
  add(findings, launches(std::move(device)));
  std::move(after.begin(), after.end(), std::back_inserter(findings));
  return findings;
}

}  // namespace nadi
