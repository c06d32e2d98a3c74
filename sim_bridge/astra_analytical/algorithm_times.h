// Computes when the members on one dimension of ASTRA-sim's network are done with one algorithm.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nadi/base/time.h"
#include "nadi/sim_bridge/astra_analytical/collective_steps.h"
#include "nadi/sim_bridge/astra_analytical/dimension_links.h"

namespace nadi::astra_sim {

struct Endpoint {
  Ns delay_ns;  ///< before each message, and at the end
  double memory_gb_per_s;

  Ns reduce(std::int64_t bytes) const;
};

/// Chunks of one size.
struct Chunks {
  std::int64_t bytes;  ///< of each, a remainder's too
  std::int64_t count;
};

/// A collective on one dimension.
struct OneDimension {
  const Algorithm& algorithm;
  Links links;
  Endpoint endpoint;
  Chunks chunks;
};

/// ns until the last member is done, where all issue it at one time and each member runs `slots`
/// chunks at a time; std::nullopt = longer than 30 years, more than 4 million steps to follow, or
/// several chunks at a time among members which do not all do the same.
std::optional<Ns> algorithm_time(const OneDimension& collective, std::int64_t slots);

/// The time at which each member is done, where each issues it at a time of its own and runs one
/// chunk at a time; std::nullopt = longer than 30 years, or more than 100,000 steps to follow.
std::optional<std::vector<Ns>> algorithm_ends(const OneDimension& collective,
                                              std::vector<Ns> starts_ns);

}  // namespace nadi::astra_sim
