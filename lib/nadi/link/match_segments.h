// Segments between annotated ops, as --annotation cuts both traces.
#pragma once

#include <string>
#include <vector>

#include "nadi/link/match_locate.h"
#include "nadi/link/match_names.h"

namespace nadi {

/// Ends of the profiler's ops whose name contains the annotation, ascending: where segments end.
/// Throws Error(kInput) where there is no such op.
std::vector<Ns> segment_ends(const DeviceTrace& device, const std::string& annotation);

/// Leaves of the host ops those of the first segment that begins and ends with an annotated op (all
/// ops where there are fewer than two such ops); what an annotated op encloses is before the cut.
void trim_to_segment(const HostTrace& host, const std::string& annotation,
                     std::vector<NameSequence>& sequences);

/// Thread iterations as locate() gives them, each within one segment: alignments of at least half
/// of the host ops. Segments with fewer ops than that are not looked at, so the time stays
/// near-linear however many there are.
std::vector<ThreadIteration> locate_in_segments(const NameSequence& host,
                                                const NameSequence& profiler,
                                                const DeviceTrace& device,
                                                const std::vector<Ns>& ends, AlignBudget& budget);

}  // namespace nadi
