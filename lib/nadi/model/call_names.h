// Runtime and driver calls that nadi knows by name, over all backends.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "nadi/base/string_table.h"
#include "nadi/model/device_trace.h"

namespace nadi {

/// The effect of a call besides launching (launches are known by their device rows, K13).
enum class CallEffect {
  kOther,
  kSyncStream,       ///< cudaStreamSynchronize, …
  kSyncDevice,       ///< cudaDeviceSynchronize, …
  kSyncEvent,        ///< cudaEventSynchronize, …
  kCopyAndWait,      ///< cudaMemcpy, …: returns when its row is done
  kCopyMayWait,      ///< cudaMemcpyAsync, …: waits for a row that goes to pageable memory (K20)
  kAllocation,       ///< cudaMalloc, cudaFree, …: may wait for the device
  kEventRecord,      ///< cudaEventRecord, …
  kStreamWaitEvent,  ///< cudaStreamWaitEvent, …
  kQueryEvent,       ///< cudaEventQuery: never waits, though it has sync rows; a loop of them does
  kQueryStream,      ///< cudaStreamQuery: never waits; of which stream it asks is not recorded
  kBeginCapture,     ///< cudaStreamBeginCapture: what is launched until kEndCapture does not run
  kEndCapture,
};

/// Returns the effect of a call by its name as Kineto writes it ("cudaMemcpyAsync",
/// "hipStreamSynchronize").
CallEffect call_effect(std::string_view name);
constexpr bool is_query(CallEffect effect) {
  return effect == CallEffect::kQueryEvent || effect == CallEffect::kQueryStream;
}
/// The effect of every call.
using CallEffects = ByRow<RuntimeCalls, CallEffect>;
CallEffects call_effects(const RuntimeCalls& calls, const StringTable& strings);
/// Returns the calls of the given effects by start time; those that start together in file order.
std::vector<CallIndex> calls_in_time_order(const RuntimeCalls& calls, const CallEffects& effects,
                                           std::initializer_list<CallEffect> wanted);

/// Returns what a call of the name launches, never kOther.
CallLaunches call_launches(std::string_view name);
/// Returns what every call launches, by its name.
ByRow<RuntimeCalls, CallLaunches> calls_launch(const RuntimeCalls& calls,
                                               const StringTable& strings);

/// The API of a call, as far as it decides how its streams and clocks behave.
enum class CallApi { kOther, kCuda, kHip };
/// Returns the API of every call, by its name.
ByRow<RuntimeCalls, CallApi> call_apis(const RuntimeCalls& calls, const StringTable& strings);

}  // namespace nadi
