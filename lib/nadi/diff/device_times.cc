#include "nadi/diff/device_times.h"

#include <algorithm>
#include <utility>

namespace nadi {

DeviceTimes::DeviceTimes(const TableRows& rows) {
  const EventTable& table = rows.table();
  std::map<std::int64_t, std::string> names;
  std::map<std::string, std::vector<std::pair<Ns, Ns>>> spans;
  for (const EventRowIndex row : rows_of(table)) {
    const Span span{table.ts_ns[row], table.end_ns(row)};
    const bool is_work = rows.is_work(row);
    if (is_work) {
      const auto [name, is_new] = names.try_emplace(rows.device(row));
      if (is_new) name->second = rows.device_name(row);
      spans[name->second].emplace_back(span.start_ns, span.end_ns);
    }
    const bool is_of_trace =
        is_work || rows.kind(row) == EventCategory::kOp || rows.kind(row) == EventCategory::kCall;
    if (table.iterations.empty() ? is_of_trace : rows.is_step(row))
      widen(windows_, table.iterations.empty() ? -1 : table.iteration[row], span);
  }
  for (auto& [name, found] : spans) devices_.emplace(name, std::move(found));
}

void DeviceTimes::widen(std::map<std::int32_t, Span>& windows, std::int32_t iteration, Span span) {
  Span& window = windows.try_emplace(iteration, span).first->second;
  window.start_ns = std::min(window.start_ns, span.start_ns);
  window.end_ns = std::max(window.end_ns, span.end_ns);
}

std::vector<DeviceUse> DeviceTimes::in(std::int32_t iteration) const {
  const auto window = windows_.find(iteration);
  if (window == windows_.end()) return {};
  const auto [start_ns, end_ns] = window->second;
  std::vector<DeviceUse> uses;
  for (const auto& [name, busy] : devices_) {
    const Ns busy_ns = busy.until(end_ns) - busy.until(start_ns);
    uses.push_back({name, busy_ns, std::max<Ns>(0, end_ns - start_ns - busy_ns)});
  }
  return uses;
}

}  // namespace nadi
