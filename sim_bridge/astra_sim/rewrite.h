// Rewrites a job's graphs so that ASTRA-sim runs them as they are.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/base/time.h"
#include "nadi/sim_bridge/astra_analytical/network_model.h"
#include "nadi/sim_bridge/astra_sim/devices.h"
#include "nadi/sim_bridge/astra_sim/proxy_ranks.h"
#include "nadi/sim_bridge/job/job.h"
#include "nadi/sim_bridge/job/visit_ranks.h"

namespace nadi::astra_sim {

/// The treatment of collectives that ASTRA-sim does not simulate.
enum class Unsupported : std::uint8_t {
  kMap,     ///< the nearest one it simulates
  kReplay,  ///< a compute node with the measured duration
  kError,   ///< an error that names the first
};

/// The time that communication takes in the simulator.
enum class Communication : std::uint8_t {
  kAuto,     ///< kReplay of a job whose ranks do not communicate, which no network could change
  kNetwork,  ///< what its network makes of types, groups and bytes
  kReplay,   ///< the measured one
};
std::string_view to_string(Communication communication);  ///< "auto", "network", "replay"

struct RewriteOptions {
  Communication communication = Communication::kAuto;
  Unsupported unsupported = Unsupported::kMap;
  bool drops_lonely_messages = false;  ///< sends and receives whose other end has no node
  NetworkBackend backend = NetworkBackend::kUnaware;  ///< the program that the files are for
  std::int64_t dataset_splits = 2;  ///< `preferred-dataset-splits` of the system file
  DeviceSpeed device;               ///< of the system file
};

struct RewrittenJob {
  Communication communication = Communication::kNetwork;  ///< as it was chosen
  Ns recorded_span_ns = 0;         ///< from the first rank's begin to the last node's end, on the
                                   ///< job's clock; 0 = not all graphs say when nodes started
  std::vector<ProxyRank> proxies;  ///< behind the job's ranks, with Communication::kReplay
  std::size_t side_ranks = 0;      ///< behind these; take got them
};

/// Calls take for each rank, rewritten, in order; with Communication::kReplay behind each for those
/// of what runs beside it (one_slot_ranks.h), whose numbers come behind those of the proxies.
/// Rules: facts of sim_bridge/astra_sim/README.md, in the order of the recipe there. Each step
/// counts what it did in diagnostics. Throws Error(kInput) that names file and rank where ranks do
/// not communicate alike or would wait for each other in a cycle, before the first is taken.
RewrittenJob rewrite(Job& job, const RewriteOptions& options, Diagnostics& diagnostics,
                     const TakeRank& take);

}  // namespace nadi::astra_sim
