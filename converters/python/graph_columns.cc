#include "nadi/converters/python/graph_columns.h"

#include <algorithm>

#include "nadi/chakra/communication_name.h"
#include "nadi/graph/built_graph.h"
#include "nadi/sim_bridge/replay/report.h"

namespace nadi::python {

namespace {

/// Chakra's names; a file may hold numbers that have none.
py::list node_types(const std::vector<NodeType>& types) {
  static constexpr const char* kNames[] = {"INVALID", "METADATA",  "MEM_LOAD",  "MEM_STORE",
                                           "COMP",    "COMM_SEND", "COMM_RECV", "COMM_COLL"};
  py::list names;
  for (const char* name : kNames) names.append(name);
  const auto last = std::max_element(types.begin(), types.end());
  const std::size_t most = last == types.end() ? 0 : static_cast<std::size_t>(*last);
  for (std::size_t type = names.size(); type <= most; ++type)
    names.append("type " + std::to_string(type));
  return names;
}

/// Rows with -1 for none.
std::vector<std::int64_t> signed_rows(const std::vector<std::uint32_t>& rows) {
  std::vector<std::int64_t> result(rows.size());
  std::transform(rows.begin(), rows.end(), result.begin(),
                 [](std::uint32_t row) { return row == kNoIndex ? -1 : std::int64_t{row}; });
  return result;
}

}  // namespace

const py::list& GraphView::texts() {
  if (!texts_) texts_ = texts_of(graph_->strings);
  return *texts_;
}

py::capsule GraphView::owner() const {
  auto* const kept = new std::shared_ptr<const Graph>(graph_);
  return {kept, [](void* given) { delete static_cast<std::shared_ptr<const Graph>*>(given); }};
}

py::dict GraphView::nodes() {
  const Graph& graph = *graph_;
  const std::size_t count = graph.size();
  Columns columns(owner());
  const auto text = [&](const char* name, const std::vector<StringId>& ids) {
    if (!ids.empty()) columns.look_at_codes(name, ids.data(), count, texts());
  };
  columns.look("id", graph.id);
  text("name", graph.node_name);
  columns.look_at_codes("type", graph.type.data(), count, node_types(graph.type));
  constexpr auto kKinds = static_cast<std::size_t>(NodeKind::kHostOther) + 1;
  columns.look_at_codes("kind", graph.kind.data(), count, names_of<NodeKind>(kKinds));
  if (graph.tells_starts) columns.look("start_ns", graph.start_ns);
  columns.look("duration_ns", graph.duration_ns);
  columns.look("lane", graph.lane);
  columns.look("step", graph.step);
  columns.look("correlation", graph.correlation);
  columns.look("rf_id", graph.rf_id);
  columns.take("communication", signed_rows(graph.communication));
  if (!graph.parent.empty()) columns.take("parent", signed_rows(graph.parent));
  if (!graph.inclusive_ns.empty()) columns.look("inclusive_ns", graph.inclusive_ns);
  text("input_shapes", graph.input_shapes);
  text("input_types", graph.input_types);
  text("output_shapes", graph.output_shapes);
  text("output_types", graph.output_types);
  return columns.dict();
}

py::dict GraphView::edges() const {
  const Graph& graph = *graph_;
  const std::size_t count = num_edges(graph.structure);
  std::vector<std::int64_t> sources, targets;
  std::vector<std::uint8_t> evidence, inferred;
  std::vector<char> is_control;
  for (auto* rows : {&sources, &targets}) rows->reserve(count);
  for (auto* codes : {&evidence, &inferred}) codes->reserve(count);
  is_control.reserve(count);
  for (std::uint32_t target = 0; target < graph.size(); ++target) {
    const Sources all = graph.dependencies(target);
    for (auto source = all.begin(); source != all.end(); ++source) {
      const Edge& edge = source.edge();
      sources.push_back(*source);
      targets.push_back(target);
      evidence.push_back(static_cast<std::uint8_t>(edge.evidence));
      inferred.push_back(static_cast<std::uint8_t>(edge.inferred));
      is_control.push_back(edge.is_control ? 1 : 0);
    }
  }
  static constexpr const char* kKinds[] = {"data", "control"};
  py::list kinds;
  for (const char* kind : kKinds) kinds.append(kind);
  Columns columns;
  columns.take("source", std::move(sources));
  columns.take("target", std::move(targets));
  columns.take_codes("kind", std::vector<std::uint8_t>(is_control.begin(), is_control.end()),
                     kinds);
  columns.take_codes("evidence", std::move(evidence), names_of<Evidence>(kEvidenceCount));
  columns.take_codes("inferred", std::move(inferred), names_of<Inference>(kInferenceCount));
  return columns.dict();
}

py::dict GraphView::communications() {
  const std::vector<GraphCommunication>& all = graph_->communications;
  std::vector<std::int64_t> nodes(all.size(), -1);
  for (std::size_t node = 0; node < graph_->size(); ++node)
    if (const std::uint32_t row = graph_->communication[node]; row != kNoIndex)
      nodes[row] = static_cast<std::int64_t>(node);
  std::int64_t most = -1;
  for (const GraphCommunication& one : all) most = std::max(most, one.type);
  // A send or receive has no type of collective; a file may name one that Chakra does not know.
  constexpr std::int64_t kMostNamed = 255;
  py::list types;
  types.append("");
  for (std::int64_t type = 0; type <= std::min(most, kMostNamed); ++type)
    types.append(collective_name(type));
  std::vector<std::uint32_t> codes;
  codes.reserve(all.size());
  for (const GraphCommunication& one : all)
    codes.push_back(
        one.type < 0 || one.type > kMostNamed ? 0 : static_cast<std::uint32_t>(one.type + 1));
  Columns columns(owner());
  constexpr std::size_t kStride = sizeof(GraphCommunication);
  const GraphCommunication first;
  const GraphCommunication* const rows = all.empty() ? &first : all.data();
  columns.take("node", std::move(nodes));
  columns.take_codes("collective", std::move(codes), types);
  columns.look("bytes", &rows->bytes, all.size(), kStride);
  columns.look("src", &rows->src, all.size(), kStride);
  columns.look("dst", &rows->dst, all.size(), kStride);
  columns.look("tag", &rows->tag, all.size(), kStride);
  columns.look("seq", &rows->seq, all.size(), kStride);
  columns.look_at_codes("group", &rows->group, all.size(), texts(), kStride);
  columns.look_at_codes("dtype", &rows->dtype, all.size(), texts(), kStride);
  return columns.dict();
}

py::dict GraphView::lanes() const {
  std::vector<std::int64_t> tids, devices, streams;
  std::vector<std::uint32_t> codes;
  py::list names;
  for (const GraphLane& lane : graph_->lanes) {
    codes.push_back(static_cast<std::uint32_t>(codes.size()));
    names.append(text_of(lane_text(lane)));
    tids.push_back(lane.tid);
    devices.push_back(lane.device);
    streams.push_back(lane.stream);
  }
  Columns columns;
  columns.take_codes("name", std::move(codes), names);
  columns.take("tid", std::move(tids));
  columns.take("device", std::move(devices));
  columns.take("stream", std::move(streams));
  return columns.dict();
}

}  // namespace nadi::python
