// How fast devices compute and move memory, by the names that traces have for them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "nadi/base/diagnostics.h"
#include "nadi/base/time.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// What one device can do, as its vendor gives it: matrix products without sparsity, 10^12
/// operations per second, a multiply-add counting two; memory in 10^9 bytes per second.
struct Device {
  std::string_view name;  ///< words, all of which are in the names that traces have for it
  double tflops_of_8_bits = 0, tflops_of_16_bits = 0;  ///< elements; 0 of 8 bits = as of 16
  double tflops_of_32_bits = 0;  ///< TF32 where the device has it, else float32
  double memory_gb_per_s = 0;
  std::string_view source;

  /// For elements of so many bytes, of more than 4 as of 4; 0 = unknown: as of 2, in which most
  /// models are trained.
  double peak_tflops(std::int64_t element_bytes) const;
};

/// H100 SXM: for traces that name no device, and for jobs nobody recorded.
inline constexpr Device kH100{"H100", 1979, 989, 494, 3350, "NVIDIA H100 data sheet, SXM"};

/// All that are known.
std::span<const Device> devices();

/// Returns the device of that name ("NVIDIA A100-SXM4-80GB"); nullptr = nobody knows it, as
/// laptops' variants and parts of a device.
const Device* find_device(std::string_view name);

/// What a system file says of the device of all ranks.
struct DeviceSpeed {
  double peak_tflops = kH100.tflops_of_16_bits;    ///< `peak-perf`
  double memory_gb_per_s = kH100.memory_gb_per_s;  ///< `local-mem-bw`
};

/// Returns the speed of the device that the job was recorded on, with the peak of the elements in
/// which the first recorded rank computes most of its products. Devices nobody knows are reported
/// and do not count; without others it is an H100. Of several the one with the slowest memory
/// counts, and is reported: ranks that communicate wait for it. Reads the first recorded graph.
DeviceSpeed speed_of_device(const Job& job, Diagnostics& diagnostics);

/// The bytes that memory moves in the time, at least 1.
std::int64_t bytes_moved_in(Ns time, double memory_gb_per_s);
/// The operations that a device does in the time, at least 1.
std::int64_t operations_done_in(Ns time, double peak_tflops);

}  // namespace nadi::astra_sim
