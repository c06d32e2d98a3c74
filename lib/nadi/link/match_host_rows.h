// The host trace made to fit the iterations it is linked to: trimmed to one, or repeated for many.
#pragma once

#include <string_view>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/link/match_iterations.h"

namespace nadi {

/// Reports the ops that are in none of the sequences, roots excepted.
void report_trimmed(DiagnosticKind kind, const HostTrace& host,
                    const std::vector<NameSequence>& sequences, Diagnostics& diagnostics);

/// Leaves of the host trace the roots and the ops of the sequences, whose rows become the new ones.
/// Returns the new row of each old one; kNoIndex = it was left out.
std::vector<std::uint32_t> trim_host(std::vector<NameSequence>& kept, HostTrace& host);

/// Copies every op once for each iteration after the first, with ids of its own; fills ops with the
/// pairs of all. Autograd sequence numbers become the profiler's, which tell iterations apart; a
/// copy has no record-function id. Throws Error(kInput) where ids are too large to be counted on.
/// Every iteration has ops of its own in the device trace, so there are never more copies than a
/// few times the ops of that.
void repeat_host(const SequenceMatch& match, const DeviceTrace& device, HostTrace& host,
                 OpMatch& ops);

}  // namespace nadi
