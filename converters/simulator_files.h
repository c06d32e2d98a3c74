// Adds to the graphs of a job what ASTRA-sim needs beside them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "nadi/converters/archive/file_set.h"
#include "nadi/sim_bridge/astra_sim/network_choice.h"
#include "nadi/sim_bridge/astra_sim/network_run.h"
#include "nadi/sim_bridge/astra_sim/write_files.h"

namespace nadi {

/// The network that was chosen for a job of so many ranks, before its collectives are known
/// (choose_network.h). Throws as choose_links.
astra_sim::JobNetwork chosen_network(const astra_sim::NetworkChoice& choice,
                                     astra_sim::NetworkBackend backend, std::int64_t ranks);

struct AddedFile {
  std::string ending;          ///< of PREFIX.<ending>
  std::filesystem::path path;  ///< at which it was written
};

/// Adds the graphs of the network's NPUs that are none of the job's `ranks`.
std::vector<AddedFile> add_idle_npus(const astra_sim::Network& network, std::int64_t ranks,
                                     FileSet& files);

struct SimulatorConfiguration {
  astra_sim::JobNetwork network;
  std::string comm_groups;  ///< text of the group file; empty = there is none
  double peak_tflops = astra_sim::kH100.tflops_of_16_bits;
  bool has_remote_memory = false;
};

/// Adds comm_groups.json, or takes an earlier one away where there is none, system.json,
/// network.yml and memory.json.
std::vector<AddedFile> add_configuration(const SimulatorConfiguration& configuration,
                                         FileSet& files);

}  // namespace nadi
