#include "nadi/diff/lane_times.h"

#include <algorithm>

namespace nadi {
namespace {

constexpr std::array<std::string_view, kLaneMeasures> kNames{
    "iteration", "device busy", "device idle", "stream idle", "launch latency", "host gaps"};

}  // namespace

std::string_view to_string(LaneMeasure measure) {
  return kNames[static_cast<std::size_t>(measure)];
}

void LaneTimes::add_gaps(std::vector<Span>& spans, LaneMeasure measure) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
    return a.lane != b.lane ? a.lane < b.lane : a.start_ns < b.start_ns;
  });
  Ns busy_until = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Span& span = spans[i];
    const bool is_first = i == 0 || spans[i - 1].lane != span.lane;
    if (is_first) {
      sums(measure).add(span.lane, 0, 0);  // a lane without gaps is there, too
      busy_until = span.end_ns;
    }
    if (span.start_ns > busy_until) sums(measure).add(span.lane, span.start_ns - busy_until);
    busy_until = std::max(busy_until, span.end_ns);
  }
}

void LaneTimes::add_devices(const IterationRows& iteration) {
  for (const DeviceUse& use : devices_.in(iteration.iteration))
    for (const auto& [measure, time_ns] : {std::pair{LaneMeasure::kDeviceBusy, use.busy_ns},
                                           std::pair{LaneMeasure::kDeviceIdle, use.idle_ns}})
      sums(measure).add(summary(measure).keys.intern(use.device), time_ns);
}

void LaneTimes::add_streams(const IterationRows& iteration) {
  StringTable& keys = summary(LaneMeasure::kStreamIdle).keys;
  std::vector<Span> spans;
  for (const std::uint32_t row : iteration.rows)
    if (rows_.is_work(row) && rows_.has_stream(row))
      spans.push_back({keys.intern(rows_.stream_name(row)), rows_.table().ts_ns[row],
                       rows_.table().end_ns(row)});
  add_gaps(spans, LaneMeasure::kStreamIdle);
}

void LaneTimes::add_threads(const IterationRows& iteration) {
  StringTable& keys = summary(LaneMeasure::kHostGaps).keys;
  std::vector<StringId> lanes(threads_.size());
  for (std::size_t i = 0; i < lanes.size(); ++i)
    lanes[i] = keys.intern(threads_.name(static_cast<std::uint32_t>(i)));
  std::vector<Span> spans;
  for (const std::uint32_t row : iteration.rows) {
    const std::uint32_t thread = threads_.thread(row);
    // An annotation's own time is nobody's work.
    if (thread == ThreadNames::kNone || rows_.is_annotation(row)) continue;
    spans.push_back({lanes[thread], rows_.table().ts_ns[row], rows_.table().end_ns(row)});
  }
  add_gaps(spans, LaneMeasure::kHostGaps);
}

void LaneTimes::add_launch(std::size_t call) {
  const std::size_t row = rows_.partner(call);
  if (row == TableRows::kNoRow || !rows_.is_work(row)) return;
  const StringId key = summary(LaneMeasure::kLaunchLatency).keys.intern(rows_.stream_name(row));
  sums(LaneMeasure::kLaunchLatency).add(key, rows_.table().ts_ns[row] - rows_.table().ts_ns[call]);
}

void LaneTimes::add(const IterationRows& iteration) {
  const EventTable& table = rows_.table();
  for (const std::uint32_t row : iteration.rows) {
    if (rows_.kind(row) == EventCategory::kCall) add_launch(row);
    if (rows_.is_step(row))
      sums(LaneMeasure::kIteration)
          .add(summary(LaneMeasure::kIteration).keys.intern("ProfilerStep"), table.dur_ns[row]);
  }
  add_devices(iteration);
  add_streams(iteration);
  add_threads(iteration);
  for (std::size_t measure = 0; measure < kLaneMeasures; ++measure)
    sums_[measure].fold_into(summaries_[measure]);
}

}  // namespace nadi
