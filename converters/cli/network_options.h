// Options that say which network a job is written for.
#pragma once

#include <string>
#include <vector>

#include "nadi/converters/cli/options.h"
#include "nadi/sim_bridge/astra_sim/network_choice.h"

namespace nadi::cli {

/// As given; empty = not given.
struct NetworkArguments {
  std::string network;  ///< "fit", a name, or a file
  std::string gb_per_s, latency_ns, topology, dims;
};

void add_network_options(Options& options, NetworkArguments& arguments);

/// Throws Error(kUsage) for lists of other lengths than --dims has, numbers and names that are
/// none, and Error(kInput) where --network names a file that is none.
astra_sim::NetworkChoice network_choice(const NetworkArguments& arguments);

}  // namespace nadi::cli
