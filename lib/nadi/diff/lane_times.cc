#include "nadi/diff/lane_times.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi {
namespace {

constexpr std::array<std::string_view, kLaneMeasures> kNames{
    "iteration", "device busy", "device idle", "stream idle", "launch latency", "host gaps"};

constexpr std::string_view kAutograd = "autograd::engine::";

bool is_host(EventCategory kind) {
  return kind == EventCategory::kOp || kind == EventCategory::kAnnotation ||
         kind == EventCategory::kCall;
}

}  // namespace

std::string_view to_string(LaneMeasure measure) {
  return kNames[static_cast<std::size_t>(measure)];
}

ThreadNames::ThreadNames(const TableRows& rows) : rows_(rows) {
  count_rows();
  std::stable_sort(threads_.begin(), threads_.end(),
                   [](const Thread& a, const Thread& b) { return a.rows > b.rows; });
  for (const NamedThreadIndex thread : rows_of(threads_))
    thread_of_[id_of(threads_[thread].pid, threads_[thread].tid)] = thread;
  give_names();
}

NamedThreadIndex ThreadNames::thread(EventRowIndex row) const {
  if (!is_host(rows_.kind(row))) return {};
  const auto found = thread_of_.find(id_of(rows_.table().pid[row], rows_.table().tid[row]));
  return found == thread_of_.end() ? NamedThreadIndex() : found->second;
}

void ThreadNames::count_rows() {
  const EventTable& table = rows_.table();
  for (const EventRowIndex row : rows_of(table)) {
    if (!is_host(rows_.kind(row))) continue;
    const auto [found, is_new] =
        thread_of_.try_emplace(id_of(table.pid[row], table.tid[row]), threads_.size());
    if (is_new) threads_.push_back({table.pid[row], table.tid[row], 0, 0, 0, ""});
    Thread& thread = threads_[found->second];
    ++thread.rows;
    thread.steps += rows_.is_step(row) ? 1 : 0;
    thread.autograd += table.strings[table.name[row]].starts_with(kAutograd) ? 1 : 0;
  }
}

void ThreadNames::give_names() {
  if (threads_.empty()) return;
  const auto most = [this](std::uint64_t Thread::*what) {
    return std::max_element(
        threads_.begin(), threads_.end(), [what](const Thread& a, const Thread& b) {
          return (a.name.empty() ? a.*what : 0) < (b.name.empty() ? b.*what : 0);
        });
  };
  most(&Thread::steps)->name = "main thread";  // of several the one with most rows
  const auto backward = most(&Thread::autograd);
  if (backward->autograd > 0 && backward->name.empty()) backward->name = "backward thread";
  std::size_t number = 2;
  for (Thread& thread : threads_)
    if (thread.name.empty()) thread.name = fmt::format("thread {}", ++number);
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
  for (const EventRowIndex row : iteration.rows)
    if (rows_.is_work(row) && rows_.has_stream(row))
      spans.push_back({keys.intern(rows_.stream_name(row)), rows_.table().ts_ns[row],
                       rows_.table().end_ns(row)});
  add_gaps(spans, LaneMeasure::kStreamIdle);
}

void LaneTimes::add_threads(const IterationRows& iteration) {
  StringTable& keys = summary(LaneMeasure::kHostGaps).keys;
  ByRow<ThreadNames, StringId> lanes(threads_.size());
  for (const NamedThreadIndex thread : rows_of(lanes))
    lanes[thread] = keys.intern(threads_.name(thread));
  std::vector<Span> spans;
  for (const EventRowIndex row : iteration.rows) {
    const NamedThreadIndex thread = threads_.thread(row);
    // An annotation's own time is nobody's work.
    if (!thread || rows_.is_annotation(row)) continue;
    spans.push_back({lanes[thread], rows_.table().ts_ns[row], rows_.table().end_ns(row)});
  }
  add_gaps(spans, LaneMeasure::kHostGaps);
}

void LaneTimes::add_launch(EventRowIndex call) {
  const EventRowIndex row = rows_.partner(call);
  if (!row || !rows_.is_work(row)) return;
  const StringId key = summary(LaneMeasure::kLaunchLatency).keys.intern(rows_.stream_name(row));
  sums(LaneMeasure::kLaunchLatency).add(key, rows_.table().ts_ns[row] - rows_.table().ts_ns[call]);
}

void LaneTimes::add(const IterationRows& iteration) {
  const EventTable& table = rows_.table();
  for (const EventRowIndex row : iteration.rows) {
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
