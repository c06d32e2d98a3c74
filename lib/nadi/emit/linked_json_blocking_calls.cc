#include "nadi/emit/linked_json_blocking_calls.h"

#include <string_view>
#include <vector>

namespace nadi {
namespace {

/// By vertex: the id of a device row's node; 0 = it is none.
std::vector<std::uint64_t> row_ids(const Graph& graph, const LinkedJsonOrder& order) {
  std::vector<std::uint64_t> ids(num_vertices(graph.structure), 0);
  for (std::size_t place = 0; place < order.nodes.size(); ++place)
    if (order.nodes[place].kind == LinkedJsonNode::Kind::kDeviceRow)
      ids[order.nodes[place].row] = place + 1;
  return ids;
}

struct Blocked {
  std::vector<std::uint64_t> rows;      ///< ids of the rows that the call waited for
  std::vector<std::uint64_t> inferred;  ///< of these, the guesses
  std::vector<std::string_view> by;     ///< what each guess rests on
};

Blocked rows_of(const Graph& graph, std::uint32_t vertex, const std::vector<std::uint64_t>& ids) {
  Blocked blocked;
  const auto [first, last] = in_edges(vertex, graph.structure);
  for (auto edge = first; edge != last; ++edge) {
    const std::uint64_t id = ids[source(*edge, graph.structure)];
    if (graph.structure[*edge].evidence != Evidence::kSynchronisation || id == 0) continue;
    blocked.rows.push_back(id);
    const Inference inferred = graph.structure[*edge].inferred;
    if (!is_guess(inferred)) continue;
    blocked.inferred.push_back(id);
    blocked.by.push_back(to_string(inferred));
  }
  return blocked;
}

/// A call that launched is told by its rows, unless it blocked too.
bool is_written(const LinkedTrace& trace, const Node& node, const Blocked& blocked) {
  return !blocked.rows.empty() || trace.calls.role[node.call()] == CallRole::kBlocks;
}

void write_call(const LinkedTrace& trace, const LinkedJsonOrder& order, const Node& node,
                const Blocked& blocked, JsonWriter& json) {
  const RuntimeCalls& calls = trace.device.calls;
  json.begin_object();
  json.member("name", trace.strings[calls.name[node.call()]]);
  json.member("tid", trace.lanes[node.lane].tid);
  json.member("ts", JsonMicros{calls.start_ns[node.call()]});
  json.member("dur", JsonMicros{calls.duration_ns[node.call()]});
  if (const LinkedOpIndex op = trace.calls.parent[node.call()]) json.member("op", order.op_id[op]);
  json.member("correlation", calls.correlation[node.call()]);
  json.member("rows", blocked.rows);
  if (!blocked.inferred.empty()) {
    json.member("inferred", blocked.inferred);
    json.member("inferred_by", blocked.by);
  }
  json.end_object();
}

}  // namespace

void write_blocking_calls(const LinkedTrace& trace, const Graph& graph,
                          const LinkedJsonOrder& order, JsonWriter& json) {
  const std::vector<std::uint64_t> ids = row_ids(graph, order);
  json.begin_list();
  for (std::uint32_t v = 0; v < num_vertices(graph.structure); ++v) {
    const Node& node = graph.structure[v];
    if (node.kind != NodeKind::kCall) continue;
    const Blocked blocked = rows_of(graph, v, ids);
    if (!is_written(trace, node, blocked)) continue;
    json.next_line();
    write_call(trace, order, node, blocked, json);
  }
  json.end_list();
}

}  // namespace nadi
