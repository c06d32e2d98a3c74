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
    row_[one.target.value] |= kSource;
    row_[one.source.value] |= kTarget;
  }
  std::map<Launch, std::vector<std::uint32_t>> rows_of;
  std::vector<bool> runs_more(linked.lanes.size(), false);
  for (std::uint32_t row = 0; row < row_.size(); ++row) {
    if (has_order(row) || row_[row] != 0) rows_of[launch_of(row)].push_back(row);
    if (linked.device.rows.graph_id[row] == 0) runs_more[linked.rows.lane[row].value] = true;
  }
  earlier_.assign(row_.size(), 0);
  later_.assign(row_.size(), 0);
  for (auto& [launch, rows] : rows_of) {
    find_stream(launch, rows, runs_more);
    find_order_on_lanes(rows);
  }
  earlier_ = later_ = {};
}

void RecordedLaunches::find_stream(const Launch& launch, const std::vector<std::uint32_t>& rows,
                                   const std::vector<bool>& runs_more) {
  LaunchLanes lanes;
  lanes.stream = stream_of(rows, runs_more);
  if (lanes.stream == kNoIndex) return;
  for (const std::uint32_t row : rows) {
    if (!has_order(row) || linked_.rows.lane[row].value == lanes.stream) continue;
    if (!has(row, kSource)) lanes.others.first.push_back(row);
    if (!has(row, kTarget)) lanes.others.last.push_back(row);
  }
  launches_.emplace(launch, std::move(lanes));
}

std::uint32_t RecordedLaunches::stream_of(const std::vector<std::uint32_t>& rows,
                                          const std::vector<bool>& runs_more) const {
  std::vector<std::uint32_t> lanes;
  for (const std::uint32_t row : rows)
    if (has_order(row) && !has(row, kSource)) lanes.push_back(linked_.rows.lane[row].value);
  sort_unique(lanes);
  if (lanes.size() > 1) std::erase_if(lanes, [&](std::uint32_t lane) { return !runs_more[lane]; });
  return lanes.size() == 1 ? lanes.front() : kNoIndex;
}

/// Along the dependencies, of which each row's stand together, in the order of time and back.
void RecordedLaunches::find_order_on_lanes(std::vector<std::uint32_t>& rows) {
  std::vector<std::uint32_t> lanes;
  lanes.reserve(rows.size());
  for (const std::uint32_t row : rows) lanes.push_back(linked_.rows.lane[row].value);
  sort_unique(lanes);
  const auto bit_of = [&](std::uint32_t row) {
    const auto place =
        std::lower_bound(lanes.begin(), lanes.end(), linked_.rows.lane[row].value) - lanes.begin();
    return place < kMostLanes ? std::uint64_t{1} << place : 0;
  };
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    return row_start_ns(linked_, a) < row_start_ns(linked_, b);
  });
  const std::vector<GraphDependency>& all = linked_.graph_dependencies;
  const auto for_each_source = [&](std::uint32_t row, const auto& visit) {
    const DeviceRowIndex target(row);
    auto one = std::lower_bound(all.begin(), all.end(), GraphDependency{target, DeviceRowIndex(0)});
    for (; one != all.end() && one->target == target; ++one) visit(one->source.value);
  };
  for (const std::uint32_t row : rows) {
    for_each_source(
        row, [&](std::uint32_t source) { earlier_[row] |= earlier_[source] | bit_of(source); });
    if ((earlier_[row] & bit_of(row)) != 0) row_[row] |= kEarlierOnLane;
  }
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    for_each_source(*row,
                    [&](std::uint32_t source) { later_[source] |= later_[*row] | bit_of(*row); });
    if ((later_[*row] & bit_of(*row)) != 0) row_[*row] |= kLaterOnLane;
  }
}

const RecordedLaunches::OtherLanes* RecordedLaunches::launched_here(std::uint32_t row) const {
  if (!has_order(row)) return nullptr;
  const auto launch = launches_.find(launch_of(row));
  const bool is_here =
      launch != launches_.end() && launch->second.stream == linked_.rows.lane[row].value;
  return is_here ? &launch->second.others : nullptr;
}

}  // namespace nadi
