// The fixed parts of calls and device rows in a log.
#pragma once

#include <cstdint>

#include "nadi/base/time.h"

namespace nadi::record {

/// CallStart without its kind and name.
struct CallFacts {
  std::int64_t device, stream, event;
};

/// DeviceRow without its kind, name and correlation.
struct DeviceRowFacts {
  std::int64_t device, stream;
  Ns start_ns, duration_ns;
  std::int64_t bytes;
  bool has_comm;
};

}  // namespace nadi::record
