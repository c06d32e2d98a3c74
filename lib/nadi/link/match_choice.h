// Picks the method that matches host ops with profiler ops.
#pragma once

#include <string>

#include "nadi/base/diagnostics.h"
#include "nadi/link/fit_traces.h"
#include "nadi/link/match.h"

namespace nadi {

struct MatchOptions {
  MatchMethod method = MatchMethod::kAuto;
  // For matches by order and by tree; with one of them kAuto takes no record-function ids:
  IterationPick iteration_pick{};
  std::string annotation{};  ///< by order only: ops of this name end the iterations; empty = none
  bool repeats_all = false;  ///< link every iteration, with a copy of the host ops each
};

/// Matches the ops, and plans what is linked: by order and by tree the iterations located, or one
/// of them; of traces of different windows, matched by record-function id or by order, what both
/// recorded (common_window.h); else all. kAuto takes record-function ids where these fit, else the
/// order, else the trees. Throws Error(kInput) where too few ops fit, with what was tried;
/// Error(kUsage) for options that the method has no use for. Hostile traces cost no more than long
/// ones: time is near-linear in the ops, with at most 256 pairs of threads looked at and a budget
/// of alignment tables; memory is linear in the ops. A host trace without ops, ids of which none
/// fit, and traces of different processes ("another-process") are rows of the diagnostics table.
MatchPlan match_ops(const HostTrace& host, const DeviceTrace& device, const MatchOptions& options,
                    Diagnostics& diagnostics);

/// Options given where there is no host trace become a row of the diagnostics table,
/// `match-options-unused`.
void report_unused(const MatchOptions& options, Diagnostics& diagnostics);

}  // namespace nadi
