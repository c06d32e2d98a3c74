// The recorded graphs of a job as scales make them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/astra_sim/other_device.h"
#include "nadi/sim_bridge/job/recorded_graphs.h"
#include "nadi/sim_bridge/replay/scale_graphs.h"

namespace nadi {

/// What a job is changed to.
struct WhatIf {
  std::vector<Scale> scales;
  std::optional<astra_sim::OtherDevice> gpu;  ///< its kernels take the times estimated for this

  bool is_given() const { return !scales.empty() || gpu.has_value(); }
};

/// What came of it.
struct ChangedRun : ScaledRun {
  std::string gpu;  ///< empty = as recorded
  astra_sim::DeviceEstimate estimate;

  bool is_given() const { return !scales.empty() || !gpu.empty(); }
  /// As what_if_of gives it of the graphs.
  std::vector<std::string> changes() const;
};

/// Reads all graphs, holds them, and gives them and their messages, where they have such, with the
/// times of scale_graphs. Their metadata names another device. Throws what that, factors_on and
/// reading them throw.
RecordedGraphs scale_recorded(const RecordedGraphs& recorded, const WhatIf& what_if,
                              ChangedRun& run, Diagnostics& diagnostics);

}  // namespace nadi
