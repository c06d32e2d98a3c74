#include "nadi/link/call_names.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace nadi {
namespace {

using Row = std::pair<std::string_view, CallKind>;

// Names without the API's prefix (cuda, cu, hip, mtia, xpu's ze/ur, CANN's aclrt) and without
// version and per-thread-default-stream suffixes; sorted.
constexpr std::array kKinds = {
    Row{"CommandListHostSynchronize", CallKind::kSyncStream},
    Row{"CommandQueueSynchronize", CallKind::kSyncStream},
    Row{"CtxSynchronize", CallKind::kSyncDevice},
    Row{"DeviceSynchronize", CallKind::kSyncDevice},
    Row{"EnqueueEventsWaitWithBarrier", CallKind::kStreamWaitEvent},
    Row{"EventHostSynchronize", CallKind::kSyncEvent},
    Row{"EventQuery", CallKind::kQuery},
    Row{"EventRecord", CallKind::kEventRecord},
    Row{"EventRecordWithFlags", CallKind::kEventRecord},
    Row{"EventSynchronize", CallKind::kSyncEvent},
    Row{"EventWait", CallKind::kSyncEvent},
    Row{"FenceHostSynchronize", CallKind::kSyncStream},
    Row{"Free", CallKind::kAllocation},
    Row{"FreeArray", CallKind::kAllocation},
    Row{"FreeHost", CallKind::kAllocation},
    Row{"HostAlloc", CallKind::kAllocation},
    Row{"HostFree", CallKind::kAllocation},
    Row{"HostMalloc", CallKind::kAllocation},
    Row{"Malloc", CallKind::kAllocation},
    Row{"MallocArray", CallKind::kAllocation},
    Row{"MallocHost", CallKind::kAllocation},
    Row{"MallocManaged", CallKind::kAllocation},
    Row{"MallocPitch", CallKind::kAllocation},
    Row{"MemAlloc", CallKind::kAllocation},
    Row{"MemAllocHost", CallKind::kAllocation},
    Row{"MemFree", CallKind::kAllocation},
    Row{"MemFreeHost", CallKind::kAllocation},
    Row{"Memcpy", CallKind::kCopyAndWait},
    Row{"Memcpy2D", CallKind::kCopyAndWait},
    Row{"Memcpy2DAsync", CallKind::kCopyMayWait},
    Row{"Memcpy3D", CallKind::kCopyAndWait},
    Row{"Memcpy3DAsync", CallKind::kCopyMayWait},
    Row{"MemcpyAsync", CallKind::kCopyMayWait},
    Row{"MemcpyDtoH", CallKind::kCopyAndWait},
    Row{"MemcpyDtoHAsync", CallKind::kCopyMayWait},
    Row{"MemcpyFromSymbol", CallKind::kCopyAndWait},
    Row{"MemcpyHtoD", CallKind::kCopyAndWait},
    Row{"MemcpyPeer", CallKind::kCopyAndWait},
    Row{"MemcpyToSymbol", CallKind::kCopyAndWait},
    Row{"MemcpyWithStream", CallKind::kCopyAndWait},
    Row{"QueueFinish", CallKind::kSyncStream},
    Row{"RecordEvent", CallKind::kEventRecord},
    Row{"StreamBeginCapture", CallKind::kBeginCapture},
    Row{"StreamBeginCaptureToGraph", CallKind::kBeginCapture},
    Row{"StreamEndCapture", CallKind::kEndCapture},
    Row{"StreamQuery", CallKind::kQuery},
    Row{"StreamSynchronize", CallKind::kSyncStream},
    Row{"StreamWaitEvent", CallKind::kStreamWaitEvent},
    Row{"SynchronizeDevice", CallKind::kSyncDevice},
    Row{"SynchronizeEvent", CallKind::kSyncEvent},
    Row{"SynchronizeStream", CallKind::kSyncStream},
};

constexpr bool is_sorted() {
  for (std::size_t i = 1; i < kKinds.size(); ++i)
    if (!(kKinds[i - 1].first < kKinds[i].first)) return false;
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
std::vector<Fact> by_name(const RuntimeCalls& calls, const StringTable& strings,
                          Fact (*fact_of)(std::string_view name)) {
  std::unordered_map<StringId, Fact> known;
  std::vector<Fact> facts(calls.size());
  for (std::size_t call = 0; call < facts.size(); ++call) {
    const auto [of_name, is_new] = known.try_emplace(calls.name[call]);
    if (is_new) of_name->second = fact_of(strings[calls.name[call]]);
    facts[call] = of_name->second;
  }
  return facts;
}

}  // namespace

CallKind call_kind(std::string_view name) {
  const std::string_view key = without_affixes(name);
  const auto place =
      std::lower_bound(kKinds.begin(), kKinds.end(), key,
                       [](const Row& row, std::string_view k) { return row.first < k; });
  return place != kKinds.end() && place->first == key ? place->second : CallKind::kOther;
}

CallLaunches call_launches(std::string_view name) {
  const std::string_view key = without_affixes(name);
  const auto row = std::find_if(kLaunches.begin(), kLaunches.end(),
                                [&](const LaunchRow& one) { return key.starts_with(one.begin); });
  return row == kLaunches.end() ? CallLaunches::kNothing : row->launches;
}

std::vector<CallKind> call_kinds(const RuntimeCalls& calls, const StringTable& strings) {
  return by_name(calls, strings, call_kind);
}

std::vector<CallLaunches> calls_launch(const RuntimeCalls& calls, const StringTable& strings) {
  return by_name(calls, strings, call_launches);
}

CallApi call_api(std::string_view name) {
  if (has_prefix(name, "cuda") || has_prefix(name, "cu")) return CallApi::kCuda;
  return has_prefix(name, "hip") ? CallApi::kHip : CallApi::kOther;
}

}  // namespace nadi
