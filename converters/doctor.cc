#include "nadi/converters/doctor.h"

#include <optional>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/converters/device_forms.h"
#include "nadi/converters/process_choice.h"
#include "nadi/converters/profiler_settings.h"
#include "nadi/input/byte_source.h"
#include "nadi/read/host_trace_reader.h"
#include "nadi/read/trace_start.h"

namespace nadi {
namespace {

DoctorFinding several_processes(const ProcessChoice& choice) {
  return {"processes", TraceHealth::kPartly,
          std::to_string(choice.processes.all.size()) + " in one file: pids " +
              pids_text(choice.processes) + ", each a graph of its own",
          "write one file for each rank"};
}

/// Of each process that is wanted.
std::vector<DoctorFinding> examine_processes(const ProcessChoice& choice,
                                             const std::optional<HostTrace>& host,
                                             const DeviceTrace& device,
                                             const Diagnostics& diagnostics,
                                             const TraceFiles& files) {
  std::vector<DoctorFinding> findings{several_processes(choice)};
  for (std::size_t position = 0; position < choice.wanted.size(); ++position) {
    DeviceTrace of_process = device;
    keep_process(choice.processes, choice.wanted[position], of_process);
    for (DoctorFinding& finding : examine_traces(host, std::move(of_process), diagnostics, files)) {
      finding.subject = "pid " + choice.pid(position);
      findings.push_back(std::move(finding));
    }
  }
  return findings;
}

}  // namespace

DoctorReport doctor_report(const DoctorOptions& options) {
  Diagnostics diagnostics;
  std::optional<HostTrace> host;
  try {
    if (!options.host.empty()) {
      ByteSource source = ByteSource::open(options.host);
      host = read_host_trace(source, diagnostics);
    }
    const auto open = [](const std::string& name) { return ByteSource::open(name); };
    DeviceTrace device = read_device_forms(options.device, options.other_form, open, diagnostics);
    const TraceFiles files{options.host, options.device};
    const ProcessChoice choice =
        choose_processes(device, host, options.device, options.process, diagnostics);
    DoctorReport report{{}, recording_set_up(device)};
    report.findings = choice.has_several()
                          ? examine_processes(choice, host, device, diagnostics, files)
                          : examine_traces(std::move(host), std::move(device), diagnostics, files);
    return report;
  } catch (const Error&) {
    refuse_swapped(options.host, options.device);
    throw;
  }
}

std::vector<DoctorFinding> doctor(const DoctorOptions& options) {
  return doctor_report(options).findings;
}

}  // namespace nadi
