// Finds which copies between host and device move tensors that are kept in the host's memory.
#pragma once

#include <cstdint>

#include "nadi/base/diagnostics.h"
#include "nadi/base/index.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// The copies between host and device that become memory nodes.
enum class MemoryNodes : std::uint8_t {
  kNone,
  kOffload,  ///< those that take a tensor out of the device's memory, and bring it back
  kHost,     ///< all
};

/// What a device row moves, seen from the device.
enum class MemoryAccess : std::uint8_t { kNone, kLoad, kStore };

/// Returns the access of each device row that becomes a memory node; empty with kNone. With
/// kOffload a store and a load move one tensor where their device and bytes are the same, the
/// host's memory is not pageable, and the load starts after the store has ended; each load takes
/// the latest store that has none. Copies without recorded bytes or times are none. Reports the
/// copies that are taken and those that are left. O(n log n).
ByRow<DeviceRows, MemoryAccess> find_memory_copies(const LinkedTrace& linked, MemoryNodes wanted,
                                                   Diagnostics& diagnostics);

}  // namespace nadi
