// The device of --gpu: of the table, or of a file with its figures.
#pragma once

#include <string>

#include "nadi/sim_bridge/astra_sim/other_device.h"

namespace nadi::cli {

/// `text`: a name of the table, or the path of a JSON or YAML file with tflops_of_16_bits,
/// tflops_of_32_bits and memory_gb_per_s, and tflops_of_8_bits if it likes. Throws Error(kUsage)
/// where it is neither, and Error(kInput) for a file with another setting, without one of the three
/// or with one that is no number above 0.
astra_sim::OtherDevice device_choice(const std::string& text);

}  // namespace nadi::cli
