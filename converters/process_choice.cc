#include "nadi/converters/process_choice.h"

#include <algorithm>
#include <span>

#include "nadi/base/count_text.h"
#include "nadi/base/error.h"

namespace nadi {
namespace {

constexpr std::size_t kMostProcesses = 256;

std::vector<ProcessNumber> all_with_rows(const TraceProcesses& processes, const std::string& file) {
  std::vector<ProcessNumber> all = processes_with_rows(processes);
  if (all.size() > kMostProcesses)
    throw Error(ErrorCode::kInput, file,
                "holds the rows of " + std::to_string(all.size()) + " processes",
                "Choose one with `process=" + processes.all[all.front()].pid + "`");
  return all;
}

void report_processes(const ProcessChoice& choice, Diagnostics& diagnostics) {
  const std::vector<TraceProcess>& all = choice.processes.all;
  diagnostics.report(Finding::kSeveralProcesses, "pids " + pids_text(choice.processes), all.size());
  diagnostics.report(Finding::kProcessGuessed, {}, choice.processes.guessed_rows);
  for (ProcessNumber number = 0; number < all.size(); ++number) {
    if (std::find(choice.wanted.begin(), choice.wanted.end(), number) != choice.wanted.end())
      continue;
    diagnostics.report(Finding::kProcessLeftOut,
                       "pid " + all[number].pid + ": " + count_text(all[number].ops, "op") + ", " +
                           count_text(all[number].calls, "call") + ", " +
                           count_text(all[number].device_rows, "device row"));
  }
}

}  // namespace

std::string pids_text(const TraceProcesses& processes) {
  constexpr std::size_t kMostNamed = 16;
  const std::span all(processes.all);
  if (all.size() <= kMostNamed) return list_of(all, &TraceProcess::pid);
  return list_of(all.first(kMostNamed), &TraceProcess::pid) + ", ...";
}

ProcessChoice choose_processes(const DeviceTrace& device, const std::optional<HostTrace>& host,
                               const std::string& file, const std::string& pid,
                               Diagnostics& diagnostics) {
  ProcessChoice choice;
  choice.processes = find_processes(device);
  const std::vector<TraceProcess>& all = choice.processes.all;
  const bool is_of_host = pid.empty() && host && choice.has_several();
  if (pid.empty() && !is_of_host) {
    choice.wanted = all_with_rows(choice.processes, file);
  } else {
    const std::string wanted = is_of_host ? std::to_string(host->pid) : pid;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const TraceProcess& one) { return one.pid == wanted; });
    if (found == all.end())
      throw Error(
          ErrorCode::kInput, file,
          (is_of_host ? "holds nothing of the host trace's process " : "holds no process ") +
              wanted + ", but of " + pids_text(choice.processes),
          "Choose one of these with `process`");
    choice.wanted = {static_cast<ProcessNumber>(found - all.begin())};
  }
  if (choice.has_several()) report_processes(choice, diagnostics);
  return choice;
}

std::int64_t rank_of_process(const ProcessChoice& choice, std::size_t position, std::int64_t given,
                             std::int64_t recorded) {
  if (given >= 0 && choice.wanted.size() == 1) return given;
  const std::vector<ProcessNumber> all = processes_with_rows(choice.processes);
  const auto found = std::find(all.begin(), all.end(), choice.wanted[position]);
  const std::int64_t first = std::max<std::int64_t>(given >= 0 ? given : recorded, 0);
  return found == all.end() ? first : first + (found - all.begin());
}

}  // namespace nadi
