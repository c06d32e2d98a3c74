#include "nadi/diff/diff_choice.h"

#include <algorithm>
#include <array>

namespace nadi {
namespace {

constexpr std::array<std::string_view, 6> kBys{"name",   "short-name", "call-path",
                                               "stream", "collective", "kernel-family"};
constexpr std::array<std::string_view, 3> kDevices{"host", "device", "all"};

template <class Enumeration, std::size_t count>
std::optional<Enumeration> value_of(const std::array<std::string_view, count>& names,
                                    std::string_view text) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enumeration>(found - names.begin());
}

}  // namespace

std::string_view to_string(DiffBy by) { return kBys[static_cast<std::size_t>(by)]; }
std::optional<DiffBy> diff_by_of(std::string_view text) { return value_of<DiffBy>(kBys, text); }
std::span<const std::string_view> diff_by_names() { return kBys; }

std::string_view to_string(DiffDevice device) { return kDevices[static_cast<std::size_t>(device)]; }
std::optional<DiffDevice> diff_device_of(std::string_view text) {
  return value_of<DiffDevice>(kDevices, text);
}

}  // namespace nadi
