#include "nadi/converters/cli/device_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/converters/cli/settings_reader.h"
#include "nadi/converters/cli/suggestion.h"

namespace nadi::cli {

namespace {

struct DeviceFigure {
  const char* name;
  double astra_sim::Device::*figure;
  bool is_needed;
};

constexpr DeviceFigure kFigures[] = {
    {"tflops_of_16_bits", &astra_sim::Device::tflops_of_16_bits, true},
    {"tflops_of_32_bits", &astra_sim::Device::tflops_of_32_bits, true},
    {"memory_gb_per_s", &astra_sim::Device::memory_gb_per_s, true},
    {"tflops_of_8_bits", &astra_sim::Device::tflops_of_8_bits, false},
};
constexpr const char* kDeviceRemedy =
    "Write the vendor's figures without sparsity: {\"tflops_of_16_bits\": 989, "
    "\"tflops_of_32_bits\": 494, \"memory_gb_per_s\": 3350}";

astra_sim::Device read_device(const std::string& path) {
  constexpr double kMost = 1e9;
  const SettingsReader file(path, kDeviceRemedy);
  std::vector<std::string> names;
  for (const DeviceFigure& row : kFigures) names.emplace_back(row.name);
  file.require_known(names);
  astra_sim::Device device;
  for (const DeviceFigure& row : kFigures) {
    if (!row.is_needed && !file.has(row.name)) continue;
    double& figure = device.*row.figure;
    figure = file.number(row.name);
    if (!(figure > 0)) file.fail(row.name, "is no number above 0");
    if (figure >= kMost) file.fail(row.name, "is more than any device has");
  }
  return device;
}

std::string in_capitals(std::string_view name) {
  std::string text(name);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

}  // namespace

astra_sim::OtherDevice device_choice(const std::string& text) {
  if (const astra_sim::Device* device = astra_sim::find_device(text)) return {text, *device};
  const std::string upper = in_capitals(text);
  for (const astra_sim::Device& device : astra_sim::devices())
    if (in_capitals(device.name) == upper) return {std::string(device.name), device};
  std::error_code none;
  if (std::filesystem::is_regular_file(text, none))
    return {std::filesystem::path(text).stem().string(), read_device(text)};
  std::vector<std::string> names;
  for (const astra_sim::Device& device : astra_sim::devices()) names.emplace_back(device.name);
  const std::string meant = suggestion(upper, names);
  throw Error(
      ErrorCode::kUsage, "--gpu " + text, "is neither a device that is known nor a file",
      fmt::format("Known are {}{}{}", fmt::join(names, ", "), meant.empty() ? "" : ".", meant));
}

}  // namespace nadi::cli
