// Estimates how long compute and communication take on a machine described by a few numbers.
#pragma once

#include <cstdint>

#include "nadi/base/time.h"
#include "nadi/sim_bridge/astra_sim/devices.h"

namespace nadi {

/// Defaults: one H100 SXM (bfloat16 without sparsity), ASTRA-sim's validated HGX-H100 network.
struct DeviceModel {
  double peak_tflops = astra_sim::kH100.tflops_of_16_bits;
  double memory_gb_per_s = astra_sim::kH100.memory_gb_per_s;
  double link_gb_per_s = 400;  ///< each way, per rank
  double link_latency_ns = 936;
};

/// The work of a compute node.
struct Work {
  double ops = 0;    ///< floating-point operations
  double bytes = 0;  ///< moved between memory and chip
};

/// The roofline: the longer of computing and moving, at least 1 ns. S. Williams, A. Waterman,
/// D. Patterson: Roofline, CACM 52(4), 2009.
Ns compute_ns(const DeviceModel& device, const Work& work);

/// A ring's traffic per rank at full bandwidth, and a latency per doubling of the ranks: all-reduce
/// twice (n-1)/n of the bytes, reduce-scatter and all-to-all once, all-gather (n-1) shards.
/// Simulators compute their own; this is what the graph says without one.
Ns collective_ns(const DeviceModel& device, int comm_type, double bytes, std::int64_t ranks);

Ns message_ns(const DeviceModel& device, double bytes);

}  // namespace nadi
