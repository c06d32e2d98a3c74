// A linked JSON as its reader gives it: both traces of one rank, and what its nodes say of each
// other by id.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/base/evidence.h"
#include "nadi/model/clock_correction.h"
#include "nadi/model/device_trace.h"
#include "nadi/model/host_trace.h"

namespace nadi {

/// The node `target` waits for the node `source`; either may not exist.
struct LinkedJsonWait {
  std::uint64_t source = 0, target = 0;  ///< node ids
  bool is_hand_off = false;              ///< `inter_thread_dep`; else `sync_dep`
  Inference inferred = Inference::kNone;
};

/// The call blocked until the device row of the node had ended; nadi's files record it.
struct LinkedJsonBlock {
  CallIndex call;            ///< row of DeviceTrace::calls
  std::uint64_t row_id = 0;  ///< node id; 0 = nobody knows for what it blocked
  Inference inferred = Inference::kNone;
};

/// The relations between nodes, by id.
struct LinkedJsonRelations {
  std::vector<std::uint64_t> row_id;      ///< device row -> its node's id
  std::vector<std::uint64_t> row_caller;  ///< device row -> id in `ctrl_deps`
  std::vector<LinkedJsonWait> waits;      ///< in file order
  std::vector<LinkedJsonBlock> blocks;
  bool is_by_nadi = false;  ///< a row without a launch was not launched, as far as is known
};

struct LinkedJson : LinkedJsonRelations {
  HostTrace host;  ///< all nodes but the device rows
  DeviceTrace
      device;  ///< ops: the timed ones of them; calls: launches, and recorded blocking calls
  ByRow<HostOps, ProfilerOpIndex> profiler_of_host;  ///< none = untimed, or a root
  std::vector<Ns> untimed_ns;  ///< row of HostOps -> where an untimed op stands, as nadi
                               ///< writes it; kNoTime = not recorded
  std::vector<ClockCorrection>
      clocks;  ///< what had moved the device's times before nadi wrote them
};

}  // namespace nadi
