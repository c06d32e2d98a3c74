#include "nadi/graph/recorded_launches.h"

#include <algorithm>

namespace nadi {

RecordedLaunches::RecordedLaunches(const LinkedTrace& linked) : linked_(linked) {
  if (linked.graph_dependencies.empty()) return;
  row_.assign(linked.rows.size(), 0);
  for (const GraphDependency& one : linked.graph_dependencies) {
    const bool is_same_lane = linked.rows.lane[one.source] == linked.rows.lane[one.target];
    row_[one.target.value] |= is_same_lane ? kSource | kSourceOnLane : kSource;
    row_[one.source.value] |= is_same_lane ? kTarget | kTargetOnLane : kTarget;
  }
  find_streams();
}

void RecordedLaunches::find_streams() {
  std::map<Launch, std::vector<std::uint32_t>> rows_of;
  std::vector<bool> runs_more(linked_.lanes.size(), false);
  for (std::uint32_t row = 0; row < row_.size(); ++row) {
    if (has_order(row)) rows_of[launch_of(row)].push_back(row);
    if (linked_.device.rows.graph_id[row] == 0) runs_more[linked_.rows.lane[row].value] = true;
  }
  for (const auto& [launch, rows] : rows_of) {
    LaunchLanes lanes;
    lanes.stream = stream_of(rows, runs_more);
    if (lanes.stream == kNoIndex) continue;
    for (const std::uint32_t row : rows) {
      if (linked_.rows.lane[row].value == lanes.stream) continue;
      if (!has(row, kSource)) lanes.others.first.push_back(row);
      if (!has(row, kTarget)) lanes.others.last.push_back(row);
    }
    launches_.emplace(launch, std::move(lanes));
  }
}

std::uint32_t RecordedLaunches::stream_of(const std::vector<std::uint32_t>& rows,
                                          const std::vector<bool>& runs_more) const {
  std::vector<std::uint32_t> lanes;
  for (const std::uint32_t row : rows)
    if (!has(row, kSource)) lanes.push_back(linked_.rows.lane[row].value);
  std::sort(lanes.begin(), lanes.end());
  lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
  if (lanes.size() > 1) std::erase_if(lanes, [&](std::uint32_t lane) { return !runs_more[lane]; });
  return lanes.size() == 1 ? lanes.front() : kNoIndex;
}

const RecordedLaunches::OtherLanes* RecordedLaunches::launched_here(std::uint32_t row) const {
  if (!has_order(row)) return nullptr;
  const auto launch = launches_.find(launch_of(row));
  const bool is_here =
      launch != launches_.end() && launch->second.stream == linked_.rows.lane[row].value;
  return is_here ? &launch->second.others : nullptr;
}

}  // namespace nadi
