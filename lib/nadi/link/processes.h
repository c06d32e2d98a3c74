// Finds the processes whose rows one device trace holds, as where the files of several ranks were
// merged, and takes it apart: ids of one process say nothing of another's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nadi/model/device_trace.h"
#include "nadi/model/row_processes.h"

namespace nadi {

struct TraceProcess {
  std::string pid;  ///< as written
  std::uint64_t ops = 0, calls = 0, device_rows = 0;
  bool launches = false;              ///< by the names of its calls
  std::vector<std::int64_t> devices;  ///< of its device rows, ascending, each once
};

struct TraceProcesses {
  std::vector<TraceProcess> all;  ///< by ProcessNumber; where there are two, with their counts
  std::uint64_t guessed_rows = 0;
  /// The process of each row of the tables; empty where there are fewer than two.
  ByRow<ProfilerThread, ProcessNumber> of_thread;
  ByRow<DeviceRows, ProcessNumber> of_row;
  ByRow<SyncRows, ProcessNumber> of_sync;
  ByRow<EventRecords, ProcessNumber> of_record;
  ByRow<Flows, ProcessNumber> of_flow;
};

/// A process is a pid that ops and calls carry. Where no pid carries both, they are one program's,
/// numbered in two ways.
TraceProcesses find_processes(const DeviceTrace& device);

/// Returns the processes of which graphs are made: those that have device rows or launched some;
/// all where there is none. They come in the order of their first devices where each has one and no
/// two the same, else in that of the file.
std::vector<ProcessNumber> processes_with_rows(const TraceProcesses& processes);

/// Removes all rows that the process did not record.
void keep_process(const TraceProcesses& processes, ProcessNumber process, DeviceTrace& device);

}  // namespace nadi
