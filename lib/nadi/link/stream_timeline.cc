#include "nadi/link/stream_timeline.h"

#include <algorithm>

#include "nadi/base/sort_rows.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// How many of the rows, whose times ascend, have one before the limit.
std::size_t count_before(std::span<const DeviceRowIndex> rows, const ByRow<DeviceRows, Ns>& times,
                         Ns limit) {
  const auto after = std::partition_point(rows.begin(), rows.end(),
                                          [&](DeviceRowIndex row) { return times[row] < limit; });
  return static_cast<std::size_t>(after - rows.begin());
}

}  // namespace

StreamTimeline::StreamTimeline(const LinkedTrace& linked)
    : row_before(linked.rows.size()),
      row_after(linked.rows.size()),
      linked_(linked),
      in_api_order_(linked.lanes.size()),
      end_(linked.rows.size()),
      least_end_(linked.rows.size()),
      last_to_end_(linked.rows.size()),
      all_done_(linked.rows.size()) {
  for (const LaneIndex lane : rows_of(linked.rows_by_lane)) {
    if (!linked.rows_by_lane[lane].empty()) streams.push_back(lane);
    DeviceRowIndex before;
    for (const DeviceRowIndex row : linked.rows_by_lane[lane]) {
      if (before) row_after[before] = row;
      row_before[row] = before;
      before = row;
    }
    for (DeviceRowIndex row = before; row; row = row_before[row]) {
      end_[row] = row_end_ns(linked, row);
      least_end_[row] =
          row_after[row] ? std::min(end_[row], least_end_[row_after[row]]) : end_[row];
    }
  }
  Ns done = kNoTime;
  for (const DeviceRowIndex row : linked.rows_in_api_order) {
    std::vector<DeviceRowIndex>& given = in_api_order_[linked.rows.lane[row]];
    const DeviceRowIndex last = given.empty() ? row : last_to_end_[given.back()];
    last_to_end_[row] = end_[row] >= end_[last] ? row : last;
    all_done_[row] = done = std::max(done, end_[row]);
    given.push_back(row);
    if (const LaneIndex thread = linked.rows.launch_lane[row]) in_api_order_[thread].push_back(row);
  }
  if (streams.size() < 2) return;
  by_end_ = linked.rows_in_api_order;
  sort_rows(by_end_, [&](DeviceRowIndex a, DeviceRowIndex b) {
    return end_[a] != end_[b] ? end_[a] < end_[b] : a < b;
  });
}

StreamTimeline::Rows StreamTimeline::in_start_order(LaneIndex lane) const {
  return lane < LaneIndex(linked_.rows_by_lane.size()) ? Rows(linked_.rows_by_lane[lane]) : Rows();
}

DeviceRowIndex StreamTimeline::last_enqueued(Rows rows, Ns before) const {
  const std::size_t count = count_before(rows, linked_.rows.enqueue_ns, before);
  return count == 0 ? DeviceRowIndex() : rows[count - 1];
}

DeviceRowIndex StreamTimeline::first_given(LaneIndex lane, Ns from) const {
  const Rows rows = in_start_order(lane);
  const std::size_t count = count_before(rows, linked_.rows.enqueue_ns, from);
  return count == rows.size() ? DeviceRowIndex() : rows[count];
}

std::span<const DeviceRowIndex> StreamTimeline::up_to_last_ended(LaneIndex lane, Ns by) const {
  const Rows rows = in_start_order(lane);
  return rows.first(count_before(rows, least_end_, by + 1));
}

std::span<const DeviceRowIndex> StreamTimeline::ended_within(Ns after, Ns by) const {
  const Rows rows = Rows(by_end_).first(count_before(by_end_, end_, by + 1));
  return rows.subspan(count_before(rows, end_, after + 1));
}

}  // namespace nadi
