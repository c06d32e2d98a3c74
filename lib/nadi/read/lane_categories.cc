#include "nadi/read/lane_categories.h"

#include <algorithm>
#include <array>

namespace nadi {
namespace {

/// Names of threads and events begin with these texts; an empty one fits any.
struct LaneRule {
  std::string_view process, thread, event;
  bool must_correlate = false;
  LaneCategory category;
};

constexpr LaneCategory kKernelRow{"kernel", true};
constexpr LaneCategory kCopyRow{"gpu_memcpy", true};
constexpr LaneCategory kSetRow{"gpu_memset", true};
constexpr LaneCategory kNpuKernel{"kernel", true, true};
constexpr LaneCategory kNpuCopy{"gpu_memcpy", true, true};
/// Known, and no work of its own: a view of other rows, or a wait.
constexpr LaneCategory kView{"gpu_user_annotation"};

/// The first that fits counts. Sources: XLA's device tracer and trace viewer (planes
/// "/device:GPU:N" with a line "Stream #N(kinds)" for each stream, and lines derived from these:
/// "XLA Ops", "XLA Modules", "Steps"; "/host:CPU"); torch_npu's and msprof's trace_view.json.
constexpr std::array kLaneRules = {
    LaneRule{"/device:GPU:", "Stream #", "Memcpy", false, kCopyRow},
    LaneRule{"/device:GPU:", "Stream #", "Memset", false, kSetRow},
    LaneRule{"/device:GPU:", "Stream #", "", false, kKernelRow},
    LaneRule{"/device:GPU:", "", "", false, kView},
    LaneRule{"/host:", "", "", true, {"cuda_driver"}},
    LaneRule{"/host:", "", "", false, {"python_function"}},
    LaneRule{"Python", "", "", false, {"cpu_op"}},
    LaneRule{"CANN", "", "", false, {"privateuse1_runtime", false, true}},
    LaneRule{"Ascend Hardware", "", "EVENT_", false, kView},
    LaneRule{"Ascend Hardware", "", "NOTIFY_", false, kView},
    LaneRule{"Ascend Hardware", "", "Notify_", false, kView},
    LaneRule{"Ascend Hardware", "", "MEMCPY", false, kNpuCopy},
    LaneRule{"Ascend Hardware", "", "", false, kNpuKernel},
    LaneRule{"Communication", "", "", false, kView},
    LaneRule{"Overlap Analysis", "", "", false, kView},
};

/// JAX's processes are paths, of which the table has the first part; the others' names are whole.
bool is_process(std::string_view known, std::string_view name) {
  return known.starts_with('/') ? name.starts_with(known) : name == known;
}

}  // namespace

std::optional<LaneCategory> lane_category(std::string_view process, std::string_view thread,
                                          std::string_view event, bool has_correlation) {
  const auto rule = std::find_if(kLaneRules.begin(), kLaneRules.end(), [&](const LaneRule& known) {
    return is_process(known.process, process) && thread.starts_with(known.thread) &&
           event.starts_with(known.event) && (has_correlation || !known.must_correlate);
  });
  if (rule == kLaneRules.end()) return std::nullopt;
  return rule->category;
}

bool has_named_threads(std::string_view process) {
  return std::any_of(kLaneRules.begin(), kLaneRules.end(), [&](const LaneRule& known) {
    return !known.thread.empty() && is_process(known.process, process);
  });
}

}  // namespace nadi
