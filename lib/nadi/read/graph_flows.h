// Finds the rows that the recorded dependencies inside launches of CUDA graphs join.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/model/device_trace.h"

namespace nadi {

/// Gathers rows of CUDA graphs and what a file says of their dependencies, then joins the two.
///
/// Cuspy's JSON has a flow for each dependency, from the end of the source to the start of the
/// target (N22). It may fit several pairs of rows; a true pair is among those that fit in every
/// launch that holds both rows (N23). Cuspy's Perfetto traces name the rows (P10).
class GraphFlows {
 public:
  /// A flow of such an id is a dependency, one of a smaller id a launch (N22).
  static constexpr std::int64_t kFirstId = std::int64_t{1} << 40;

  struct GraphRow {
    DeviceRowIndex row;
    ThreadIndex thread;          ///< pid and tid as written
    std::uint64_t event_id = 0;  ///< the name by which waits know the row; 0 = none
  };
  struct FlowEnd {
    std::int64_t id = 0;
    bool is_finish = false;
    ThreadIndex thread;
    Ns time_ns = kNoTime;
  };

  void add_row(const GraphRow& row) { rows_.push_back(row); }
  void add_flow_end(const FlowEnd& end) { flow_ends_.push_back(end); }
  /// The row waits for the one of that id.
  void add_wait(DeviceRowIndex row, std::uint64_t event_id) { waits_.push_back({event_id, row}); }

  /// Sets graph_dependencies and partly_recorded_rows, once all rows are in the trace. Reports
  /// "graph-dependency-unmatched" and "graph-dependency-across-launches", and to `ambiguous`, which
  /// may be the same table, "graph-dependency-ambiguous".
  void bind(DeviceTrace& trace, Diagnostics& diagnostics, Diagnostics& ambiguous);

 private:
  std::vector<GraphRow> rows_;
  std::vector<FlowEnd> flow_ends_;
  std::vector<std::pair<std::uint64_t, DeviceRowIndex>> waits_;
};

}  // namespace nadi
