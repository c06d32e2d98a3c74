#include "nadi/link/processes.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "nadi/base/number_text.h"
#include "nadi/link/kept_rows.h"
#include "nadi/model/call_names.h"

namespace nadi {
namespace {

/// By pid: where in the file its rows of the table are.
template <class Table>
std::map<StringId, HostRowRange> ranges_by_pid(const DeviceTrace& device, const Table& table) {
  ByRow<ProfilerThread, HostRowRange> of_threads(device.threads.size());
  for (const Index<Table> row : rows_of(table)) of_threads[table.thread[row]].add(table.order[row]);
  std::map<StringId, HostRowRange> of_pids;
  for (const ThreadIndex thread : rows_of(of_threads)) {
    const HostRowRange& range = of_threads[thread];
    if (range.first <= range.last) of_pids[device.threads[thread].pid].add(range);
  }
  return of_pids;
}

/// By first position in the file.
std::vector<std::pair<StringId, HostRowRange>> find_pids(const DeviceTrace& device) {
  const auto of_ops = ranges_by_pid(device, device.ops);
  const auto of_calls = ranges_by_pid(device, device.calls);
  const bool are_calls_of_others = !of_ops.empty() && !of_calls.empty() &&
                                   std::none_of(of_ops.begin(), of_ops.end(), [&](const auto& pid) {
                                     return of_calls.contains(pid.first);
                                   });
  std::map<StringId, HostRowRange> all = of_ops;
  for (const auto& [pid, range] : of_calls) all[pid].add(range);
  std::vector<std::pair<StringId, HostRowRange>> pids(all.begin(), all.end());
  std::sort(pids.begin(), pids.end(),
            [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
  if (are_calls_of_others) pids.resize(1);
  return pids;
}

std::vector<ProcessCall> calls_of(const DeviceTrace& device,
                                  const ByRow<ProfilerThread, ProcessNumber>& of_thread) {
  const RuntimeCalls& calls = device.calls;
  std::vector<ProcessCall> result;
  for (const CallIndex call : rows_of(calls))
    if (calls.correlation[call] >= 0)
      result.push_back(
          {calls.correlation[call], calls.start_ns[call], of_thread[calls.thread[call]]});
  return result;
}

/// Device rows, then sync rows, then event records.
std::vector<ProcesslessRow> processless_rows(const DeviceTrace& device) {
  std::vector<ProcesslessRow> result;
  const auto add = [&](const auto& table) {
    for (const auto row : rows_of(table))
      result.push_back({table.correlation[row],
                        table.start_ns[row],
                        table.order[row],
                        {table.device[row], table.context[row], table.stream[row]}});
  };
  add(device.rows);
  add(device.syncs);
  add(device.event_records);
  return result;
}

/// Where a flow may end: device, stream, time.
using FlowEnd = std::tuple<std::int64_t, std::int64_t, Ns>;

std::int64_t number_of(std::string_view text) {
  return number_at_front<std::int64_t>(text).value_or(-1);
}

/// A flow that ends at a device row is that row's, all others their thread's.
ByRow<Flows, ProcessNumber> find_flow_processes(const DeviceTrace& device,
                                                const TraceProcesses& processes) {
  std::map<FlowEnd, ProcessNumber> of_row;
  for (const DeviceRowIndex row : rows_of(device.rows))
    of_row.try_emplace(
        {device.rows.device[row], device.rows.stream[row], device.rows.start_ns[row]},
        processes.of_row[row]);
  ByRow<Flows, ProcessNumber> result;
  for (const FlowIndex flow : rows_of(device.flows)) {
    const ThreadIndex thread = device.flows.thread[flow];
    ProcessNumber process = processes.of_thread[thread];
    if (process == kNoProcess) {
      const auto found = of_row.find({number_of(device.strings[device.threads[thread].pid]),
                                      device.threads[thread].number, device.flows.time_ns[flow]});
      if (found != of_row.end()) process = found->second;
    }
    result.push_back(process);
  }
  return result;
}

void count_rows(const DeviceTrace& device, TraceProcesses& processes) {
  for (const ThreadIndex thread : device.ops.thread)
    ++processes.all[processes.of_thread[thread]].ops;
  const auto launches = calls_launch(device.calls, device.strings);
  for (const CallIndex call : rows_of(device.calls)) {
    TraceProcess& process = processes.all[processes.of_thread[device.calls.thread[call]]];
    ++process.calls;
    process.launches = process.launches || launches[call] != CallLaunches::kNothing;
  }
  std::vector<std::set<std::int64_t>> devices(processes.all.size());
  for (const DeviceRowIndex row : rows_of(device.rows)) {
    ++processes.all[processes.of_row[row]].device_rows;
    devices[processes.of_row[row]].insert(device.rows.device[row]);
  }
  for (std::size_t i = 0; i < devices.size(); ++i)
    processes.all[i].devices.assign(devices[i].begin(), devices[i].end());
}

/// By row: is_kept(its entry in the column).
template <class Table, class T, class IsKept>
ByRow<Table, bool> marked(const ByRow<Table, T>& column, const IsKept& is_kept) {
  ByRow<Table, bool> result(column.size());
  std::transform(column.begin(), column.end(), result.begin(), is_kept);
  return result;
}

}  // namespace

TraceProcesses find_processes(const DeviceTrace& device) {
  TraceProcesses processes;
  const auto pids = find_pids(device);
  std::map<StringId, ProcessNumber> numbers;
  std::vector<HostRowRange> ranges;
  for (const auto& [pid, range] : pids) {
    numbers[pid] = static_cast<ProcessNumber>(ranges.size());
    ranges.push_back(range);
    processes.all.emplace_back().pid = device.strings[pid];
  }
  if (pids.size() < 2) return processes;
  for (const ProfilerThread& thread : device.threads) {
    const auto number = numbers.find(thread.pid);
    processes.of_thread.push_back(number == numbers.end() ? kNoProcess : number->second);
  }
  RowProcesses rows =
      find_row_processes(calls_of(device, processes.of_thread), processless_rows(device), ranges);
  processes.guessed_rows = rows.guessed;
  auto next = rows.of_row.begin();
  const auto take = [&](auto& of_table, std::size_t size) {
    of_table.assign(next, next + static_cast<std::ptrdiff_t>(size));
    next += static_cast<std::ptrdiff_t>(size);
  };
  take(processes.of_row, device.rows.size());
  take(processes.of_sync, device.syncs.size());
  take(processes.of_record, device.event_records.size());
  processes.of_flow = find_flow_processes(device, processes);
  count_rows(device, processes);
  return processes;
}

std::vector<ProcessNumber> processes_with_rows(const TraceProcesses& processes) {
  const auto uses_devices = [](const TraceProcess& process) {
    return process.device_rows > 0 || process.launches;
  };
  const bool does_any = std::any_of(processes.all.begin(), processes.all.end(), uses_devices);
  std::vector<ProcessNumber> result;
  std::set<std::int64_t> devices;
  bool own_one_each = true;
  for (ProcessNumber number = 0; number < processes.all.size(); ++number) {
    const TraceProcess& process = processes.all[number];
    if (does_any && !uses_devices(process)) continue;
    result.push_back(number);
    own_one_each =
        own_one_each && !process.devices.empty() && devices.insert(process.devices.front()).second;
  }
  if (own_one_each)
    std::stable_sort(result.begin(), result.end(), [&](ProcessNumber a, ProcessNumber b) {
      return processes.all[a].devices.front() < processes.all[b].devices.front();
    });
  return result;
}

void keep_process(const TraceProcesses& processes, ProcessNumber process, DeviceTrace& device) {
  const auto is_it = [&](ProcessNumber other) { return other == process; };
  const auto is_its = [&](ThreadIndex thread) { return processes.of_thread[thread] == process; };
  keep_rows({marked(device.ops.thread, is_its), marked(device.calls.thread, is_its),
             marked(processes.of_row, is_it), marked(processes.of_sync, is_it),
             marked(processes.of_record, is_it), marked(processes.of_flow, is_it)},
            device);
}

}  // namespace nadi
