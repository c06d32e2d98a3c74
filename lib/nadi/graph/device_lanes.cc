#include "nadi/graph/device_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "nadi/base/utf8.h"
#include "nadi/graph/communications.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

Node row_node(const LinkedTrace& linked, DeviceRowIndex row) {
  Node node;
  node.start_ns = row_start_ns(linked, row);
  node.duration_ns = linked.device.rows.duration_ns[row];
  node.name = linked.device.rows.name[row];
  node.lane = linked.rows.lane[row];
  if (linked.device.rows.kind[row] == DeviceRowKind::kHostNode)
    node.lane = linked.host_node_lanes.at(node.lane);
  node.set_device_row(row);
  node.step = linked.rows.step[row];
  return node;
}

/// One node for each operation a communication kernel carries, the first with the row's duration,
/// the others with none; one node for any other row.
void add_row_nodes(GraphDraft& draft, DeviceRowIndex row) {
  const LinkedTrace& linked = draft.linked;
  Node node = row_node(linked, row);
  draft.row_node[row] = NodeIndex(draft.nodes.size());
  draft.nodes.push_back(node);
  node.duration_ns = 0;
  for (std::size_t i = 1; i < linked.carried_by(row).size(); ++i) draft.nodes.push_back(node);
}

/// Gives communication nodes what they do, rows in API order, which both ends of a
/// message share: ordinals make tags.
void add_communications(GraphDraft& draft, Diagnostics& diagnostics) {
  const LinkedTrace& linked = draft.linked;
  CommunicationMaker maker(linked, diagnostics);
  for (DeviceRowIndex row : linked.rows_in_api_order)
    for (const std::span<const CommIndex> carried = linked.carried_by(row);
         const CommIndex& comm : carried) {
      const Communication communication =
          maker.make(linked.comms[comm], linked.strings[linked.device.rows.name[row]]);
      const NodeIndex node = draft.row_node[row] + static_cast<std::size_t>(&comm - carried.data());
      if (communication.kind == CommKind::kNone) {
        draft.nodes[node].is_unrecorded_communication = true;
        continue;
      }
      draft.nodes[node].communication = CommunicationIndex(draft.communications.size());
      draft.communications.push_back(communication);
    }
}

std::string percent_text(Ns part, Ns whole) {
  const double share = whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
  return fmt::format("{:.1f} %", share * 100);
}

/// Reports how much of the device time is communication that nothing describes, and which kernel
/// has most of it.
void report_unrecorded(const GraphDraft& draft, Diagnostics& diagnostics) {
  constexpr std::size_t kLongest = 60;
  const DeviceRows& rows = draft.linked.device.rows;
  struct Kernel {
    std::uint64_t rows = 0;
    Ns ns = 0;
  };
  std::map<StringId, Kernel> kernels;
  Kernel all;
  Ns device_ns = 0;
  for (const DeviceRowIndex row : rows_of(rows)) {
    device_ns += rows.duration_ns[row];
    const RowRange nodes = draft.nodes_of(row);
    if (std::none_of(nodes.begin(), nodes.end(),
                     [&](NodeIndex node) { return draft.nodes[node].is_unrecorded_communication; }))
      continue;
    for (Kernel* sum : {&kernels[rows.name[row]], &all}) {
      ++sum->rows;
      sum->ns += rows.duration_ns[row];
    }
  }
  if (all.rows == 0) return;
  const auto most =
      std::max_element(kernels.begin(), kernels.end(),
                       [](const auto& a, const auto& b) { return a.second.ns < b.second.ns; });
  diagnostics.report(
      Finding::kCommunicationUnrecorded,
      fmt::format("{} of the device time, most by {} ({} of the rows)",
                  percent_text(all.ns, device_ns),
                  cut_text(draft.linked.strings[most->first], kLongest), most->second.rows),
      all.rows);
}

}  // namespace

void make_device_nodes(GraphDraft& draft, Diagnostics& diagnostics) {
  const LinkedTrace& linked = draft.linked;
  draft.row_node.assign(linked.rows.size() + 1, {});
  for (const DeviceRowIndex row : rows_of(linked.rows)) add_row_nodes(draft, row);
  draft.row_node.back() = NodeIndex(draft.nodes.size());
  add_communications(draft, diagnostics);
  report_unrecorded(draft, diagnostics);
}

}  // namespace nadi
