#include "nadi/emit/take_graph.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "nadi/chakra/chakra_reader.h"
#include "nadi/emit/metadata.h"
#include "nadi/emit/node_facts.h"
#include "nadi/emit/repr_cache.h"

namespace nadi {
namespace {

/// Lists of shapes and types as Python prints them, in the graph's strings; each is turned once.
class ReprMover {
 public:
  ReprMover(const StringTable& from, StringTable& to) : reprs_(from), to_(to) {}

  StringId operator()(StringId json, Diagnostics& diagnostics) {
    const auto [known, is_new] = moved_.try_emplace(json);
    if (is_new) {
      reprs_.print(json, false, repr_, diagnostics);
      known->second = to_.intern(repr_);
    }
    return known->second;
  }

 private:
  ReprCache reprs_;
  std::string repr_;
  StringTable& to_;
  std::unordered_map<StringId, StringId> moved_;
};

/// Fills the columns whose values stand only in the rows of the trace.
void fill_from_rows(const LinkedTrace& trace, BuiltGraph& graph, const GraphColumns& columns,
                    Diagnostics& diagnostics) {
  const NodeFactFinder finder(trace, graph);
  ReprMover repr(trace.strings, graph.strings);
  const auto move_into = [&](auto& column, StringId json) {
    column.push_back(repr(json, diagnostics));
  };
  for (std::uint32_t node = 0; node < graph.size(); ++node) {
    const NodeFacts facts = finder.of_node(node);
    graph.rf_id.push_back(static_cast<std::int64_t>(facts.rf_id));
    graph.correlation.push_back(correlation_of(trace, graph, node));
    if (columns.parents)
      graph.inclusive_ns.push_back(
          graph.kind[node] == NodeKind::kOp ? trace.ops.duration_ns[graph.op(node)] : 0);
    if (!columns.shapes) continue;
    move_into(graph.input_shapes, facts.inputs.shapes);
    move_into(graph.input_types, facts.inputs.types);
    move_into(graph.output_shapes, facts.outputs.shapes);
    move_into(graph.output_types, facts.outputs.types);
    move_into(graph.input_values,
              facts.outputs.shapes == StringId::kEmpty ? facts.inputs.values : StringId::kEmpty);
  }
}

/// A file has no kind for host work that a CUDA graph runs, so that it is read back as a call, and
/// holds no negative duration: makes this graph the same.
void level_with_files(BuiltGraph& graph) {
  for (std::uint32_t node = 0; node < graph.size(); ++node) {
    const bool is_host_work = graph.kind[node] == NodeKind::kDeviceRow && !graph.is_device(node) &&
                              !is_communication(graph.type[node]);
    if (is_host_work) graph.kind[node] = NodeKind::kCall;
    graph.duration_ns[node] = std::max<Ns>(graph.duration_ns[node], 0);
  }
}

void fill_parents(Graph& graph) {
  graph.parent.reserve(graph.size());
  for (std::uint32_t node = 0; node < graph.size(); ++node) {
    const Sources callers = graph.ctrl_dependencies(node);
    graph.parent.push_back(callers.empty() ? kNoIndex : *callers.begin());
  }
}

/// One edge for each two nodes: the first data edge, else the control edge.
GraphStructure without_parallel_edges(const Graph& graph) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;
  std::vector<Edge> kept;
  ends.reserve(num_edges(graph.structure));
  kept.reserve(num_edges(graph.structure));
  for (std::uint32_t node = 0; node < graph.size(); ++node) {
    const Sources sources = graph.dependencies(node);
    for (auto source = sources.begin(); source != sources.end(); ++source) {
      const std::pair edge(*source, node);
      if (ends.empty() || ends.back() != edge) {
        ends.push_back(edge);
        kept.push_back(source.edge());
      } else if (kept.back().is_control) {
        kept.back() = source.edge();
      }
    }
  }
  return {boost::edges_are_unsorted_multi_pass, ends.begin(), ends.end(), kept.begin(),
          static_cast<std::uint32_t>(graph.size())};
}

}  // namespace

Graph take_graph(const LinkedTrace& trace, BuiltGraph&& graph, const std::string& name,
                 const GraphColumns& columns, Diagnostics& diagnostics) {
  fill_from_rows(trace, graph, columns, diagnostics);
  level_with_files(graph);
  graph.id.resize(graph.size());
  std::iota(graph.id.begin(), graph.id.end(), node_id(0));
  if (columns.parents) fill_parents(graph);
  graph.structure = without_parallel_edges(graph);
  graph.name = name;
  take_metadata(make_metadata(trace, graph), graph);
  graph.tells_starts = true;
  return std::move(static_cast<Graph&>(graph));
}

}  // namespace nadi
