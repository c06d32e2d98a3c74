#include "nadi/converters/examine_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "nadi/base/count_text.h"
#include "nadi/base/error.h"
#include "nadi/base/finding.h"
#include "nadi/converters/profiler_settings.h"
#include "nadi/graph/build.h"
#include "nadi/link/link.h"
#include "nadi/link/match_choice.h"
#include "nadi/model/call_names.h"
#include "nadi/model/communication_kernels.h"
#include "nadi/model/step_names.h"

namespace nadi {

namespace {

struct Traces {
  const HostTrace* host;
  const DeviceTrace& device;
  const Diagnostics& diagnostics;  ///< of the readers
};

using MaybeFinding = std::optional<DoctorFinding>;

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
    return std::nullopt;  // it was on; the linking reports what is lost
  return {{"device rows", TraceHealth::kLacking, "none", activity_remedy(traces)}};
}

/// Kineto writes nearly all traces, and is not named.
MaybeFinding profiler(const Traces& traces) {
  if (!traces.device.is_by_cuspy) return std::nullopt;
  return {{"profiler", TraceHealth::kGood, "Cuspy, PyTorch's CUDA profiler beside Kineto", ""}};
}

/// A Perfetto trace without the JSON of its run.
MaybeFinding form(const Traces& traces) {
  if (!traces.device.is_perfetto) return std::nullopt;
  return {
      {"form", TraceHealth::kPartly,
       "Perfetto: without process groups, forward-backward flows and directions of copies",
       "prof.export_chrome_trace(\"device.json.gz\") as well, and `device` twice: both forms of "
       "one run"}};
}

MaybeFinding record_function_ids(const Traces& traces) {
  if (traces.host == nullptr || traces.device.ops.size() == 0) return std::nullopt;
  const auto& ids = traces.device.ops.rf_id;
  const auto known = count_if(ids, [](std::uint64_t id) { return id != 0; });
  return of_share(
      "record-function ids", known, ids.size(), 0, "profiler ops have one",
      "PyTorch 2.3 or later, and execution_trace_observer= given to the same profile()");
}

/// Matches as nadi convert does, which may cut the traces to what both recorded.
MaybeFinding same_run(HostTrace& host, DeviceTrace& device, const TraceFiles& files,
                      Diagnostics& matching) {
  const std::string remedy =
      "record both at once: one profile(execution_trace_observer=observer) around the same steps "
      "of the same process";
  const OpMatch by_id = match_by_rf_id(host, device);
  const bool any_id = count_if(device.ops.rf_id, [](std::uint64_t id) { return id != 0; }) > 0;
  DoctorFinding finding{"same run", TraceHealth::kGood, "", ""};
  const auto say_matched = [&](const OpMatch& match, const char* what) {
    finding.found = fmt::format("{} of {} {}", match.matched, match.host_ops, what);
  };
  if (any_id) say_matched(by_id, "host ops are in the device trace");
  if (by_id.same_id_other_name > 0)
    finding.found += fmt::format("; {} {} another name", count_text(by_id.same_id_other_name, "id"),
                                 by_id.same_id_other_name == 1 ? "meets" : "meet");
  try {
    const OpMatch match = fit_traces(match_ops(host, device, {}, matching), host, device, matching);
    if (!match.unprofiled_threads.empty())
      say_matched(match, "host ops are in the device trace, but for threads of which it has no op");
    else if (!any_id || by_id.share() < kLeastShare)
      say_matched(match, "host ops are in the device trace, by name");
  } catch (const Error& error) {
    finding.health = TraceHealth::kLacking;
    if (finding.found.empty()) finding.found = "nadi convert refuses them: no names fit";
    finding.remedy = remedy;
  }
  if (matching.count(Finding::kAnotherProcess) > 0) {
    finding.health = std::max(finding.health, TraceHealth::kPartly);
    finding.found += "; the traces name different processes";
    finding.remedy = remedy;
  }
  if (const auto conflict = rank_conflict(files, device, matching)) {
    finding.health = TraceHealth::kLacking;
    finding.found = "they " + conflict->problem();
    finding.remedy = "pass both traces of one rank";
  }
  return finding;
}

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

/// What is lost of the rows, and what nadi convert links of those that the matching left.
MaybeFinding launches(const LinkedTrace& linked) {
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
  DoctorFinding finding = of_share(
      "launches", launched, linked.rows.evidence.size(), 0.5,
      "device rows have their launch: its runtime row, a flow, or an op's id", kWarmUpSetting);
  if (const std::uint64_t nameless = count_nameless(linked); nameless > 0) {
    finding.found += fmt::format("; {} {} no call", nameless, nameless == 1 ? "names" : "name");
    if (nameless == linked.rows.size() - launched) finding.remedy.clear();
  }
  if (missing.all == 0) return finding;
  finding.health = TraceHealth::kLacking;
  finding.found = fmt::format("{} {} without a device row: {}; ", missing.all,
                              missing.all == 1 ? "launch" : "launches", lost_rows_text(missing)) +
                  finding.found;
  finding.remedy = remedy;
  return finding;
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

/// Sync rows say who waited for what only where they name the record, or event records do (K18).
MaybeFinding synchronisation(const Traces& traces) {
  const DeviceTrace& device = traces.device;
  if (device.rows.size() == 0) return std::nullopt;
  if (device.syncs.size() == 0) {
    if (count_waiting_calls(device) == 0) return std::nullopt;
    return {{"sync rows", is_of_rocm(device) ? TraceHealth::kPartly : TraceHealth::kLacking,
             is_of_rocm(device)
                 ? "none: ROCm's profiler writes none, so waits are inferred from calls"
                 : "none: waits are inferred from the runtime calls",
             sync_rows_setting(device)}};
  }
  const EventWaits events = count_event_waits(device);
  if (events.all == 0) {
    return {{"sync rows", TraceHealth::kGood, count_text(device.syncs.size(), "row"), ""}};
  }
  return of_share("sync rows", events.resolved, events.all, 0.5,
                  "event waits name what they waited for", record_names_setting(device));
}

/// Then a stream's wait changes nothing, and a thread's is for that stream.
bool has_one_stream(const DeviceTrace& device) {
  const DeviceRows& rows = device.rows;
  for (std::size_t row = 1; row < rows.size(); ++row)
    if (rows.stream[row] != rows.stream[0] || rows.device[row] != rows.device[0]) return false;
  return true;
}

/// What calls wait for, on which what-ifs will rest: `convert` then says what it found.
MaybeFinding waiting_calls(const Traces& traces) {
  const DeviceTrace& device = traces.device;
  if (device.rows.size() == 0) return std::nullopt;
  DoctorFinding finding{"waiting calls", TraceHealth::kGood, "", ""};
  const bool has_syncs = device.syncs.size() > 0;
  const std::uint64_t calls = count_waiting_calls(device);
  if (calls == 0 && !has_syncs) {
    finding.found = "none is recorded, and all rows are of one stream";
    if (are_launches_recorded(device) && has_one_stream(device)) return finding;
    finding.health = TraceHealth::kPartly;
    finding.found = "none is recorded: what streams and threads wait for is inferred";
    if (device.calls.size() == 0) finding.remedy = kWarmUpSetting;
    if (are_launches_recorded(device)) finding.remedy = sync_rows_setting(device);
    return finding;
  }
  if (has_one_stream(device)) {
    finding.found = "all rows are of one stream: calls can only wait for that";
    return finding;
  }
  const EventWaits events = count_event_waits(device);
  if (has_syncs && events.resolved == events.all) {
    finding.found = events.all == 0
                        ? "none waits for an event"
                        : fmt::format("what they wait for is recorded of all {}", events.all);
    return finding;
  }
  finding.health = TraceHealth::kPartly;
  finding.remedy = has_syncs ? record_names_setting(device) : sync_rows_setting(device);
  const bool has_records = count_calls(device, {CallEffect::kEventRecord}) > 0;
  finding.found = fmt::format("{} of {} name what they wait for, which is inferred of the others{}",
                              events.resolved, has_syncs ? events.all : calls,
                              has_records ? "" : ", without event records");
  return finding;
}

/// Waits for lost rows are lost with them, and so is these rows' time.
void add_missing_rows(const LinkedTrace& linked, DoctorFinding& waiting) {
  const std::uint64_t missing = missing_device_rows(linked).all;
  if (missing == 0) return;
  waiting.health = std::max(waiting.health, TraceHealth::kPartly);
  waiting.found +=
      fmt::format("; {} {} no device row", missing, missing == 1 ? "launch has" : "launches have");
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

/// Waits for events that CUDA graphs record, of which no row says where in the graph.
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

/// Collectives whose sizes follow from the tensors of their ops.
void add_sizes_of_tensors(const BuiltGraph& graph, std::vector<DoctorFinding>& findings) {
  const auto sized = std::count_if(
      graph.communications.begin(), graph.communications.end(),
      [](const GraphCommunication& communication) { return communication.bytes > 0; });
  for (DoctorFinding& finding : findings)
    if (sized > 0 && finding.topic == "message sizes" && finding.health == TraceHealth::kLacking) {
      finding.health = TraceHealth::kPartly;
      finding.found = fmt::format("none recorded; {} follow from the tensors of their ops", sized);
    }
}

MaybeFinding rank(const Traces& traces) {
  if (traces.device.rank >= 0) {
    return {{"rank", TraceHealth::kGood, fmt::format("rank {}", traces.device.rank), ""}};
  }
  if (count_collectives(traces.device) == 0) return std::nullopt;
  return {{"rank", TraceHealth::kPartly, "not recorded", "give it: nadi convert `rank=R`"}};
}

MaybeFinding steps(const Traces& traces) {
  const auto& ops = traces.device.ops;
  const auto count =
      count_if(ops.name, [&](StringId name) { return is_step_name(traces.device.strings[name]); });
  if (count > 0)
    return {{"steps", TraceHealth::kGood, fmt::format("{} ProfilerStep#N", count), ""}};
  return {{"steps", TraceHealth::kPartly, "none: `steps` has nothing to choose from",
           "profile(schedule=torch.profiler.schedule(wait=1, warmup=1, active=3)) and prof.step() "
           "after each step"}};
}

/// With a host trace the shapes come from there.
MaybeFinding shapes(const Traces& traces) {
  const auto is_recorded = [](StringId text) { return text != StringId::kEmpty; };
  const std::span<const StringId> columns =
      traces.host != nullptr ? std::span<const StringId>(traces.host->ops.input_shapes)
                             : traces.device.ops.input_dims;
  const auto known = count_if(columns, is_recorded);
  if (known > 0) {
    return {{"shapes", TraceHealth::kGood, fmt::format("{} of {} ops", known, columns.size()), ""}};
  }
  return {{"shapes", TraceHealth::kPartly, "none", "profile(record_shapes=True)"}};
}

struct Examination {
  TraceNeed need;
  MaybeFinding (*examine)(const Traces&);
};

using enum TraceNeed;

// The order of these tables is the order of the findings of a need; between them those on the
// linking.
constexpr Examination kBeforeLinking[] = {
    {kRecording, profiler},        {kRecording, form},
    {kRecording, host_trace},      {kRecording, host_activity},
    {kRecording, device_activity}, {kRecording, record_function_ids},
};
constexpr Examination kAfterLinking[] = {
    {kWaits, synchronisation},
    {kWaits, graph_dependencies},
    {kWaits, graph_events},
    {kRecording, rank},
    {kRecording, steps},
    {kRecording, shapes},
    {kCommunication, process_groups},
    {kCommunication, message_sizes},
};

/// What the findings above say already.
constexpr Finding kSaidAbove[] = {
    Finding::kAnotherProcess,          Finding::kDeviceRowsMissing, Finding::kObserverNotStopped,
    Finding::kPerfettoTraceLacksFacts, Finding::kUnlaunchedRows,
};

/// A warning or loss of the conversion. What the traces lack has its remedy; a warning has one of
/// its own where they lack nothing of its need.
DoctorFinding of_conversion(const Diagnostic& found, const std::vector<DoctorFinding>& lacking) {
  const TraceNeed need = need_of(found.kind);
  const bool has_remedy =
      std::none_of(lacking.begin(), lacking.end(), [&](const DoctorFinding& finding) {
        return finding.need == need && !finding.remedy.empty();
      });
  const FindingInfo& info = all_findings()[static_cast<std::size_t>(found.kind)];
  std::string text = count_text(found.count, "time");
  if (!found.first.empty() && !found.first.front().empty())
    text += ", first " + found.first.front();
  return {std::string(info.name),
          found.kind == Finding::kClockForeign ? TraceHealth::kLacking : TraceHealth::kPartly, text,
          has_remedy && !info.remedy.starts_with("Nothing") ? std::string(info.remedy) : "", need};
}

void add(std::vector<DoctorFinding>& findings, TraceNeed need, MaybeFinding finding) {
  if (!finding) return;
  finding->need = need;
  findings.push_back(std::move(*finding));
}

}  // namespace

std::string_view to_string(TraceHealth health) {
  constexpr std::string_view kNames[] = {"good", "partly", "lacking"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(TraceHealth::kLacking) + 1);
  return kNames[static_cast<std::size_t>(health)];
}

std::vector<DoctorFinding> examine_traces(std::optional<HostTrace> host, DeviceTrace device,
                                          const Diagnostics& diagnostics, const TraceFiles& files) {
  const Traces traces{host ? &*host : nullptr, device, diagnostics};
  std::vector<DoctorFinding> findings, after;
  for (const auto& [need, examine] : kBeforeLinking) add(findings, need, examine(traces));
  for (const auto& [need, examine] : kAfterLinking) add(after, need, examine(traces));
  MaybeFinding waiting = waiting_calls(traces);
  // Last, for matching and linking take the traces over.
  Diagnostics found = diagnostics;
  if (host && device.ops.size() > 0)
    add(findings, kRecording, same_run(*host, device, files, found));
  if (device.rows.size() > 0 || are_launches_recorded(device)) {
    const LinkedTrace linked = link_traces(std::nullopt, std::move(device), {}, found);
    add(findings, kLaunches, launches(linked));
    if (waiting) add_missing_rows(linked, *waiting);
    add_sizes_of_tensors(build_graph(linked, {}, found), after);
  }
  add(after, kWaits, std::move(waiting));
  std::move(after.begin(), after.end(), std::back_inserter(findings));
  std::vector<DoctorFinding> warnings;
  for (const Diagnostic& one : found.table())
    if (severity_of(one.kind) != Severity::kInfo &&
        std::find(std::begin(kSaidAbove), std::end(kSaidAbove), one.kind) == std::end(kSaidAbove))
      warnings.push_back(of_conversion(one, findings));
  std::move(warnings.begin(), warnings.end(), std::back_inserter(findings));
  std::stable_sort(findings.begin(), findings.end(),
                   [](const auto& a, const auto& b) { return a.need < b.need; });
  return findings;
}

}  // namespace nadi
