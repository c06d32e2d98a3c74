#include "nadi/link/steps.h"

#include <algorithm>

#include "nadi/model/step_names.h"

namespace nadi {
namespace {

struct NumberedStep {
  Ns start_ns, end_ns;
  std::int32_t number;
};

std::vector<NumberedStep> step_spans(const LinkedTrace& linked) {
  std::vector<NumberedStep> spans;
  for (const LinkedOpIndex op : rows_of(linked.ops))
    if (linked.ops.is_annotation[op] != 0 || linked.ops.profiler[op])
      if (const auto number = step_number(linked.strings[linked.ops.name[op]]))
        spans.push_back({linked.ops.start_ns[op], op_end_ns(linked.ops, op), *number});
  std::sort(spans.begin(), spans.end(),
            [](const NumberedStep& a, const NumberedStep& b) { return a.start_ns < b.start_ns; });
  return spans;
}

std::int32_t step_at(const std::vector<NumberedStep>& spans, Ns time) {
  auto after = std::upper_bound(spans.begin(), spans.end(), time,
                                [](Ns t, const NumberedStep& span) { return t < span.start_ns; });
  if (after == spans.begin()) return -1;
  const NumberedStep& span = *std::prev(after);
  return time < span.end_ns || time == span.start_ns ? span.number : -1;
}

/// Of a row its launch's. A row without one was launched as the row before it on its lane was, or
/// before all of which the trace holds the launch; where it holds none, only the row's time
/// decides.
void find_steps_of_rows(const std::vector<NumberedStep>& spans, LinkedTrace& linked) {
  const auto is_launched = [&](DeviceRowIndex row) {
    return linked.rows.launch_ns[row] != kNoTime;
  };
  for (const std::vector<DeviceRowIndex>& rows : linked.rows_by_lane) {
    const bool has_launches = std::any_of(rows.begin(), rows.end(), is_launched);
    std::int32_t last = -1;
    for (const DeviceRowIndex row : rows) {
      if (is_launched(row))
        last = step_at(spans, linked.rows.launch_ns[row]);
      else if (!has_launches)
        last = step_at(spans, linked.device.rows.start_ns[row]);
      linked.rows.step[row] = last;
    }
  }
}

}  // namespace

void find_steps(LinkedTrace& linked) {
  const std::vector<NumberedStep> spans = step_spans(linked);
  if (spans.empty()) return;
  for (const LinkedOpIndex op : rows_of(linked.ops))
    linked.ops.step[op] = step_at(spans, linked.ops.start_ns[op]);
  for (const CallIndex call : rows_of(linked.calls))
    linked.calls.step[call] = step_at(spans, linked.device.calls.start_ns[call]);
  find_steps_of_rows(spans, linked);
}

}  // namespace nadi
