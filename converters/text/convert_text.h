// Converts a text workload into the Chakra graphs of all ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/astra_sim/network_choice.h"
#include "nadi/sim_bridge/astra_sim/network_run.h"

namespace nadi {

struct TextOptions {
  std::string input;                 ///< the layer file; "-" is standard input
  std::string output;                ///< becomes OUTPUT.<rank>.et
  std::int64_t npus = 0;             ///< ranks: 1 to kMostSyntheticRanks (synthetic_graphs.h)
  std::int64_t passes = 1;           ///< forward and backward over all layers; 1 or more
  astra_sim::NetworkChoice network;  ///< is_fitted is of no account
  astra_sim::NetworkBackend backend = astra_sim::NetworkBackend::kUnaware;
  std::function<void(std::int64_t ranks_done)> on_rank;  ///< may be empty
};

struct TextReport {
  std::uint64_t nodes = 0;        ///< of each rank
  astra_sim::JobNetwork network;  ///< of two ranks or more
  std::string command;            ///< runs them in ASTRA-sim; empty for one rank
  Diagnostics diagnostics;
};

/// Writes all files or none: the graphs; for two ranks or more also OUTPUT.comm_groups.json,
/// .system.json, .network.yml and .memory.json, with which ASTRA-sim runs them. Holds the layers
/// and a few MB. Throws Error: kUsage for numbers that cannot be or a network of other than `npus`
/// ranks, kInput for a layer file that is none or says nothing to do.
TextReport convert_text(const TextOptions& options);

}  // namespace nadi
