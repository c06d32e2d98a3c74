// Classifies the events of a device trace by their category, old and new names.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "nadi/model/device_trace.h"

namespace nadi {

enum class EventCategory : std::uint8_t {
  kOp,
  kAnnotation,
  kCall,
  kKernel,
  kMemcpy,
  kMemset,
  kOtherDevice,
  kHostNode,
  kGraphEventRecord,
  kSync,
  kEventRecord,
  kLaunchFlow,
  kForwardBackwardFlow,
  kPythonFunction,  ///< an annotation where it is the call of a module, else of no use here
  kIgnored,         ///< known, and of no use here
  kUnknown,
};

struct Category {
  std::string_view name;
  EventCategory kind;
};

/// Frequent names first: the table is searched from the top. Names: libkineto's ActivityType.cpp
/// (pytorch/kineto), the first releases of torch.profiler (`Operator`, `Runtime`, …) and torch_npu.
inline constexpr std::array kCategories = {
    Category{"cpu_op", EventCategory::kOp},
    Category{"ac2g", EventCategory::kLaunchFlow},
    Category{"cuda_runtime", EventCategory::kCall},
    Category{"kernel", EventCategory::kKernel},
    Category{"python_function", EventCategory::kPythonFunction},
    Category{"fwdbwd", EventCategory::kForwardBackwardFlow},
    Category{"user_annotation", EventCategory::kAnnotation},
    Category{"gpu_memcpy", EventCategory::kMemcpy},
    Category{"gpu_memset", EventCategory::kMemset},
    Category{"gpu_user_annotation", EventCategory::kIgnored},
    Category{"cuda_driver", EventCategory::kCall},
    Category{"cuda_sync", EventCategory::kSync},
    Category{"cuda_event", EventCategory::kEventRecord},
    Category{"async_cpu_to_gpu", EventCategory::kLaunchFlow},
    Category{"async_gpu", EventCategory::kLaunchFlow},
    Category{"async", EventCategory::kLaunchFlow},
    Category{"mtia_runtime", EventCategory::kCall},
    Category{"mtia_ccp_events", EventCategory::kKernel},
    Category{"mtia_insight", EventCategory::kIgnored},
    Category{"mtia_counters", EventCategory::kIgnored},
    Category{"xpu_runtime", EventCategory::kCall},
    Category{"xpu_driver", EventCategory::kCall},
    Category{"xpu_sync", EventCategory::kSync},
    Category{"xpu_scope_profiler", EventCategory::kIgnored},
    Category{"hardware_counters", EventCategory::kIgnored},
    Category{"privateuse1_runtime", EventCategory::kCall},
    Category{"privateuse1_driver", EventCategory::kCall},
    Category{"hpu_op", EventCategory::kKernel},
    Category{"concurrent_kernel", EventCategory::kKernel},
    Category{"collective_comm", EventCategory::kOtherDevice},
    Category{"graph_host_node", EventCategory::kHostNode},
    Category{"graph_event_node", EventCategory::kGraphEventRecord},
    Category{"cpu_instant_event", EventCategory::kIgnored},
    Category{"overhead", EventCategory::kIgnored},
    Category{"cuda_profiler_range", EventCategory::kIgnored},
    Category{"glow_runtime", EventCategory::kIgnored},
    Category{"gpu_pm_counter", EventCategory::kIgnored},
    Category{"external_correlation", EventCategory::kIgnored},
    Category{"Trace", EventCategory::kIgnored},
    Category{"async_npu", EventCategory::kLaunchFlow},
    Category{"HostToDevice", EventCategory::kLaunchFlow},
    Category{"async_task_queue", EventCategory::kIgnored},
    Category{"enqueue", EventCategory::kIgnored},
    Category{"dequeue", EventCategory::kIgnored},
    Category{"Operator", EventCategory::kOp},
    Category{"Runtime", EventCategory::kCall},
    Category{"Kernel", EventCategory::kKernel},
    Category{"Memcpy", EventCategory::kMemcpy},
    Category{"Memset", EventCategory::kMemset},
};

constexpr EventCategory event_category_of(std::string_view category) {
  for (const Category& known : kCategories)
    if (known.name == category) return known.kind;
  return EventCategory::kUnknown;
}

constexpr DeviceRowKind device_kind(EventCategory kind) {
  if (kind == EventCategory::kKernel) return DeviceRowKind::kKernel;
  if (kind == EventCategory::kMemcpy) return DeviceRowKind::kMemcpy;
  if (kind == EventCategory::kHostNode) return DeviceRowKind::kHostNode;
  if (kind == EventCategory::kGraphEventRecord) return DeviceRowKind::kEventRecord;
  return kind == EventCategory::kMemset ? DeviceRowKind::kMemset : DeviceRowKind::kOther;
}

}  // namespace nadi
