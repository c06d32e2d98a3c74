#include <algorithm>

#include "nadi/graph/communications.h"
#include "nadi/graph/stages.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

Node row_node(const LinkedTrace& linked, std::uint32_t row) {
  Node node;
  node.start_ns = row_start_ns(linked, row);
  node.duration_ns = linked.device.rows.duration_ns[row];
  node.name = linked.device.rows.name[row];
  node.lane = linked.rows.lane[row];
  if (linked.device.rows.kind[row] == DeviceRowKind::kHostNode)
    node.lane = linked.host_node_lanes.at(node.lane);
  node.set_device_row(DeviceRowIndex(row));
  node.step = linked.rows.step[row];
  return node;
}

/// One node for each operation a communication kernel carries, the first with the row's duration,
/// the others with none; one node for any other row.
void add_row_nodes(GraphDraft& draft, std::uint32_t row) {
  const LinkedTrace& linked = draft.linked;
  Node node = row_node(linked, row);
  draft.row_node[row] = static_cast<std::uint32_t>(draft.nodes.size());
  draft.nodes.push_back(node);
  node.duration_ns = 0;
  for (std::uint32_t i = linked.first_carried[row] + 1; i < linked.first_carried[row + 1]; ++i)
    draft.nodes.push_back(node);
}

/// Gives communication nodes what they do, rows in API order, which both ends of a
/// message share: ordinals make tags.
void add_communications(GraphDraft& draft, Diagnostics& diagnostics) {
  const LinkedTrace& linked = draft.linked;
  CommunicationMaker maker(linked, diagnostics);
  for (std::uint32_t row : linked.rows_in_api_order)
    for (std::uint32_t i = linked.first_carried[row]; i < linked.first_carried[row + 1]; ++i) {
      const Communication communication =
          maker.make(linked.comms[linked.carried[i]], linked.strings[linked.device.rows.name[row]]);
      if (communication.kind == CommKind::kNone) continue;
      const std::uint32_t node = draft.row_node[row] + i - linked.first_carried[row];
      draft.nodes[node].communication = CommunicationIndex(draft.communications.size());
      draft.communications.push_back(communication);
    }
}

}  // namespace

void make_device_nodes(GraphDraft& draft, Diagnostics& diagnostics) {
  const LinkedTrace& linked = draft.linked;
  const auto rows = static_cast<std::uint32_t>(linked.rows.lane.size());
  draft.row_node.assign(rows + 1, kNoIndex);
  for (std::uint32_t row = 0; row < rows; ++row) add_row_nodes(draft, row);
  draft.row_node[rows] = static_cast<std::uint32_t>(draft.nodes.size());
  add_communications(draft, diagnostics);
}

}  // namespace nadi
