// Resolves what a user asks into a pattern that can be generated.
#pragma once

#include "nadi/converters/generate/generate.h"

namespace nadi {

struct ResolvedPattern {
  StepPattern pattern;
  ParallelDegrees degrees;
};

/// Names of the patterns.
std::span<const char* const> pattern_kinds();

/// Fills in what was not given. Throws Error (kUsage) that names the option where a number is out
/// of range, ranks cannot be divided as wanted, or nodes would be too many or too large.
ResolvedPattern resolve_pattern(const GenerateOptions& options);

/// Throws Error (kUsage) that names the number that no machine has.
void require_device(const DeviceModel& device);

}  // namespace nadi
