#include "nadi/converters/graph_tables.h"

#include <algorithm>
#include <string>

#include "nadi/chakra/communication_name.h"
#include "nadi/graph/built_graph.h"
#include "nadi/sim_bridge/replay/report.h"

namespace nadi {

namespace {

/// Chakra's names; a file may hold numbers that have none.
ColumnTexts node_type_names(const std::vector<NodeType>& types, ColumnTable& table) {
  std::vector<std::string_view> names = {"INVALID", "METADATA",  "MEM_LOAD",  "MEM_STORE",
                                         "COMP",    "COMM_SEND", "COMM_RECV", "COMM_COLL"};
  const auto unnamed = std::make_shared<StringTable>();
  const auto last = std::max_element(types.begin(), types.end());
  const std::size_t count = last == types.end() ? 0 : static_cast<std::size_t>(*last) + 1;
  for (std::size_t type = names.size(); type < count; ++type)
    names.push_back(unnamed->text(unnamed->intern("type " + std::to_string(type))));
  table.owners.push_back(unnamed);
  return std::make_shared<const std::vector<std::string_view>>(std::move(names));
}

/// Rows with -1 for none.
std::vector<std::int64_t> signed_rows(const std::vector<std::uint32_t>& rows) {
  std::vector<std::int64_t> result(rows.size());
  std::transform(rows.begin(), rows.end(), result.begin(),
                 [](std::uint32_t row) { return row == kNoIndex ? -1 : std::int64_t{row}; });
  return result;
}

/// Empty of messages, which have no type of collective.
std::string collective_text(const GraphCommunication& communication) {
  return communication.type < 0 ? "" : collective_name(communication.type);
}

}  // namespace

ColumnTable node_table(const std::shared_ptr<const Graph>& shared_graph) {
  const Graph& graph = *shared_graph;
  ColumnTable table{{}, {shared_graph}};
  const ColumnTexts texts = texts_of(graph.strings);
  const auto text = [&](const char* name, const std::vector<StringId>& ids) {
    if (!ids.empty()) table.look_at_codes(name, ids, texts);
  };
  table.look_at("id", graph.id);
  text("name", graph.node_name);
  table.look_at_codes("type", graph.type, node_type_names(graph.type, table));
  constexpr auto kKinds = static_cast<std::size_t>(NodeKind::kHostOther) + 1;
  table.look_at_codes("kind", graph.kind, names_of<NodeKind>(kKinds));
  if (graph.tells_starts) table.look_at("start_ns", graph.start_ns);
  table.look_at("duration_ns", graph.duration_ns);
  table.look_at("lane", graph.lane);
  table.look_at("step", graph.step);
  table.look_at("correlation", graph.correlation);
  table.look_at("rf_id", graph.rf_id);
  table.take("communication", signed_rows(graph.communication));
  if (!graph.parent.empty()) table.take("parent", signed_rows(graph.parent));
  if (!graph.inclusive_ns.empty()) table.look_at("inclusive_ns", graph.inclusive_ns);
  text("input_shapes", graph.input_shapes);
  text("input_types", graph.input_types);
  text("output_shapes", graph.output_shapes);
  text("output_types", graph.output_types);
  return table;
}

ColumnTable edge_table(const Graph& graph) {
  const std::size_t count = num_edges(graph.structure);
  std::vector<std::int64_t> sources, targets;
  std::vector<std::uint8_t> kinds, evidence, inferred;
  for (auto* rows : {&sources, &targets}) rows->reserve(count);
  for (auto* codes : {&kinds, &evidence, &inferred}) codes->reserve(count);
  for (std::uint32_t target = 0; target < graph.size(); ++target) {
    const Sources all = graph.dependencies(target);
    for (auto source = all.begin(); source != all.end(); ++source) {
      const Edge& edge = source.edge();
      sources.push_back(*source);
      targets.push_back(target);
      kinds.push_back(edge.is_control ? 1 : 0);
      evidence.push_back(static_cast<std::uint8_t>(edge.evidence));
      inferred.push_back(static_cast<std::uint8_t>(edge.inferred));
    }
  }
  static const auto kKinds = std::make_shared<const std::vector<std::string_view>>(
      std::vector<std::string_view>{"data", "control"});
  ColumnTable table;
  table.take("source", std::move(sources));
  table.take("target", std::move(targets));
  table.take_codes("kind", std::move(kinds), kKinds);
  table.take_codes("evidence", std::move(evidence), names_of<Evidence>(kEvidenceCount));
  table.take_codes("inferred", std::move(inferred), names_of<Inference>(kInferenceCount));
  return table;
}

ColumnTable communication_table(const Graph& graph) {
  const std::vector<GraphCommunication>& all = graph.communications;
  std::vector<std::int64_t> nodes(all.size(), -1);
  for (std::size_t node = 0; node < graph.size(); ++node)
    if (const std::uint32_t row = graph.communication[node]; row != kNoIndex)
      nodes[row] = static_cast<std::int64_t>(node);
  ColumnTable table;
  table.take("node", std::move(nodes));
  table.add("collective", all, collective_text);
  table.add("bytes", all, &GraphCommunication::bytes);
  table.add("src", all, &GraphCommunication::src);
  table.add("dst", all, &GraphCommunication::dst);
  table.add("tag", all, &GraphCommunication::tag);
  table.add("seq", all, &GraphCommunication::seq);
  table.add("group", all, [&](const auto& one) { return graph.strings[one.group]; });
  table.add("dtype", all, [&](const auto& one) { return graph.strings[one.dtype]; });
  return table;
}

ColumnTable lane_table(const Graph& graph) {
  ColumnTable table;
  table.add("name", graph.lanes, lane_text);
  table.add("tid", graph.lanes, &GraphLane::tid);
  table.add("device", graph.lanes, &GraphLane::device);
  table.add("stream", graph.lanes, &GraphLane::stream);
  return table;
}

}  // namespace nadi
