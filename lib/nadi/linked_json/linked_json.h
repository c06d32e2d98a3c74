// A linked JSON as its reader gives it: both traces of one rank, and what its nodes record of each
// other by id.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/base/evidence.h"
#include "nadi/link/match.h"
#include "nadi/model/clock_correction.h"
#include "nadi/model/device_trace.h"
#include "nadi/model/host_trace.h"

namespace nadi {

/// A node that is waited for.
struct NodeWait {
  std::uint64_t id = 0;  ///< 0 = none
  Inference inferred = Inference::kNone;
  friend auto operator<=>(const NodeWait&, const NodeWait&) = default;
};

/// The node `target` waits for another; either may not exist.
struct LinkedJsonWait {
  NodeWait source;
  std::uint64_t target = 0;
  bool is_hand_off = false;  ///< `inter_thread_dep`; else `sync_dep`
};

/// The call blocked until the device row of the node had ended; nadi's files record it.
struct LinkedJsonBlock {
  CallIndex call;  ///< row of DeviceTrace::calls
  NodeWait row;    ///< no id = nobody knows for what it blocked
};

struct LinkedJson {
  HostTrace host;  ///< all nodes but the device rows
  DeviceTrace
      device;     ///< ops: the timed ones of them; calls: launches, and recorded blocking calls
  OpMatch match;  ///< none = untimed, or a root; where untimed ops stand, as nadi writes it
  ByRow<DeviceRows, std::uint64_t> row_id;      ///< its node's id
  ByRow<DeviceRows, std::uint64_t> row_caller;  ///< id in `ctrl_deps`
  std::vector<LinkedJsonWait> waits;            ///< in file order
  std::vector<LinkedJsonBlock> blocks;
  std::vector<CallIndex> others;  ///< calls outside ops that neither launched nor blocked
  /// What had moved the device's times before nadi wrote them.
  std::vector<ClockCorrection> clocks;
  bool is_by_nadi = false;  ///< a row without a launch was not launched, as far as is known
};

}  // namespace nadi
