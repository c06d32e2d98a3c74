// Reads the network and system files of ASTRA-sim's analytical backend.
#pragma once

#include <string>

#include "nadi/sim_bridge/astra_sim/network_run.h"

namespace nadi::cli {

/// The dimensions of a network file. Throws Error(kInput) as read_job_network does, and where a
/// topology is none of those measured.
astra_sim::Network read_network(const std::string& network_file);

/// For the congestion-unaware backend, since files do not say for which one they are. Throws
/// Error(kInput) where a file is neither JSON nor YAML, a list of the network file is missing, or a
/// setting is no number. What nothing was measured with is named in `unmeasured`: a topology of
/// another name, a system file without splits, chunks, delay or memory bandwidth, or with a setting
/// that changes times in other ways.
astra_sim::JobNetwork read_job_network(const std::string& network_file,
                                       const std::string& system_file);

/// `track-local-mem` of a system file; throws as read_job_network does.
bool tracks_local_memory(const std::string& system_file);

/// Whether a memory file has any; throws likewise.
bool has_remote_memory(const std::string& memory_file);

}  // namespace nadi::cli
