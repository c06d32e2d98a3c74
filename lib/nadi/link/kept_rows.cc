#include "nadi/link/kept_rows.h"

namespace nadi {
namespace {

/// Leaves the dependencies between rows that stay.
void keep_dependencies(const std::vector<bool>& kept_rows, DeviceTrace& device) {
  std::vector<GraphDependency>& dependencies = device.graph_dependencies;
  std::vector<DeviceRowIndex>& partly = device.partly_recorded_rows;
  if (dependencies.empty() && partly.empty()) return;
  std::erase_if(partly, [&](DeviceRowIndex row) { return !kept_rows[row.value]; });
  std::erase_if(dependencies, [&](const GraphDependency& one) {
    return !kept_rows[one.source.value] || !kept_rows[one.target.value];
  });
  std::vector<std::uint32_t> place(kept_rows.size(), 0);
  for (std::size_t row = 1; row < place.size(); ++row)
    place[row] = place[row - 1] + (kept_rows[row - 1] ? 1 : 0);
  for (GraphDependency& one : dependencies)
    one = {DeviceRowIndex(place[one.target.value]), DeviceRowIndex(place[one.source.value])};
  for (DeviceRowIndex& row : partly) row = DeviceRowIndex(place[row.value]);
}

}  // namespace

void keep_rows(const RowsToKeep& kept, DeviceTrace& device) {
  keep_dependencies(kept.rows, device);
  keep_marked(kept.ops, device.ops);
  keep_marked(kept.calls, device.calls);
  keep_marked(kept.rows, device.rows);
  keep_marked(kept.syncs, device.syncs);
  keep_marked(kept.records, device.event_records);
  keep_marked(kept.flows, device.flows);
  measure_span(device);
}

}  // namespace nadi
