// What is decided of calls while the waits of streams are inferred, and what goes by it later.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "nadi/link/stream_calls.h"

namespace nadi {

struct CallDecisions {
  /// StreamCall::stream_before; behind a wait at which the thread went to another stream, that one.
  ByRow<StreamCall, LaneIndex> stream_before;
  /// FSDP's waits for what it gathers ahead, and the use of each; none = it is not used.
  std::unordered_map<StreamCallIndex, StreamCallIndex> prefetches;
  /// The current stream's waits for what a prefetch brought.
  std::unordered_set<StreamCallIndex> uses;
};

}  // namespace nadi
