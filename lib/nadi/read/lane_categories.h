// Finds the category of events that have none by the names of their process and thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nadi {

/// What the names say of a complete event that has no category.
struct LaneCategory {
  std::string_view category;        ///< as Kineto names it
  bool is_device = false;           ///< a row of a stream
  bool holds_layer_in_pid = false;  ///< pid = process << 10 | layer << 5 | device
};

/// Names of other profilers' rows, of which those of JAX and torch_npu are read. An empty thread
/// name is one that is not known; `has_correlation`: the event's args say what it belongs to.
/// Nothing where no name has a category.
std::optional<LaneCategory> lane_category(std::string_view process, std::string_view thread,
                                          std::string_view event, bool has_correlation);
/// True where some process of that name has rows of several categories, by thread.
bool has_named_threads(std::string_view process);

}  // namespace nadi
