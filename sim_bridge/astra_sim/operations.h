// Operations and bytes of device nodes, for the roofline mode.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/astra_sim/devices.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// What memory moves in the node's duration, so that the roofline mode gives that time.
void set_cost_by_time(JobNodes& nodes, std::uint32_t node, double memory_gb_per_s);

/// num_ops and tensor_size of device compute nodes (operation_cost.h), neither more than the device
/// does in the node's duration: the roofline mode gives no longer time than was measured.
void add_operations(const Graph& graph, JobRank& rank, const DeviceSpeed& device,
                    Diagnostics& diagnostics);

/// The same of nodes whose durations have become shares of the time.
void cap_costs(JobNodes& nodes, const DeviceSpeed& device);

/// Bytes of an element in the products that make most of the device's operations; 0 = no shapes are
/// recorded, or there are no products.
std::int64_t element_bytes_of_products(const Graph& graph);

}  // namespace nadi::astra_sim
