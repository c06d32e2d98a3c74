#include "nadi/diff/device_times.h"

#include <algorithm>

#include "nadi/diff/diff_summary.h"

namespace nadi {

DeviceTimes::DeviceTimes(const TableRows& rows) {
  const EventTable& table = rows.table();
  std::map<std::int64_t, std::string> names;
  std::map<std::string, std::vector<Span>> spans;
  for (const EventRowIndex row : rows_of(table)) {
    const Span span{table.ts_ns[row], table.end_ns(row)};
    const bool is_work = rows.is_work(row);
    if (is_work) {
      const auto [name, is_new] = names.try_emplace(rows.device(row));
      if (is_new) name->second = rows.device_name(row);
      spans[name->second].push_back(span);
    }
    const bool is_of_trace =
        is_work || rows.kind(row) == EventCategory::kOp || rows.kind(row) == EventCategory::kCall;
    if (table.iterations.empty() ? is_of_trace : rows.is_step(row))
      widen(windows_, table.iterations.empty() ? -1 : table.iteration[row], span);
  }
  for (auto& [name, found] : spans) devices_.emplace(name, join(std::move(found)));
}

void DeviceTimes::widen(std::map<std::int32_t, Span>& windows, std::int32_t iteration, Span span) {
  Span& window = windows.try_emplace(iteration, span).first->second;
  window.start_ns = std::min(window.start_ns, span.start_ns);
  window.end_ns = std::max(window.end_ns, span.end_ns);
}

DeviceTimes::Busy DeviceTimes::join(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns < b.end_ns;
  });
  Busy busy;
  Ns before_ns = 0;
  for (const Span& span : spans) {
    if (!busy.spans.empty() && span.start_ns <= busy.spans.back().end_ns) {
      busy.spans.back().end_ns = std::max(busy.spans.back().end_ns, span.end_ns);
      continue;
    }
    if (!busy.spans.empty())
      before_ns = add_times(before_ns, busy.spans.back().end_ns - busy.spans.back().start_ns);
    busy.spans.push_back(span);
    busy.before_ns.push_back(before_ns);
  }
  return busy;
}

Ns DeviceTimes::Busy::until(Ns time_ns) const {
  const auto behind =
      std::upper_bound(spans.begin(), spans.end(), time_ns,
                       [](Ns time, const Span& span) { return time < span.start_ns; });
  if (behind == spans.begin()) return 0;
  const auto last = static_cast<std::size_t>(behind - spans.begin()) - 1;
  return add_times(before_ns[last], std::min(time_ns, spans[last].end_ns) - spans[last].start_ns);
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
