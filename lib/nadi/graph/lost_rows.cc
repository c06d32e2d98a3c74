#include "nadi/graph/lost_rows.h"

#include <algorithm>
#include <limits>

#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// Begins, ascending, of the launches whose row is lost.
std::vector<Ns> launches_without_row(const LinkedTrace& linked) {
  std::vector<Ns> begins;
  for (const CallIndex call : rows_of(linked.calls))
    if (linked.calls.is_row_lost[call] != 0) begins.push_back(linked.device.calls.start_ns[call]);
  std::sort(begins.begin(), begins.end());
  return begins;
}

}  // namespace

LostRowCounts count_lost_rows(const LinkedTrace& linked) {
  LostRowCounts counts;
  for (const CallIndex call : rows_of(linked.calls)) {
    if (linked.calls.is_row_lost[call] == 0) continue;
    ++counts.all;
    ++counts.of[static_cast<std::size_t>(linked.calls.launches[call])];
  }
  for (std::size_t kind = 0; kind < counts.of.size(); ++kind)
    counts.are_all_lost[kind] = counts.of[kind] > 0;
  for (const DeviceRowIndex row : rows_of(linked.rows)) {
    const CallIndex launch = linked.rows.launch[row];
    const CallLaunches kind =
        launch ? linked.calls.launches[launch] : launched_by(linked.device.rows.kind[row]);
    counts.are_all_lost[static_cast<std::size_t>(kind)] = false;
  }
  return counts;
}

ByRow<DeviceRows, bool> rows_behind_lost_rows(const LinkedTrace& linked) {
  const std::vector<Ns> lost = launches_without_row(linked);
  ByRow<DeviceRows, bool> result;
  if (lost.empty()) return result;
  result.assign(linked.rows.lane.size(), false);
  for (const auto& lane : linked.rows_by_lane) {
    Ns before = std::numeric_limits<Ns>::min();
    for (const DeviceRowIndex row : lane) {
      const Ns enqueued = enqueue_ns(linked, row);
      const auto next = std::upper_bound(lost.begin(), lost.end(), before);
      result[row] = next != lost.end() && *next <= enqueued;
      before = std::max(before, enqueued);
    }
  }
  return result;
}

}  // namespace nadi
