#include "nadi/emit/linked_waits.h"

#include <vector>

#include "nadi/emit/clean_json.h"

namespace nadi {
namespace {

/// By vertex: the id of a device row's node; 0 = it is none.
std::vector<std::uint64_t> row_ids(const Graph& graph, const LinkedOrder& order) {
  std::vector<std::uint64_t> ids(num_vertices(graph.structure), 0);
  for (std::size_t place = 0; place < order.nodes.size(); ++place)
    if (order.nodes[place].kind == LinkedNode::Kind::kDeviceRow)
      ids[order.nodes[place].row] = place + 1;
  return ids;
}

/// Ids of the rows that the call waited for, separated by commas.
std::string rows_of(const Graph& graph, std::uint32_t vertex,
                    const std::vector<std::uint64_t>& ids) {
  std::string rows;
  const auto [first, last] = in_edges(vertex, graph.structure);
  for (auto edge = first; edge != last; ++edge) {
    const std::uint64_t id = ids[source(*edge, graph.structure)];
    if (graph.structure[*edge].evidence == Evidence::kSynchronisation && id != 0)
      rows += (rows.empty() ? "" : ", ") + std::to_string(id);
  }
  return rows;
}

void append_call(const LinkedTrace& trace, const Node& node, const std::string& rows,
                 std::string& out) {
  const Calls& calls = trace.device.calls;
  out += "{\"name\": ";
  append_json_string(trace.strings[calls.name[node.source]], out);
  out += ", \"tid\": " + std::to_string(trace.lanes[node.lane.value].tid) + ", \"ts\": ";
  append_json_micros(calls.start_ns[node.source], out);
  out += ", \"dur\": ";
  append_json_micros(calls.duration_ns[node.source], out);
  out += ", \"correlation\": " + std::to_string(calls.correlation[node.source]) + ", \"rows\": [" +
         rows + "]}";
}

}  // namespace

std::string linked_waits_json(const LinkedTrace& trace, const Graph& graph,
                              const LinkedOrder& order) {
  const std::vector<std::uint64_t> ids = row_ids(graph, order);
  std::string out = "[";
  for (std::uint32_t v = 0; v < num_vertices(graph.structure); ++v) {
    const Node& node = graph.structure[v];
    const std::string rows = node.kind == NodeKind::kCall ? rows_of(graph, v, ids) : "";
    if (rows.empty()) continue;
    out += out.size() == 1 ? "\n" : ",\n";
    append_call(trace, node, rows, out);
  }
  return out + "]";
}

}  // namespace nadi
