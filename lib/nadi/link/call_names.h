// Runtime and driver calls that nadi knows by name, over all backends.
#pragma once

#include <string_view>

namespace nadi {

/// What a call does besides launching (launches are known by their device rows, K13).
enum class CallKind {
  kOther,
  kSyncStream,       ///< cudaStreamSynchronize, …
  kSyncDevice,       ///< cudaDeviceSynchronize, …
  kSyncEvent,        ///< cudaEventSynchronize, …
  kCopyAndWait,      ///< cudaMemcpy, …: returns when its row is done
  kCopyMayWait,      ///< cudaMemcpyAsync, …: waits for a row that goes to pageable memory (K20)
  kAllocation,       ///< cudaMalloc, cudaFree, …: may wait for the device
  kEventRecord,      ///< cudaEventRecord, …
  kStreamWaitEvent,  ///< cudaStreamWaitEvent, …
  kQuery,            ///< cudaEventQuery, cudaStreamQuery: never waits, though it has sync rows
};

/// Kind of a call by its name as Kineto writes it ("cudaMemcpyAsync", "hipStreamSynchronize").
CallKind call_kind(std::string_view name);

}  // namespace nadi
