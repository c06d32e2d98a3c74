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

struct Blocked {
  std::string rows;      ///< ids of the rows that the call waited for, separated by commas
  std::string inferred;  ///< of these, the guesses
  std::string by;        ///< what each guess rests on
};

Blocked rows_of(const Graph& graph, std::uint32_t vertex, const std::vector<std::uint64_t>& ids) {
  Blocked blocked;
  const auto [first, last] = in_edges(vertex, graph.structure);
  for (auto edge = first; edge != last; ++edge) {
    const std::uint64_t id = ids[source(*edge, graph.structure)];
    if (graph.structure[*edge].evidence != Evidence::kSynchronisation || id == 0) continue;
    const auto append = [id](std::string& list) {
      list += (list.empty() ? "" : ", ") + std::to_string(id);
    };
    append(blocked.rows);
    const Inference inferred = graph.structure[*edge].inferred;
    if (!is_guess(inferred)) continue;
    append(blocked.inferred);
    append_inference(inferred, blocked.by);
  }
  return blocked;
}

/// A call that launched is told by its rows, unless it blocked too.
bool is_told(const LinkedTrace& trace, const Node& node, const Blocked& blocked) {
  return !blocked.rows.empty() || trace.calls.role[node.source] == CallRole::kBlocks;
}

void append_call(const LinkedTrace& trace, const LinkedOrder& order, const Node& node,
                 const Blocked& blocked, std::string& out) {
  const RuntimeCalls& calls = trace.device.calls;
  out += "{\"name\": ";
  append_json_string(trace.strings[calls.name[node.source]], out);
  out += ", \"tid\": " + std::to_string(trace.lanes[node.lane.value].tid) + ", \"ts\": ";
  append_json_micros(calls.start_ns[node.source], out);
  out += ", \"dur\": ";
  append_json_micros(calls.duration_ns[node.source], out);
  if (const std::uint32_t op = trace.calls.parent[node.source]; op != kNoIndex)
    out += ", \"op\": " + std::to_string(order.op_id[op]);
  out += ", \"correlation\": " + std::to_string(calls.correlation[node.source]) + ", \"rows\": [" +
         blocked.rows + "]";
  if (!blocked.inferred.empty())
    out += ", \"inferred\": [" + blocked.inferred + "], \"inferred_by\": [" + blocked.by + "]";
  out += "}";
}

}  // namespace

void append_inference(Inference inference, std::string& list) {
  if (!list.empty()) list += ", ";
  list += '"';
  list += to_string(inference);
  list += '"';
}

std::string linked_waits_json(const LinkedTrace& trace, const Graph& graph,
                              const LinkedOrder& order) {
  const std::vector<std::uint64_t> ids = row_ids(graph, order);
  std::string out = "[";
  for (std::uint32_t v = 0; v < num_vertices(graph.structure); ++v) {
    const Node& node = graph.structure[v];
    if (node.kind != NodeKind::kCall) continue;
    const Blocked blocked = rows_of(graph, v, ids);
    if (!is_told(trace, node, blocked)) continue;
    out += out.size() == 1 ? "\n" : ",\n";
    append_call(trace, order, node, blocked, out);
  }
  return out + "]";
}

}  // namespace nadi
