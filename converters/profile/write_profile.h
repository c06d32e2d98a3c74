// Writes a profile as JSON, or as one CSV table.
#pragma once

#include <string>

#include "nadi/converters/profile/profile.h"
#include "nadi/emit/atomic_file.h"

namespace nadi {

/// An object with the members ranks, clock, devices, steps, idle, collectives, waiting, path_ns,
/// path, path_steps, kernels, families, ops, call_paths, findings and diagnostics: lists of
/// objects, whose keys are named as the members of the structs here and in hot_spots.h. Times are
/// ns; null is what is not known.
std::string profile_json(const Profile& profile, const Roofline& roofline = {});

/// One row per number: table ("device", "step", "idle", "collective", "waiting", "path",
/// "path_step", "kernel", "family", "op"), id in it, rank, device, step, name, measure, value.
/// Cells that do not apply are empty, and what is not known has no row; times are ns, counts plain
/// numbers.
void write_profile_csv(const Profile& profile, const ByteSink& sink);

}  // namespace nadi
