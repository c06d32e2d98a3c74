#include "nadi/converters/generate/cost_model.h"

#include <algorithm>
#include <cmath>

#include "et_def.pb.h"

namespace nadi {
namespace {

constexpr double kMostNs = 1e15;  // 11 days, as much as checks believe

/// GB/s are bytes per ns, TFLOPS are 1000 operations per ns.
Ns rounded(double ns) { return static_cast<Ns>(std::llround(std::clamp(ns, 1.0, kMostNs))); }

}  // namespace

Ns compute_ns(const DeviceModel& device, const Work& work) {
  return rounded(
      std::max(work.ops / (device.peak_tflops * 1000), work.bytes / device.memory_gb_per_s));
}

Ns collective_ns(const DeviceModel& device, int comm_type, double bytes, std::int64_t ranks) {
  const auto n = static_cast<double>(ranks);
  const double hops = std::ceil(std::log2(n)), share = bytes * (n - 1) / n;
  const double once = share / device.link_gb_per_s + hops * device.link_latency_ns;
  if (comm_type == ChakraProtoMsg::ALL_REDUCE) return rounded(2 * once);
  if (comm_type == ChakraProtoMsg::ALL_GATHER)
    return rounded(share * n / device.link_gb_per_s + hops * device.link_latency_ns);
  return rounded(once);
}

Ns message_ns(const DeviceModel& device, double bytes) {
  return rounded(bytes / device.link_gb_per_s + device.link_latency_ns);
}

}  // namespace nadi
