// Says which device rows one launch of a CUDA or HIP graph ran.
#pragma once

#include "nadi/model/linked_trace.h"

namespace nadi {

/// The name of its call says so, or it carries the id of a graph. Several rows of one call alone do
/// not: ROCm may write one correlation on the rows of several launches.
inline bool is_of_graph_launch(const LinkedTrace& linked, DeviceRowIndex row) {
  const CallIndex call = linked.rows.launch[row];
  return linked.device.rows.graph_id[row] != 0 ||
         (call && linked.calls.launches[call] == CallLaunches::kGraph);
}

/// Both rows are of one launch of a graph: of one call or, if that is lost, of one correlation and
/// one graph.
inline bool is_one_graph_launch(const LinkedTrace& linked, DeviceRowIndex a, DeviceRowIndex b) {
  if (!is_of_graph_launch(linked, a) || !is_of_graph_launch(linked, b)) return false;
  if (linked.rows.launch[a] || linked.rows.launch[b])
    return linked.rows.launch[a] == linked.rows.launch[b];
  const DeviceRows& rows = linked.device.rows;
  return rows.graph_id[a] == rows.graph_id[b] && rows.correlation[a] == rows.correlation[b];
}

}  // namespace nadi
