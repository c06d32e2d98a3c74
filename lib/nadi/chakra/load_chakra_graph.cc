#include "nadi/chakra/load_chakra_graph.h"

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "nadi/base/adjacency.h"
#include "nadi/base/error.h"
#include "nadi/chakra/chakra_reader.h"
#include "nadi/chakra/edge_evidence.h"
#include "nadi/chakra/node_ids.h"
#include "nadi/chakra/wire_node.h"

namespace nadi {

namespace {

constexpr const char* kCheckIt = "See: nadi check";

/// None where it is beyond those that traces can have: files come from strangers.
std::int32_t step_of(const WireNode& node) {
  constexpr std::int32_t kNone = -1;
  const std::int64_t step = node.get(WireNumber::kStep, kNone);
  return step >= 0 && std::in_range<std::int32_t>(step) ? static_cast<std::int32_t>(step) : kNone;
}

class Loader {
 public:
  Loader(const std::string& name, const GraphColumns& columns, BadDependencies bad)
      : columns_(columns), bad_(bad) {
    graph_.name = name;
  }

  void read(MessageStream stream) {
    ChakraReader reader(std::move(stream));
    take_metadata(reader.metadata(), graph_);
    while (reader.next(node_)) add_node(reader);
  }

  Graph finish() {
    if (graph_.id.empty())
      throw Error(ErrorCode::kInput, graph_.name, "holds no node", "A simulator would abort on it");
    name_lanes();
    sort_by_id();
    resolve_dependencies();
    find_cycles();
    return std::move(graph_);
  }

 private:
  void add_node(const ChakraReader& reader) {
    if (!ChakraProtoMsg::NodeType_IsValid(static_cast<int>(node_type_of(node_.type))))
      reader.fail("node " + std::to_string(node_.id) + " has the type " +
                      std::to_string(node_.type) + ", which is none",
                  kCheckIt);
    if (graph_.id.size() >= kNoIndex - 1)
      reader.fail("more than 4,294,967,294 nodes", "Convert fewer steps");
    graph_.id.push_back(node_.id);
    graph_.node_name.push_back(graph_.strings.intern(node_.name));
    graph_.type.push_back(node_type_of(node_.type));
    graph_.kind.push_back(kind_of(node_));
    graph_.tells_starts |= tells_start(node_);
    graph_.start_ns.push_back(start_ns_of(node_));
    graph_.duration_ns.push_back(duration_ns_of(node_));
    graph_.lane.push_back(lane_number(lane_of(node_)));
    graph_.correlation.push_back(node_.get(WireNumber::kCorrelation, -1));
    graph_.rf_id.push_back(node_.get(WireNumber::kRfId, 0));
    graph_.step.push_back(step_of(node_));
    add_communication();
    graph_.comm_unrecorded.push_back(is_unrecorded_communication(node_) ? 1 : 0);
    if (columns_.parents) graph_.inclusive_ns.push_back(node_.get(WireNumber::kInclusiveNs, 0));
    if (columns_.shapes) add_shapes();
    dependencies_.add_node(graph_.name, node_.data_deps, node_.ctrl_deps);
    append_recorded_edges(node_.edge_evidence, recorded_.node);
    if (recorded_.node.size() >= kNoIndex)
      reader.fail("more than 4,294,967,294 dependencies", "Convert fewer steps");
    recorded_.end_node();
  }

  // Numbers lanes as they come; name_lanes sorts them.
  std::uint32_t lane_number(const GraphLane& lane) {
    if (!graph_.lane.empty() && lane == last_lane_) return graph_.lane.back();
    last_lane_ = lane;
    return lane_numbers_.try_emplace(lane, static_cast<std::uint32_t>(lane_numbers_.size()))
        .first->second;
  }

  void add_communication() {
    if (!is_communication(node_)) return graph_.communication.push_back(kNoIndex);
    GraphCommunication communication;
    communication.type = node_.get(WireNumber::kCommType, GraphCommunication::kUnknown);
    communication.bytes = node_.get(WireNumber::kCommSize, 0);
    communication.src = node_.get(WireNumber::kCommSrc, GraphCommunication::kUnknown);
    communication.dst = node_.get(WireNumber::kCommDst, GraphCommunication::kUnknown);
    communication.tag = node_.get(WireNumber::kCommTag, GraphCommunication::kUnknown);
    communication.seq = node_.get(WireNumber::kCommSeq, GraphCommunication::kUnknown);
    communication.group = graph_.strings.intern(node_.pg_name);
    communication.dtype = graph_.strings.intern(node_.comm_dtype);
    graph_.communication.push_back(static_cast<std::uint32_t>(graph_.communications.size()));
    graph_.communications.push_back(communication);
  }

  void add_shapes() {
    graph_.input_shapes.push_back(graph_.strings.intern(node_.input_shapes));
    graph_.input_types.push_back(graph_.strings.intern(node_.input_types));
    graph_.output_shapes.push_back(graph_.strings.intern(node_.output_shapes));
    graph_.output_types.push_back(graph_.strings.intern(node_.output_types));
    const bool has_outputs = !node_.output_shapes.empty() && node_.output_shapes != "[]";
    graph_.input_values.push_back(
        graph_.strings.intern(has_outputs ? std::string_view() : node_.input_values));
  }

  void name_lanes() {
    std::vector<std::uint32_t> sorted(lane_numbers_.size());
    for (const auto& [lane, number] : lane_numbers_) {
      sorted[number] = static_cast<std::uint32_t>(graph_.lanes.size());
      graph_.lanes.push_back(lane);
    }
    for (std::uint32_t& number : graph_.lane) number = sorted[number];
  }

