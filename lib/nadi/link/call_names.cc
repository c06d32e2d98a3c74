#include "nadi/link/call_names.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace nadi {
namespace {

using Row = std::pair<std::string_view, CallEffect>;

// Names without the API's prefix (cuda, cu, hip, mtia, xpu's ze/ur, CANN's aclrt) and without
// version and per-thread-default-stream suffixes; sorted.
constexpr std::array kEffects = {
    Row{"CommandListHostSynchronize", CallEffect::kSyncStream},
    Row{"CommandQueueSynchronize", CallEffect::kSyncStream},
    Row{"CtxSynchronize", CallEffect::kSyncDevice},
    Row{"DeviceSynchronize", CallEffect::kSyncDevice},
    Row{"EnqueueEventsWaitWithBarrier", CallEffect::kStreamWaitEvent},
    Row{"EventHostSynchronize", CallEffect::kSyncEvent},
    Row{"EventQuery", CallEffect::kQuery},
    Row{"EventRecord", CallEffect::kEventRecord},
    Row{"EventRecordWithFlags", CallEffect::kEventRecord},
    Row{"EventSynchronize", CallEffect::kSyncEvent},
    Row{"EventWait", CallEffect::kSyncEvent},
    Row{"FenceHostSynchronize", CallEffect::kSyncStream},
    Row{"Free", CallEffect::kAllocation},
    Row{"FreeArray", CallEffect::kAllocation},
    Row{"FreeHost", CallEffect::kAllocation},
    Row{"HostAlloc", CallEffect::kAllocation},
    Row{"HostFree", CallEffect::kAllocation},
    Row{"HostMalloc", CallEffect::kAllocation},
    Row{"Malloc", CallEffect::kAllocation},
    Row{"MallocArray", CallEffect::kAllocation},
    Row{"MallocHost", CallEffect::kAllocation},
    Row{"MallocManaged", CallEffect::kAllocation},
    Row{"MallocPitch", CallEffect::kAllocation},
    Row{"MemAlloc", CallEffect::kAllocation},
    Row{"MemAllocHost", CallEffect::kAllocation},
    Row{"MemFree", CallEffect::kAllocation},
    Row{"MemFreeHost", CallEffect::kAllocation},
    Row{"Memcpy", CallEffect::kCopyAndWait},
    Row{"Memcpy2D", CallEffect::kCopyAndWait},
    Row{"Memcpy2DAsync", CallEffect::kCopyMayWait},
    Row{"Memcpy3D", CallEffect::kCopyAndWait},
    Row{"Memcpy3DAsync", CallEffect::kCopyMayWait},
    Row{"MemcpyAsync", CallEffect::kCopyMayWait},
    Row{"MemcpyDtoH", CallEffect::kCopyAndWait},
    Row{"MemcpyDtoHAsync", CallEffect::kCopyMayWait},
    Row{"MemcpyFromSymbol", CallEffect::kCopyAndWait},
    Row{"MemcpyHtoD", CallEffect::kCopyAndWait},
    Row{"MemcpyPeer", CallEffect::kCopyAndWait},
    Row{"MemcpyToSymbol", CallEffect::kCopyAndWait},
    Row{"MemcpyWithStream", CallEffect::kCopyAndWait},
    Row{"QueueFinish", CallEffect::kSyncStream},
    Row{"RecordEvent", CallEffect::kEventRecord},
    Row{"StreamBeginCapture", CallEffect::kBeginCapture},
    Row{"StreamBeginCaptureToGraph", CallEffect::kBeginCapture},
    Row{"StreamEndCapture", CallEffect::kEndCapture},
    Row{"StreamQuery", CallEffect::kQuery},
    Row{"StreamSynchronize", CallEffect::kSyncStream},
    Row{"StreamWaitEvent", CallEffect::kStreamWaitEvent},
    Row{"SynchronizeDevice", CallEffect::kSyncDevice},
    Row{"SynchronizeEvent", CallEffect::kSyncEvent},
    Row{"SynchronizeStream", CallEffect::kSyncStream},
};

constexpr bool is_sorted() {
  for (std::size_t i = 1; i < kEffects.size(); ++i)
    if (!(kEffects[i - 1].first < kEffects[i].first)) return false;
  return true;
}
static_assert(is_sorted());

struct LaunchRow {
  std::string_view begin;
  CallLaunches launches;
};
// Begins of names without the API's prefix: "MemcpyHtoDAsync", "LaunchKernelExC". XPU's calls have
// verbs before them.
constexpr std::array kLaunches = {
    LaunchRow{"CommandListAppendLaunchKernel", CallLaunches::kKernel},
    LaunchRow{"CommandListAppendMemoryCopy", CallLaunches::kMemcpy},
    LaunchRow{"CommandListAppendMemoryFill", CallLaunches::kMemset},
    LaunchRow{"EnqueueKernelLaunch", CallLaunches::kKernel},
    LaunchRow{"EnqueueUSMFill", CallLaunches::kMemset},
    LaunchRow{"EnqueueUSMMemcpy", CallLaunches::kMemcpy},
    LaunchRow{"ExtLaunchKernel", CallLaunches::kKernel},
    LaunchRow{"ExtLaunchMultiKernel", CallLaunches::kKernel},
    LaunchRow{"ExtModuleLaunchKernel", CallLaunches::kKernel},
    LaunchRow{"GraphLaunch", CallLaunches::kGraph},
    LaunchRow{"HccModuleLaunchKernel", CallLaunches::kKernel},
    LaunchRow{"LaunchCooperativeKernel", CallLaunches::kKernel},
    LaunchRow{"LaunchKernel", CallLaunches::kKernel},
    LaunchRow{"Memcpy", CallLaunches::kMemcpy},
    LaunchRow{"Memset", CallLaunches::kMemset},
    LaunchRow{"ModuleLaunchCooperativeKernel", CallLaunches::kKernel},
    LaunchRow{"ModuleLaunchKernel", CallLaunches::kKernel},
};

/// "cudaMalloc" has the prefix "cuda"; "current" has no "cu".
bool has_prefix(std::string_view name, std::string_view prefix) {
  return name.size() > prefix.size() && name.starts_with(prefix) && name[prefix.size()] >= 'A' &&
         name[prefix.size()] <= 'Z';
}

std::string_view without_affixes(std::string_view name) {
  for (std::string_view prefix :
       {"cuda", "cu", "hip", "mtia", "ze", "ur", "zes", "pi", "AscendCL@aclrt"})
    if (has_prefix(name, prefix)) {
      name.remove_prefix(prefix.size());
      break;
    }
  const std::size_t version = name.rfind("_v");  // "_v2", "_v10000"
  if (version != std::string_view::npos && version + 2 < name.size() &&
      name.find_first_not_of("0123456789", version + 2) == std::string_view::npos)
    name = name.substr(0, version);
  for (std::string_view suffix : {"_ptsz", "_ptds", "_spt", "WithTimeout"})
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  return name;
}

/// Of every call what its name says, each name asked once.
template <class Fact>
ByRow<RuntimeCalls, Fact> by_name(const RuntimeCalls& calls, const StringTable& strings,
                                  Fact (*fact_of)(std::string_view name)) {
  std::unordered_map<StringId, Fact> known;
  ByRow<RuntimeCalls, Fact> facts(calls.size());
  for (const CallIndex call : rows_of(calls)) {
    const auto [of_name, is_new] = known.try_emplace(calls.name[call]);
    if (is_new) of_name->second = fact_of(strings[calls.name[call]]);
    facts[call] = of_name->second;
  }
  return facts;
}

}  // namespace

CallEffect call_effect(std::string_view name) {
  const std::string_view key = without_affixes(name);
  const auto found =
      std::lower_bound(kEffects.begin(), kEffects.end(), key,
                       [](const Row& row, std::string_view k) { return row.first < k; });
  return found != kEffects.end() && found->first == key ? found->second : CallEffect::kOther;
}

CallLaunches call_launches(std::string_view name) {
  const std::string_view key = without_affixes(name);
  const auto row = std::find_if(kLaunches.begin(), kLaunches.end(),
                                [&](const LaunchRow& one) { return key.starts_with(one.begin); });
  return row == kLaunches.end() ? CallLaunches::kNothing : row->launches;
}

CallEffects call_effects(const RuntimeCalls& calls, const StringTable& strings) {
  return by_name(calls, strings, call_effect);
}

ByRow<RuntimeCalls, CallLaunches> calls_launch(const RuntimeCalls& calls,
                                               const StringTable& strings) {
  return by_name(calls, strings, call_launches);
}

CallApi call_api(std::string_view name) {
  if (has_prefix(name, "cuda") || has_prefix(name, "cu")) return CallApi::kCuda;
  return has_prefix(name, "hip") ? CallApi::kHip : CallApi::kOther;
}

}  // namespace nadi
