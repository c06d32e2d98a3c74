// The choices of a diff: the rows of which iterations it compares, and what it groups them by.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/events/iteration_choice.h"

namespace nadi {

/// Separates rows as HTA does: a device row has a stream, a host row has none.
enum class DiffDevice : std::uint8_t { kHost, kDevice, kAll };

enum class DiffBy : std::uint8_t {
  kName,
  kShortName,     ///< see short_name_of()
  kCallPath,      ///< calls that enclose a row, from the outermost; a device row's is its launch's
  kStream,        ///< device rows only
  kCollective,    ///< communication only: kind, type, sizes, ranks; kAll compares device rows
  kKernelFamily,  ///< device rows only, see kernel_family_of()
};

struct DiffChoice {
  DiffDevice device = DiffDevice::kAll;
  DiffBy by = DiffBy::kName;
  IterationChoice iterations{IterationChoice::Kind::kFirst, {}};
  bool round_to_micros = false;  ///< see round_to_micros()
  bool compare_inputs = true;    ///< also shapes and types of inputs, see changed_inputs()
  bool grow_calls = false;       ///< also the call tree, whatever rows are grouped by
  /// Keys that hold one of these texts (call paths: one of their names); empty = all keys.
  std::vector<std::string> only = {};
  std::vector<std::string> exclude = {};  ///< such keys are not compared
};

/// "name", "short-name", "call-path", "stream", "collective", "kernel-family".
std::string_view to_string(DiffBy by);
std::optional<DiffBy> diff_by_of(std::string_view text);
/// All there are, in the order of the enumeration.
std::span<const std::string_view> diff_by_names();

/// "host", "device", "all".
std::string_view to_string(DiffDevice device);
std::optional<DiffDevice> diff_device_of(std::string_view text);

}  // namespace nadi