  void sort_by_id() {
    order_ = order_by_id(graph_.id);
    if (!order_.empty()) {
      reorder_rows(order_, static_cast<GraphNodes&>(graph_));
      sort_communications();
    }
    for_each_repeated_id(graph_.id, {}, [&](std::uint32_t vertex, std::uint32_t) {
      throw Error(ErrorCode::kInput, graph_.name,
                  "has the node id " + std::to_string(graph_.id[vertex]) + " twice", kCheckIt);
    });
  }

  /// Into the order of their nodes.
  void sort_communications() {
    std::vector<GraphCommunication> sorted;
    sorted.reserve(graph_.communications.size());
    for (std::uint32_t& communication : graph_.communication) {
      if (communication == kNoIndex) continue;
      sorted.push_back(graph_.communications[communication]);
      communication = static_cast<std::uint32_t>(sorted.size() - 1);
    }
    graph_.communications = std::move(sorted);
  }

  void take_missing(std::size_t position, std::uint64_t id) {
    ++graph_.dependencies_dropped;
    if (bad_ != BadDependencies::kRefuse) return;
    const auto in_file = std::find(order_.begin(), order_.end(), position);
    const auto vertex =
        order_.empty() ? position : static_cast<std::size_t>(in_file - order_.begin());
    throw Error(ErrorCode::kInput, graph_.name,
                "node " + std::to_string(graph_.id[vertex]) + " depends on node " +
                    std::to_string(id) + ", which the file does not hold",
                kCheckIt);
  }

  /// The first node that each has a control dependency on.
  void find_parents() {
    for (std::uint32_t vertex = 0; vertex < graph_.size(); ++vertex) {
      const auto ctrl = dependencies_.ctrl.of(position_by_id(order_, vertex));
      graph_.parent.push_back(ctrl.empty() ? kNoIndex : find_id(graph_.id, {}, ctrl.front()));
    }
  }

  void resolve_dependencies() {
    if (columns_.parents) find_parents();
    const FileSources sources = find_sources(
        std::move(dependencies_), graph_.id, {},
        [&](std::size_t position, std::uint64_t id, bool) { take_missing(position, id); });
    const std::size_t edges = sources.data.node.size() + sources.ctrl.node.size();
    ends_.reserve(edges);
    edges_.reserve(edges);
    for (std::uint32_t vertex = 0; vertex < graph_.size(); ++vertex) {
      const std::size_t in_file = position_by_id(order_, vertex);
      const auto data = sources.data.of(in_file);
      add_data_edges(vertex, data, recorded_.of(in_file));
      for (const std::uint32_t from : sources.ctrl.of(in_file))
        if (std::binary_search(data.begin(), data.end(), from))
          ++graph_.ctrl_beside_data;
        else
          add_edge(from, vertex, {Evidence::kNesting, Inference::kNone, true});
    }
    recorded_ = {};
    graph_.structure =
        GraphStructure(boost::edges_are_unsorted_multi_pass, ends_.begin(), ends_.end(),
                       edges_.begin(), static_cast<std::uint32_t>(graph_.size()));
  }

  void add_data_edges(std::uint32_t vertex, std::span<const std::uint32_t> data,
                      std::span<const RecordedEdge> recorded) {
    auto at = recorded.begin();
    for (const std::uint32_t from : data) {
      const std::uint64_t id = graph_.id[from];
      while (at != recorded.end() && at->source_id < id) ++at;
      const bool is_recorded = at != recorded.end() && at->source_id == id;
      add_edge(from, vertex, is_recorded ? at->edge : Edge{evidence_of_ends(graph_, from, vertex)});
    }
  }

  void add_edge(std::uint32_t from, std::uint32_t to, const Edge& edge) {
    ends_.emplace_back(from, to);
    edges_.push_back(edge);
    is_ascending_ &= from < to;
  }

  // Where every dependency has a smaller id there is none.
  void find_cycles() {
    if (is_ascending_) return;
    const std::vector<std::uint32_t> blocked = find_blocked(DependentsOf{graph_});
    graph_.nodes_on_cycles = blocked.size();
    if (blocked.empty() || bad_ == BadDependencies::kDropAndKeepCycles) return;
    throw Error(ErrorCode::kInput, graph_.name,
                std::to_string(blocked.size()) +
                    " nodes are on a cycle of dependencies or wait for one, the first is node " +
                    std::to_string(graph_.id[blocked.front()]),
                "nadi check shows the shortest cycle");
  }

  const GraphColumns columns_;
  const BadDependencies bad_;
  Graph graph_;
  WireNode node_;
  // By position in the file.
  FileDependencies dependencies_;
  ValuesByNode<RecordedEdge> recorded_;
  std::map<GraphLane, std::uint32_t> lane_numbers_;  // as lanes were met
  GraphLane last_lane_;
  std::vector<std::uint32_t> order_;  // row -> position in the file; empty = the same
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends_;
  std::vector<Edge> edges_;  // as ends_
  bool is_ascending_ = true;
};

}  // namespace

Graph load_chakra_graph(const std::string& path, const GraphColumns& columns, BadDependencies bad) {
  return load_chakra_graph(MessageStream(path), columns, bad);
}

Graph load_chakra_graph(MessageStream stream, const GraphColumns& columns, BadDependencies bad) {
  Loader loader(stream.name(), columns, bad);
  loader.read(std::move(stream));
  return loader.finish();
}

}  // namespace nadi
