// Measures what the devices of a rank did in each step, and why they stood idle.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nadi/converters/profile/profile.h"
#include "nadi/sim_bridge/replay/replay_job.h"

namespace nadi {

/// What a device row does.
enum class DeviceWork : std::uint8_t { kComputation, kCommunication, kCopy };

/// Says what a row does: by what is recorded of communication, else by the family of its name
/// (kernel_family.h). The graph must outlive it; each name is looked at once.
class DeviceWorks {
 public:
  explicit DeviceWorks(const Graph& graph) : graph_(graph) {}

  DeviceWork of(std::size_t node);

 private:
  const Graph& graph_;
  std::vector<std::optional<DeviceWork>> by_name_;
};

/// True of a delay that stands for work of the device of which there is no row.
bool is_unrecorded_work(const Graph& graph, std::uint32_t delay);

struct RankTimes {
  std::vector<StepTimes> devices, steps;
  std::vector<IdleShare> idle;
};

/// `graph`: into ReplayJob::graphs. Of chosen steps what all rows do from the first of their rows
/// to the last, while no other step lasts.
RankTimes measure_rank(const ReplayJob& job, std::size_t graph,
                       std::optional<StepRange> steps = {});

}  // namespace nadi
