#include "nadi/model/call_names.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "nadi/base/sort_rows.h"

namespace nadi {
namespace {

using EffectRow = std::pair<std::string_view, CallEffect>;

// Names without the API's prefix (cuda, cu, hip, mtia, xpu's ze/ur, CANN's aclrt) and without
// version and per-thread-default-stream suffixes; sorted.
constexpr std::array kEffects = {
    EffectRow{"CommandListHostSynchronize", CallEffect::kSyncStream},
    EffectRow{"CommandQueueSynchronize", CallEffect::kSyncStream},
    EffectRow{"CtxSynchronize", CallEffect::kSyncDevice},
    EffectRow{"DeviceSynchronize", CallEffect::kSyncDevice},
    EffectRow{"EnqueueEventsWaitWithBarrier", CallEffect::kStreamWaitEvent},
    EffectRow{"EventHostSynchronize", CallEffect::kSyncEvent},
    EffectRow{"EventQuery", CallEffect::kQueryEvent},
    EffectRow{"EventRecord", CallEffect::kEventRecord},
    EffectRow{"EventRecordWithFlags", CallEffect::kEventRecord},
    EffectRow{"EventSynchronize", CallEffect::kSyncEvent},
    EffectRow{"EventWait", CallEffect::kSyncEvent},
    EffectRow{"FenceHostSynchronize", CallEffect::kSyncStream},
    EffectRow{"Free", CallEffect::kAllocation},
    EffectRow{"FreeArray", CallEffect::kAllocation},
    EffectRow{"FreeHost", CallEffect::kAllocation},
    EffectRow{"HostAlloc", CallEffect::kAllocation},
    EffectRow{"HostFree", CallEffect::kAllocation},
    EffectRow{"HostMalloc", CallEffect::kAllocation},
    EffectRow{"Malloc", CallEffect::kAllocation},
    EffectRow{"MallocArray", CallEffect::kAllocation},
    EffectRow{"MallocHost", CallEffect::kAllocation},
    EffectRow{"MallocManaged", CallEffect::kAllocation},
    EffectRow{"MallocPitch", CallEffect::kAllocation},
    EffectRow{"MemAlloc", CallEffect::kAllocation},
    EffectRow{"MemAllocHost", CallEffect::kAllocation},
    EffectRow{"MemFree", CallEffect::kAllocation},
    EffectRow{"MemFreeHost", CallEffect::kAllocation},
    EffectRow{"Memcpy", CallEffect::kCopyAndWait},
    EffectRow{"Memcpy2D", CallEffect::kCopyAndWait},
    EffectRow{"Memcpy2DAsync", CallEffect::kCopyMayWait},
    EffectRow{"Memcpy3D", CallEffect::kCopyAndWait},
    EffectRow{"Memcpy3DAsync", CallEffect::kCopyMayWait},
    EffectRow{"MemcpyAsync", CallEffect::kCopyMayWait},
    EffectRow{"MemcpyDtoH", CallEffect::kCopyAndWait},
    EffectRow{"MemcpyDtoHAsync", CallEffect::kCopyMayWait},
    EffectRow{"MemcpyFromSymbol", CallEffect::kCopyAndWait},
    EffectRow{"MemcpyHtoD", CallEffect::kCopyAndWait},
    EffectRow{"MemcpyPeer", CallEffect::kCopyAndWait},
    EffectRow{"MemcpyToSymbol", CallEffect::kCopyAndWait},
    EffectRow{"MemcpyWithStream", CallEffect::kCopyAndWait},
    EffectRow{"QueueFinish", CallEffect::kSyncStream},
    EffectRow{"RecordEvent", CallEffect::kEventRecord},
    EffectRow{"StreamBeginCapture", CallEffect::kBeginCapture},
    EffectRow{"StreamBeginCaptureToGraph", CallEffect::kBeginCapture},
    EffectRow{"StreamEndCapture", CallEffect::kEndCapture},
    EffectRow{"StreamQuery", CallEffect::kQueryStream},
    EffectRow{"StreamSynchronize", CallEffect::kSyncStream},
    EffectRow{"StreamWaitEvent", CallEffect::kStreamWaitEvent},
    EffectRow{"SynchronizeDevice", CallEffect::kSyncDevice},
    EffectRow{"SynchronizeEvent", CallEffect::kSyncEvent},
    EffectRow{"SynchronizeStream", CallEffect::kSyncStream},
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

CallApi call_api(std::string_view name) {
  if (has_prefix(name, "cuda") || has_prefix(name, "cu")) return CallApi::kCuda;
  return has_prefix(name, "hip") ? CallApi::kHip : CallApi::kOther;
}

}  // namespace

CallEffect call_effect(std::string_view name) {
  const std::string_view key = without_affixes(name);
  const auto found =
      std::lower_bound(kEffects.begin(), kEffects.end(), key,
                       [](const EffectRow& row, std::string_view k) { return row.first < k; });
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

std::vector<CallIndex> calls_in_time_order(const RuntimeCalls& calls, const CallEffects& effects,
                                           std::initializer_list<CallEffect> wanted) {
  std::vector<CallIndex> order;
  for (const CallIndex call : rows_of(calls))
    if (std::find(wanted.begin(), wanted.end(), effects[call]) != wanted.end())
      order.push_back(call);
  sort_rows(order, [&](CallIndex a, CallIndex b) {
    return calls.start_ns[a] != calls.start_ns[b] ? calls.start_ns[a] < calls.start_ns[b] : a < b;
  });
  return order;
}

ByRow<RuntimeCalls, CallLaunches> calls_launch(const RuntimeCalls& calls,
                                               const StringTable& strings) {
  return by_name(calls, strings, call_launches);
}

ByRow<RuntimeCalls, CallApi> call_apis(const RuntimeCalls& calls, const StringTable& strings) {
  return by_name(calls, strings, call_api);
}

}  // namespace nadi
