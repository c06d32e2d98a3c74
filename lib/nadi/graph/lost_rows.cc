#include "nadi/graph/lost_rows.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// Begins, ascending, of the calls without rows that others of their name have.
std::vector<Ns> launches_without_row(const LinkedTrace& linked) {
  const RuntimeCalls& calls = linked.device.calls;
  std::vector<bool> has_row(calls.size(), false);
  std::unordered_set<StringId> launching;
  for (const CallIndex call : linked.rows.launch) {
    if (!call) continue;
    has_row[call.value] = true;
    launching.insert(calls.name[call]);
  }
  std::vector<Ns> begins;
  for (std::size_t call = 0; call < calls.size(); ++call)
    if (!has_row[call] && launching.contains(calls.name[call]))
      begins.push_back(calls.start_ns[call]);
  std::sort(begins.begin(), begins.end());
  return begins;
}

}  // namespace

std::size_t count_launches_without_row(const LinkedTrace& linked) {
  return launches_without_row(linked).size();
}

ByRow<DeviceRows, bool> rows_behind_lost_rows(const LinkedTrace& linked) {
  const std::vector<Ns> lost = launches_without_row(linked);
  ByRow<DeviceRows, bool> result;
  if (lost.empty()) return result;
  result.assign(linked.rows.lane.size(), false);
  for (const auto& lane : linked.rows_by_lane) {
    Ns before = std::numeric_limits<Ns>::min();
    for (const std::uint32_t row : lane) {
      const Ns enqueued = enqueue_ns(linked, row);
      const auto next = std::upper_bound(lost.begin(), lost.end(), before);
      result[row] = next != lost.end() && *next <= enqueued;
      before = std::max(before, enqueued);
    }
  }
  return result;
}

}  // namespace nadi
