// Adds to the graphs of a job what ASTRA-sim needs beside them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "nadi/converters/archive/file_set.h"
#include "nadi/sim_bridge/astra_sim/network_run.h"
#include "nadi/sim_bridge/astra_sim/write_files.h"

namespace nadi {

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
  double peak_tflops = astra_sim::kPeakTflops;
  bool has_remote_memory = false;
};

/// Adds comm_groups.json where there is one, system.json, network.yml and memory.json.
std::vector<AddedFile> add_configuration(const SimulatorConfiguration& configuration,
                                         FileSet& files);

}  // namespace nadi
