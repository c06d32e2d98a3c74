// Finds what a pair of traces lacks for a good graph, the profiler setting that gives it, and what
// a conversion warns of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/converters/read_traces.h"
#include "nadi/converters/trace_need.h"
#include "nadi/model/device_trace.h"
#include "nadi/model/host_trace.h"

namespace nadi {

enum class TraceHealth {
  kGood,
  kPartly,   ///< the graph will be good in part, or its edges guessed
  kLacking,  ///< important: the graph cannot be good, or there is none
};
std::string_view to_string(TraceHealth health);  ///< "good", "partly", "lacking"

/// One thing a graph needs of the traces, or a warning of the conversion.
struct DoctorFinding {
  std::string topic;  ///< "record-function ids"; a Finding's name where the conversion warns
  TraceHealth health = TraceHealth::kGood;
  std::string found;   ///< what is there: "990 of 1,000 host ops"
  std::string remedy;  ///< which setting gives it; empty where it is good or nothing does
  TraceNeed need = TraceNeed::kRecording;
  std::string subject = {};  ///< "pid 100" of a trace of several processes
};

/// Looks at the traces as read (by value: matching and linking take them over), and converts them
/// for what that finds; without a host trace the device trace is looked at alone. Diagnostics are
/// the readers', files those read. What does not apply (no collectives: no process groups needed)
/// gives no finding. They stand in the order of kTraceNeeds.
std::vector<DoctorFinding> examine_traces(std::optional<HostTrace> host, DeviceTrace device,
                                          const Diagnostics& diagnostics,
                                          const TraceFiles& files = {});

}  // namespace nadi
