#include "nadi/link/match.h"

#include <fmt/format.h>

#include "nadi/base/count_text.h"
#include "nadi/link/key_index.h"
#include "nadi/link/match_names.h"

namespace nadi {

OpMatch match_by_rf_id(const HostTrace& host, const DeviceTrace& device) {
  const HostOps& ops = host.ops;
  const KeyIndex<std::uint64_t> by_rf_id(device.ops.rf_id, 0);
  OpMatch match;
  match.profiler_of_host.assign(ops.size(), kNoIndex);
  std::vector<bool> is_taken(device.ops.size(), false);
  for (std::size_t row = 0; row < ops.size(); ++row) {
    if (is_root(host.strings[ops.name[row]])) continue;
    ++match.host_ops;
    if (ops.rf_id[row] == 0) continue;
    const std::string_view name = host.strings[ops.name[row]];
    const auto candidates = by_rf_id.rows(ops.rf_id[row]);
    const auto same = std::find_if(candidates.begin(), candidates.end(), [&](const auto& entry) {
      return !is_taken[entry.row] && names_match(device.strings[device.ops.name[entry.row]], name);
    });
    if (same != candidates.end()) {
      match.profiler_of_host[row] = same->row;
      is_taken[same->row] = true;
      ++match.matched;
    } else if (!candidates.empty()) {
      ++match.same_id_other_name;
    }
  }
  return match;
}

namespace {

bool has_rf_ids(const DeviceTrace& device) {
  return std::any_of(device.ops.rf_id.begin(), device.ops.rf_id.end(),
                     [](std::uint64_t id) { return id != 0; });
}

std::string likely_cause(const OpMatch& match, const DeviceTrace& device) {
  const double ops = static_cast<double>(device.ops.size());
  if (device.ops.size() == 0)
    return "the device trace holds no cpu_op rows (was ProfilerActivity.CPU on?)";
  if (!has_rf_ids(device))
    return "the device trace holds no record-function ids (PyTorch before 2.3)";
  if (match.same_id_other_name > match.matched)
    return fmt::format("{} {} an op of another name, so these are traces of different runs",
                       count_text(match.same_id_other_name, "id"),
                       match.same_id_other_name == 1 ? "meets" : "meet");
  if (ops > 2.0 * static_cast<double>(match.host_ops))
    return "the device trace is much longer, perhaps many iterations against one";
  if (static_cast<double>(match.host_ops) > 2.0 * ops)
    return "the host trace is much longer, perhaps many iterations against one";
  return "the observer and the profiler recorded different spans";
}

}  // namespace

std::string describe_share(const OpMatch& match, const DeviceTrace& device) {
  return fmt::format("only {} of {} host ops ({:.1f} %) are in the device trace: {}", match.matched,
                     match.host_ops, 100.0 * match.share(), likely_cause(match, device));
}

const char* const kMismatchRemedy =
    "Pass two traces of the same steps of the same run, leave --host out to convert the device "
    "trace alone, or use --match force to keep only what fits";

const char* const kNoIdsRemedy =
    "Use --match auto or --match order, which go by names where ids do not fit, pass two traces of "
    "the same steps of the same run, or use --match force to keep only what fits";

}  // namespace nadi
