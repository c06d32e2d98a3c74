#include "nadi/sim_bridge/astra_sim/other_device.h"

#include <algorithm>
#include <string_view>

#include "nadi/base/error.h"
#include "nadi/sim_bridge/astra_sim/operations.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {
namespace {

/// By the names that CUPTI and roctracer give them.
bool is_copy_of_host(std::string_view name) {
  for (const char* part : {"HtoD", "DtoH", "HostToDevice", "DeviceToHost"})
    if (name.find(part) != name.npos) return true;
  return false;
}

const Device& recorded_device(const Graph& graph) {
  if (const Device* device = find_device(graph.device_name)) return *device;
  const bool is_named = !graph.device_name.empty();
  throw Error(ErrorCode::kInput, graph.name,
              is_named ? "was recorded on a device that nobody knows: " + graph.device_name
                       : "does not tell the device that it was recorded on",
              "Scale its kernels by a factor of your own (`scale` kernels=F)");
}

double roofline(std::int64_t operations, std::int64_t bytes, const Device& device,
                std::int64_t element_bytes) {
  constexpr double kOperations = 1e12, kBytes = 1e9;  // per second, of a unit
  return std::max(
      static_cast<double>(operations) / (device.peak_tflops(element_bytes) * kOperations),
      static_cast<double>(bytes) / (device.memory_gb_per_s * kBytes));
}

}  // namespace

std::vector<double> factors_on(const OtherDevice& other, const Graph& graph,
                               DeviceEstimate& estimate) {
  const Device& recorded = recorded_device(graph);
  const std::int64_t element_bytes = element_bytes_of_products(graph);
  JobRank rank;
  rank.add_recorded(graph);
  Diagnostics ignored;  // of the roofline mode
  add_operations(graph, rank, {recorded.peak_tflops(element_bytes), recorded.memory_gb_per_s},
                 ignored);
  std::vector<double> factors(graph.size(), 1);
  for (std::uint32_t row = 0; row < graph.size(); ++row) {
    if (graph.kind[row] != NodeKind::kDeviceRow || graph.communicates(row)) continue;
    if (is_copy_of_host(graph.name_of(row)) || graph.duration_ns[row] <= 0) continue;
    const std::int64_t operations = rank.num_ops[row], bytes = rank.tensor_size[row];
    const bool is_from_time = operations == 1 && bytes == bytes_moved_in(graph.duration_ns[row],
                                                                         recorded.memory_gb_per_s);
    factors[row] = roofline(operations, bytes, other.speed, element_bytes) /
                   roofline(operations, bytes, recorded, element_bytes);
    estimate.kernels_ns += graph.duration_ns[row];
    if (!is_from_time) estimate.from_shapes_ns += graph.duration_ns[row];
  }
  return factors;
}

}  // namespace nadi::astra_sim
