#include "nadi/sim_bridge/astra_sim/devices.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <utility>

#include "nadi/sim_bridge/astra_sim/operations.h"

namespace nadi::astra_sim {
namespace {

// The first row of which a name has all words. Vendors give some figures with sparsity, which are
// halved here, and those of boards of eight, which are divided.
constexpr Device kDevices[] = {
    {"B300", 4500, 2250, 1125, 8000, "NVIDIA HGX B300 data sheet"},
    {"GB300", 5000, 2500, 1250, 8000, "NVIDIA GB300 NVL72 data sheet"},
    {"B200", 4500, 2250, 1125, 8000, "NVIDIA DGX B200 data sheet"},
    {"GB200", 5000, 2500, 1250, 8000, "NVIDIA GB200 NVL72 data sheet"},
    {"GH200", 1979, 989, 494, 4000, "NVIDIA GH200 data sheet, 96 GB of HBM3"},
    {"H200 NVL", 1671, 836, 418, 4800, "NVIDIA H200 data sheet"},
    {"H200", 1979, 989, 494, 4800, "NVIDIA H200 data sheet"},
    {"H100 PCIe", 1513, 756, 378, 2000, "NVIDIA H100 data sheet, PCIe"},
    {"H100 NVL", 1671, 836, 418, 3900, "NVIDIA H100 data sheet, NVL"},
    kH100,
    {"A100 80GB PCIe", 624, 312, 156, 1935, "NVIDIA A100 data sheet; 8 bits: int8"},
    {"A100 80GB", 624, 312, 156, 2039, "NVIDIA A100 data sheet; 8 bits: int8"},
    {"A100", 624, 312, 156, 1555, "NVIDIA A100 data sheet, 40 GB; 8 bits: int8"},
    {"A40", 299, 150, 75, 696, "NVIDIA A40 data sheet; 8 bits: int8"},
    {"A10", 250, 125, 62.5, 600, "NVIDIA A10 data sheet; 8 bits: int8"},
    {"RTX A6000", 310, 155, 77, 768, "NVIDIA RTX A6000 data sheet; 8 bits: int8"},
    {"L40S", 733, 362, 183, 864, "NVIDIA L40S data sheet"},
    {"L40", 362, 181, 90.5, 864, "NVIDIA L40 data sheet"},
    {"L4", 242, 121, 60, 300, "NVIDIA L4 data sheet"},
    {"V100S PCIE", 0, 130, 16.4, 1134, "NVIDIA V100 data sheet"},
    {"V100 PCIE", 0, 112, 14, 900, "NVIDIA V100 data sheet"},
    {"V100", 0, 125, 15.7, 900, "NVIDIA V100 data sheet, SXM2"},
    {"T4", 130, 65, 8.1, 320, "NVIDIA T4 data sheet; 8 bits: int8"},
    {"P100 PCIE", 0, 18.7, 9.3, 732, "NVIDIA P100 data sheet, 16 GB"},
    {"P100", 0, 21.2, 10.6, 732, "NVIDIA P100 data sheet, SXM2"},
    {"RTX 5090", 419, 209.5, 104.8, 1792, "NVIDIA RTX Blackwell whitepaper, sums in float32"},
    {"RTX 4090", 330.3, 165.2, 82.6, 1008, "NVIDIA Ada whitepaper, sums in float32"},
    {"RTX 3090", 284, 71, 35.6, 936, "NVIDIA GA102 whitepaper, sums in float32; 8 bits: int8"},
    {"RTX 2080 Ti", 215.2, 53.8, 13.4, 616,
     "NVIDIA Turing whitepaper, sums in float32; 8 bits: int8"},
    {"MI355X", 5033, 2516, 157, 8000, "AMD MI355X data sheet"},
    {"MI350X", 4614, 2307, 144, 8000, "AMD MI350X data sheet"},
    {"MI325X", 2615, 1307, 163.4, 6000, "AMD MI325X data sheet"},
    {"MI300X", 2615, 1307, 163.4, 5300, "AMD MI300X data sheet"},
    {"MI300A", 1961, 981, 122.6, 5300, "AMD MI300A data sheet"},
    {"MI250X", 0, 191.5, 47.9, 1638, "AMD MI250X data sheet, of one die, which is a device"},
    {"MI250", 0, 181, 45.3, 1638, "AMD MI250 data sheet, of one die, which is a device"},
    {"MI210", 0, 181, 45.3, 1638, "AMD MI210 data sheet"},
    {"MI100", 0, 184.6, 46.1, 1229, "AMD MI100 data sheet"},
};

// A name that has one of these words is no name of a row that lacks it: the device is another one,
// or a part of one.
constexpr std::string_view kVariants[] = {"D", "Laptop", "MIG", "Max", "SUPER", "Ti"};

std::set<std::string_view> words_of(std::string_view name) {
  const auto is_in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  std::set<std::string_view> words;
  for (auto at = name.begin(); at != name.end();) {
    const auto first = std::find_if(at, name.end(), is_in_word);
    at = std::find_if_not(first, name.end(), is_in_word);
    if (first != at) words.emplace(first, at);
  }
  return words;
}

bool is_name_of(const std::set<std::string_view>& words, const Device& device) {
  const auto own = words_of(device.name);
  return std::includes(words.begin(), words.end(), own.begin(), own.end()) &&
         std::none_of(std::begin(kVariants), std::end(kVariants), [&](std::string_view variant) {
           return words.contains(variant) && !own.contains(variant);
         });
}

std::int64_t times_ns(Ns time, double per_ns) {
  constexpr double kMost = 9e18;
  return static_cast<std::int64_t>(std::clamp(static_cast<double>(time) * per_ns, 1.0, kMost));
}

}  // namespace

double Device::peak_tflops(std::int64_t element_bytes) const {
  if (element_bytes > 2) return tflops_of_32_bits;
  return element_bytes == 1 && tflops_of_8_bits > 0 ? tflops_of_8_bits : tflops_of_16_bits;
}

std::span<const Device> devices() { return kDevices; }

const Device* find_device(std::string_view name) {
  const auto words = words_of(name);
  const auto* row = std::find_if(std::begin(kDevices), std::end(kDevices),
                                 [&](const Device& device) { return is_name_of(words, device); });
  return row == std::end(kDevices) ? nullptr : row;
}

DeviceSpeed speed_of_device(const Job& job, Diagnostics& diagnostics) {
  std::set<std::pair<double, const Device*>> devices;  // by their memory
  for (std::size_t i = 0; i < job.graphs.size(); ++i) {
    const Graph& graph = job.graphs[i];
    if (const Device* device = find_device(graph.device_name))
      devices.emplace(device->memory_gb_per_s, device);
    else
      diagnostics.report(Finding::kDeviceUnknown,
                         "rank " + std::to_string(graph.rank.value_or(std::int64_t(i))) + ": " +
                             (graph.device_name.empty() ? "no name" : graph.device_name));
  }
  std::string names;
  for (const auto& [speed, device] : devices)
    names += (names.empty() ? "" : ", ") + std::string(device->name);
  if (devices.size() > 1) diagnostics.report(Finding::kDevicesDiffer, names, devices.size());
  const Device& slowest = devices.empty() ? kH100 : *devices.begin()->second;
  std::int64_t element_bytes = 0;
  if (job.recorded.size() > 0)
    job.recorded.visit(
        0, [&](const Graph& graph) { element_bytes = element_bytes_of_products(graph); });
  return {slowest.peak_tflops(element_bytes), slowest.memory_gb_per_s};
}

std::int64_t bytes_moved_in(Ns time, double memory_gb_per_s) {
  return times_ns(time, memory_gb_per_s);
}

std::int64_t operations_done_in(Ns time, double peak_tflops) {
  return times_ns(time, peak_tflops * 1000);
}

}  // namespace nadi::astra_sim
