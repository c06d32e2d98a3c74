#include "nadi/graph/recorded_launches.h"

#include <algorithm>

#include "nadi/base/sort_unique.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// Of a launch on more lanes the others count as lanes without earlier and later rows: edges that
/// are implied stay then.
constexpr std::ptrdiff_t kMostLanes = 64;

}  // namespace

RecordedLaunches::RecordedLaunches(const LinkedTrace& linked) : linked_(linked) {
  if (linked.graph_dependencies.empty()) return;
  row_.assign(linked.rows.size(), 0);
  for (const GraphDependency& one : linked.graph_dependencies) {
    row_[one.target] |= kSource;
    row_[one.source] |= kTarget;
  }
  std::map<Launch, std::vector<DeviceRowIndex>> rows_of_launch;
  ByRow<Lane, bool> runs_more(linked.lanes.size(), false);
  for (const DeviceRowIndex row : rows_of(row_)) {
    if (has_order(row) || row_[row] != 0) rows_of_launch[launch_of(row)].push_back(row);
    if (linked.device.rows.graph_id[row] == 0) runs_more[linked.rows.lane[row]] = true;
  }
  earlier_.assign(row_.size(), 0);
  later_.assign(row_.size(), 0);
  for (auto& [launch, rows] : rows_of_launch) {
    find_stream(launch, rows, runs_more);
    find_order_on_lanes(rows);
  }
  earlier_ = later_ = {};
}

void RecordedLaunches::find_stream(const Launch& launch, const std::vector<DeviceRowIndex>& rows,
                                   const ByRow<Lane, bool>& runs_more) {
  LaunchLanes lanes;
  lanes.stream = stream_of(rows, runs_more);
  if (!lanes.stream) return;
  for (const DeviceRowIndex row : rows) {
    if (!has_order(row) || linked_.rows.lane[row] == lanes.stream) continue;
    if (!has(row, kSource)) lanes.others.first.push_back(row);
    if (!has(row, kTarget)) lanes.others.last.push_back(row);
  }
  launches_.emplace(launch, std::move(lanes));
}

LaneIndex RecordedLaunches::stream_of(const std::vector<DeviceRowIndex>& rows,
                                      const ByRow<Lane, bool>& runs_more) const {
  std::vector<LaneIndex> lanes;
  for (const DeviceRowIndex row : rows)
    if (has_order(row) && !has(row, kSource)) lanes.push_back(linked_.rows.lane[row]);
  sort_unique(lanes);
  if (lanes.size() > 1) std::erase_if(lanes, [&](LaneIndex lane) { return !runs_more[lane]; });
  return lanes.size() == 1 ? lanes.front() : LaneIndex();
}

/// Along the dependencies, of which each row's stand together, in the order of time and back.
void RecordedLaunches::find_order_on_lanes(std::vector<DeviceRowIndex>& rows) {
  std::vector<LaneIndex> lanes;
  lanes.reserve(rows.size());
  for (const DeviceRowIndex row : rows) lanes.push_back(linked_.rows.lane[row]);
  sort_unique(lanes);
  const auto bit_of = [&](DeviceRowIndex row) {
    const auto place =
        std::lower_bound(lanes.begin(), lanes.end(), linked_.rows.lane[row]) - lanes.begin();
    return place < kMostLanes ? std::uint64_t{1} << place : 0;
  };
  std::stable_sort(rows.begin(), rows.end(), [&](DeviceRowIndex a, DeviceRowIndex b) {
    return row_start_ns(linked_, a) < row_start_ns(linked_, b);
  });
  const std::vector<GraphDependency>& all = linked_.graph_dependencies;
  const auto for_each_source = [&](DeviceRowIndex target, const auto& visit) {
    auto one = std::lower_bound(all.begin(), all.end(), GraphDependency{target, DeviceRowIndex(0)});
    for (; one != all.end() && one->target == target; ++one) visit(one->source);
  };
  for (const DeviceRowIndex row : rows) {
    for_each_source(
        row, [&](DeviceRowIndex source) { earlier_[row] |= earlier_[source] | bit_of(source); });
    if ((earlier_[row] & bit_of(row)) != 0) row_[row] |= kEarlierOnLane;
  }
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    for_each_source(*row,
                    [&](DeviceRowIndex source) { later_[source] |= later_[*row] | bit_of(*row); });
    if ((later_[*row] & bit_of(*row)) != 0) row_[*row] |= kLaterOnLane;
  }
}

const RecordedLaunches::OtherLanes* RecordedLaunches::launched_here(DeviceRowIndex row) const {
  if (!has_order(row)) return nullptr;
  const auto launch = launches_.find(launch_of(row));
  const bool is_here = launch != launches_.end() && launch->second.stream == linked_.rows.lane[row];
  return is_here ? &launch->second.others : nullptr;
}

}  // namespace nadi
