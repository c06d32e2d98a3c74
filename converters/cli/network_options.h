// Options that say which network a job is written for.
#pragma once

#include <cstdint>
#include <string>

#include "nadi/converters/cli/options.h"
#include "nadi/sim_bridge/astra_sim/network_choice.h"

namespace nadi::cli {

/// As given; empty = not given.
struct NetworkArguments {
  std::string network;  ///< "fit", a name, or a file
  std::string gb_per_s, latency_ns, topology, dims;
};

/// Whether something was measured to which a network can be fitted.
enum class NetworkFitting : std::uint8_t { kPossible, kImpossible };

void add_network_options(Options& options, NetworkArguments& arguments,
                         NetworkFitting fitting = NetworkFitting::kPossible);

/// Throws Error(kUsage) for lists of other lengths than --dims has, numbers and names that are
/// none, and Error(kInput) where --network names a file that is none.
astra_sim::NetworkChoice network_choice(const NetworkArguments& arguments);

/// Of a verb whose jobs nobody ran. Throws Error(kUsage) for --network fit, too.
astra_sim::NetworkChoice unfitted_network_choice(const NetworkArguments& arguments);

}  // namespace nadi::cli
