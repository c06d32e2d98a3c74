// What a row of a device trace is, by its category: a table of old and new names.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "nadi/model/device_trace.h"

namespace nadi {

enum class RowKind : std::uint8_t {
  kOp,
  kAnnotation,
  kCall,
  kKernel,
  kMemcpy,
  kMemset,
  kOtherDevice,
  kSync,
  kEventRecord,
  kLaunchFlow,
  kForwardBackwardFlow,
  kIgnored,  ///< known, and of no use here
  kUnknown,
};

struct Category {
  std::string_view name;
  RowKind kind;
};

/// Frequent names first: the table is searched from the top. Names: libkineto's ActivityType.cpp
/// (pytorch/kineto) and the first releases of torch.profiler (`Operator`, `Runtime`, …).
inline constexpr std::array kCategories = {
    Category{"cpu_op", RowKind::kOp},
    Category{"ac2g", RowKind::kLaunchFlow},
    Category{"cuda_runtime", RowKind::kCall},
    Category{"kernel", RowKind::kKernel},
    Category{"python_function", RowKind::kIgnored},
    Category{"fwdbwd", RowKind::kForwardBackwardFlow},
    Category{"user_annotation", RowKind::kAnnotation},
    Category{"gpu_memcpy", RowKind::kMemcpy},
    Category{"gpu_memset", RowKind::kMemset},
    Category{"gpu_user_annotation", RowKind::kIgnored},
    Category{"cuda_driver", RowKind::kCall},
    Category{"cuda_sync", RowKind::kSync},
    Category{"cuda_event", RowKind::kEventRecord},
    Category{"async_cpu_to_gpu", RowKind::kLaunchFlow},
    Category{"async_gpu", RowKind::kLaunchFlow},
    Category{"async", RowKind::kLaunchFlow},
    Category{"mtia_runtime", RowKind::kCall},
    Category{"mtia_ccp_events", RowKind::kKernel},
    Category{"mtia_insight", RowKind::kIgnored},
    Category{"mtia_counters", RowKind::kIgnored},
    Category{"xpu_runtime", RowKind::kCall},
    Category{"xpu_driver", RowKind::kCall},
    Category{"xpu_sync", RowKind::kSync},
    Category{"privateuse1_runtime", RowKind::kCall},
    Category{"privateuse1_driver", RowKind::kCall},
    Category{"hpu_op", RowKind::kKernel},
    Category{"concurrent_kernel", RowKind::kKernel},
    Category{"collective_comm", RowKind::kOtherDevice},
    Category{"cpu_instant_event", RowKind::kIgnored},
    Category{"overhead", RowKind::kIgnored},
    Category{"cuda_profiler_range", RowKind::kIgnored},
    Category{"glow_runtime", RowKind::kIgnored},
    Category{"gpu_pm_counter", RowKind::kIgnored},
    Category{"external_correlation", RowKind::kIgnored},
    Category{"Trace", RowKind::kIgnored},
    Category{"Operator", RowKind::kOp},
    Category{"Runtime", RowKind::kCall},
    Category{"Kernel", RowKind::kKernel},
    Category{"Memcpy", RowKind::kMemcpy},
    Category{"Memset", RowKind::kMemset},
};

constexpr RowKind row_kind_of(std::string_view category) {
  for (const Category& known : kCategories)
    if (known.name == category) return known.kind;
  return RowKind::kUnknown;
}

constexpr DeviceRowKind device_kind(RowKind kind) {
  if (kind == RowKind::kKernel) return DeviceRowKind::kKernel;
  if (kind == RowKind::kMemcpy) return DeviceRowKind::kMemcpy;
  return kind == RowKind::kMemset ? DeviceRowKind::kMemset : DeviceRowKind::kOther;
}

}  // namespace nadi
