#include "nadi/link/kept_rows.h"

namespace nadi {
namespace {

/// Leaves the dependencies between rows that stay.
void keep_dependencies(const ByRow<DeviceRows, bool>& kept_rows, DeviceTrace& device) {
  std::vector<GraphDependency>& dependencies = device.graph_dependencies;
  std::vector<DeviceRowIndex>& partly = device.partly_recorded_rows;
  if (dependencies.empty() && partly.empty()) return;
  std::erase_if(partly, [&](DeviceRowIndex row) { return !kept_rows[row]; });
  std::erase_if(dependencies, [&](const GraphDependency& one) {
    return !kept_rows[one.source] || !kept_rows[one.target];
  });
  const auto new_row = rows_after_keeping(kept_rows);
  for (GraphDependency& one : dependencies) one = {new_row[one.target], new_row[one.source]};
  for (DeviceRowIndex& row : partly) row = new_row[row];
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
