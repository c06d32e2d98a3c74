// Estimates how long recorded kernels take on another device, by the rooflines of both.
#pragma once

#include <string>
#include <vector>

#include "nadi/base/time.h"
#include "nadi/model/graph.h"
#include "nadi/sim_bridge/astra_sim/devices.h"

namespace nadi::astra_sim {

/// What a job runs on instead of what it was recorded on.
struct OtherDevice {
  std::string name;  ///< of the table, or a stranger's
  Device speed;      ///< its own name is of no account
};

/// How much of the kernels' recorded time an estimate covers; ns.
struct DeviceEstimate {
  Ns kernels_ns = 0;      ///< in all, without communication and copies from or to the host
  Ns from_shapes_ns = 0;  ///< of kernels whose operations and bytes are known from shapes; the
                          ///< others count as bound by memory
};

/// By row, how many times as long a kernel takes on the other device: the larger of operations over
/// peak and bytes over bandwidth there, over the same of the device it was recorded on, with the
/// peak for the elements in which most products are computed (operation_cost.h); the ratio of the
/// bandwidths where no shapes show it. 1 of communication, of copies from or to the host, which
/// neither device's memory bounds, and of host nodes. Adds to `estimate`. Throws Error (kInput)
/// where the graph names no device, or one that is not known.
std::vector<double> factors_on(const OtherDevice& other, const Graph& graph,
                               DeviceEstimate& estimate);

}  // namespace nadi::astra_sim
