#include "nadi/graph/api_contradictions.h"

#include <algorithm>
#include <limits>

#include "nadi/base/longest_chain.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// Of a lane that runs in API order at most one row in so many has damaged stamps.
constexpr std::size_t kRowsPerDamaged = 10;

/// The call that launched the row at a position of the lane.
struct PlacedLaunch {
  std::size_t position;
  Ns begin_ns, return_ns;
  bool is_before_row;  // begins before the row starts
};

/// Of the rows whose call is in the trace.
std::vector<PlacedLaunch> placed_launches(const LinkedTrace& linked,
                                          const std::vector<DeviceRowIndex>& lane) {
  const RuntimeCalls& calls = linked.device.calls;
  std::vector<PlacedLaunch> launches;
  launches.reserve(lane.size());
  for (std::size_t position = 0; position < lane.size(); ++position) {
    const CallIndex call = linked.rows.launch[lane[position]];
    if (!call) continue;
    const Ns begin = calls.start_ns[call];
    launches.push_back(
        {position, begin, call_end_ns(calls, call), begin <= row_start_ns(linked, lane[position])});
  }
  return launches;
}

/// The most launches whose calls begin in order, looked for from the end. Of two runs of one length
/// that with the rows that start earlier is taken: a row that is damaged, but does not start before
/// its launch, is late.
std::vector<bool> longest_in_order(const std::vector<PlacedLaunch>& launches) {
  std::vector<std::size_t> backward;
  for (std::size_t i = launches.size(); i-- > 0;)
    if (launches[i].is_before_row) backward.push_back(i);
  std::vector<bool> is_in_order(launches.size(), false);
  for (const std::size_t i : longest_chain(backward, [&](std::size_t later, std::size_t earlier) {
         return launches[later].begin_ns >= launches[earlier].begin_ns;
       }))
    is_in_order[i] = true;
  return is_in_order;
}

/// Calls of different threads that overlap may have launched in either order.
std::vector<std::size_t> contradicting_positions(const std::vector<PlacedLaunch>& launches,
                                                 Ns resolution_ns) {
  const std::vector<bool> is_in_order = longest_in_order(launches);
  std::vector<bool> is_certain(launches.size(), false);
  Ns latest_begin = std::numeric_limits<Ns>::min(), first_return = std::numeric_limits<Ns>::max();
  for (std::size_t i = 0; i < launches.size(); ++i)
    if (is_in_order[i])
      latest_begin = launches[i].begin_ns;
    else
      is_certain[i] = launches[i].return_ns + resolution_ns < latest_begin;
  for (std::size_t i = launches.size(); i-- > 0;)
    if (is_in_order[i])
      first_return = std::min(first_return, launches[i].return_ns);
    else if (first_return < launches[i].begin_ns - resolution_ns)
      is_certain[i] = true;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < launches.size(); ++i)
    if (is_certain[i]) positions.push_back(launches[i].position);
  return positions;
}

}  // namespace

std::vector<bool> positions_against_api_order(const LinkedTrace& linked,
                                              const std::vector<DeviceRowIndex>& lane) {
  const std::vector<PlacedLaunch> launches = placed_launches(linked, lane);
  const auto begins_before = [](const PlacedLaunch& a, const PlacedLaunch& b) {
    return a.begin_ns < b.begin_ns;
  };
  if (std::is_sorted(launches.begin(), launches.end(), begins_before)) return {};  // nearly always
  const auto positions = contradicting_positions(launches, linked.clock_resolution_ns);
  if (positions.empty() || positions.size() * kRowsPerDamaged > lane.size()) return {};
  std::vector<bool> result(lane.size(), false);
  for (const std::size_t position : positions) result[position] = true;
  return result;
}

}  // namespace nadi
