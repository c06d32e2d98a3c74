// Chooses the processes of a device trace that become graphs, and numbers their ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/link/processes.h"
#include "nadi/model/host_trace.h"

namespace nadi {

struct ProcessChoice {
  TraceProcesses processes;
  std::vector<ProcessNumber> wanted;  ///< in the order of their ranks; empty = it has no host rows

  bool has_several() const { return processes.all.size() > 1; }
  const std::string& pid(std::size_t position) const { return processes.all[wanted[position]].pid; }
};

/// The process of that pid; where it is empty the one that the host trace names or, without one,
/// those that processes_with_rows names. `file`: the device trace, for messages. Throws
/// Error(kInput) where there is none, or more than 256.
ProcessChoice choose_processes(const DeviceTrace& device, const std::optional<HostTrace>& host,
                               const std::string& file, const std::string& pid,
                               Diagnostics& diagnostics);

/// "100, 200"; of very many the first.
std::string pids_text(const TraceProcesses& processes);

/// Ranks count up from the one given, or else the one recorded in the trace (-1 = none); a rank
/// given for one process is its.
std::int64_t rank_of_process(const ProcessChoice& choice, std::size_t position, std::int64_t given,
                             std::int64_t recorded);

}  // namespace nadi
