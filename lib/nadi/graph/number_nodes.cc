#include "nadi/graph/number_nodes.h"

#include <algorithm>
#include <boost/iterator/transform_iterator.hpp>
#include <functional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "nadi/base/adjacency.h"
#include "nadi/base/sort_rows.h"
#include "nadi/base/visit_by_key.h"
#include "nadi/graph/fill_columns.h"

namespace nadi {
namespace {

/// Order of ids: by start, then dependency, host before device, by stream, rows in trace order,
/// delays by end. The stream comes before the order of rows because linked JSON has the rows of
/// different streams in another order than the trace.
class NodeOrder {
 public:
  explicit NodeOrder(const GraphDraft& draft) : draft_(draft), vertex_(draft.nodes.size()) {
    sort_by_start();
    collect_ties();
    for (std::size_t begin = 0; begin < order_.size();) {
      std::size_t end = begin + 1;
      while (end < order_.size() && draft.start_ns(order_[end]) == draft.start_ns(order_[begin]))
        ++end;
      if (end - begin > 1) sort_group(begin, end);
      begin = end;
    }
    for (Vertex i = 0; i < order_.size(); ++i) vertex_[order_[i]] = i;
  }

  const std::vector<NodeIndex>& order() const { return order_; }
  Vertex vertex(NodeIndex node) const { return vertex_[node]; }

 private:
  /// Starts beside the nodes, so that comparing does not look them up; a stable sort, since nodes
  /// come lane by lane, each in order, and such runs merge quickly.
  void sort_by_start() {
    std::vector<std::pair<Ns, NodeIndex>> starts;
    starts.reserve(draft_.nodes.size());
    for (const NodeIndex node : rows_of(draft_.nodes))
      starts.emplace_back(draft_.start_ns(node), node);
    sort_rows(starts, [&](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : comes_first(a.second, b.second);
    });
    order_.reserve(starts.size());
    for (const auto& [start, node] : starts) order_.push_back(node);
  }

  bool is_device(NodeIndex node) const {
    return draft_.linked.lanes[draft_.nodes[node].lane].is_device;
  }
  bool comes_first(NodeIndex a, NodeIndex b) const {
    if (is_device(a) != is_device(b)) return !is_device(a);
    if (!is_device(a)) return a < b;
    const auto position = [this](NodeIndex node) {
      const bool is_delay = draft_.nodes[node].kind == NodeKind::kDelay;
      const LaneIndex lane = draft_.nodes[node].lane;
      return std::tuple(lane, is_delay, is_delay ? draft_.end_ns(node) : Ns{0}, node);
    };
    return position(a) < position(b);
  }

  /// Edges between nodes that start at the same time, by source.
  void collect_ties() {
    for (const DraftEdge& edge : draft_.edges)
      if (draft_.start_ns(edge.source) == draft_.start_ns(edge.target))
        ties_.push_back({edge.source, edge.target});
    sort_rows(ties_);
  }

  /// Topological order of nodes that start together, smallest first; what a cycle leaves over comes
  /// last (its backward edges are dropped and counted).
  void sort_group(std::size_t begin, std::size_t end) {
    const std::vector<NodeIndex> all(order_.begin() + std::ptrdiff_t(begin),
                                     order_.begin() + std::ptrdiff_t(end));
    for (Vertex i = 0; i < all.size(); ++i) vertex_[all[i]] = i;
    Adjacency later;
    for (const NodeIndex node : all) {
      for (auto tie = std::lower_bound(ties_.begin(), ties_.end(), Tie{node, NodeIndex(0)});
           tie != ties_.end() && tie->source == node; ++tie)
        later.node.push_back(vertex_[tie->target]);
      later.end_node();
    }
    if (later.node.empty()) return;
    std::vector<bool> is_placed(all.size());
    auto place = order_.begin() + std::ptrdiff_t(begin);
    visit_by_key(later, std::identity(), [&](Vertex i) {
      *place++ = all[i];
      is_placed[i] = true;
    });
    for (Vertex i = 0; i < all.size(); ++i)
      if (!is_placed[i]) *place++ = all[i];
  }

  struct Tie {
    NodeIndex source, target;
    friend bool operator<(const Tie& a, const Tie& b) {
      return a.source != b.source ? a.source < b.source : a.target < b.target;
    }
  };

  const GraphDraft& draft_;
  std::vector<NodeIndex> order_;
  ByRow<Node, Vertex> vertex_;
  std::vector<Tie> ties_;
};

/// An edge between vertices.
struct NumberedEdge {
  Vertex source, target;
  Edge edge;

  std::pair<Vertex, Vertex> ends() const { return {source, target}; }
};

/// Order of edges from one node: between two nodes what the trace records comes before what is
/// inferred.
bool comes_before(const NumberedEdge& a, const NumberedEdge& b) {
  const auto position = [](const NumberedEdge& edge) {
    return std::tuple(edge.target, is_guess(edge.edge.inferred), edge.edge.evidence,
                      edge.edge.inferred);
  };
  return position(a) < position(b);
}

/// Moves the edges to the front that have no better one of the same ends and evidence before them.
/// edges: in order. Returns how many these are.
std::size_t keep_each_reason_once(std::span<NumberedEdge> edges) {
  std::size_t kept = 0, first = 0;  // first: of those kept between two nodes
  for (const NumberedEdge& edge : edges) {
    if (kept > 0 && edges[kept - 1].target != edge.target) first = kept;
    const auto is_same_reason = [&](const NumberedEdge& other) {
      return other.edge.evidence == edge.edge.evidence;
    };
    if (std::ranges::none_of(edges.subspan(first, kept - first), is_same_reason))
      edges[kept++] = edge;
  }
  return kept;
}

/// The draft's edges by the vertex they come from. Takes them out of the draft, which frees what
/// they take before as much is needed for what is made of them.
ValuesByNode<NumberedEdge> take_edges(GraphDraft& draft, const NodeOrder& order,
                                      Diagnostics& diagnostics) {
  const ByRow<DraftEdge> drafted = std::move(draft.edges);
  const auto numbered = [&](std::size_t i) {
    const DraftEdge& edge = drafted[DraftEdgeIndex(i)];
    return NumberedEdge{order.vertex(edge.source),
                        order.vertex(edge.target),
                        {edge.evidence, edge.inferred, edge.evidence == Evidence::kNesting}};
  };
  const auto source_of = [&](std::size_t i) {
    const NumberedEdge edge = numbered(i);
    return edge.source < edge.target ? edge.source : kNoIndex;
  };
  auto by_source = grouped_by_node(draft.nodes.size(), drafted.size(), source_of, numbered);
  diagnostics.report(Finding::kBackwardEdge, "between nodes that start together",
                     drafted.size() - by_source.node.size());
  return by_source;
}

/// The draft's edges in the order of their vertices, each reason between two nodes once.
std::vector<NumberedEdge> number_edges(GraphDraft& draft, const NodeOrder& order,
                                       Diagnostics& diagnostics) {
  auto [begin, edges] = take_edges(draft, order, diagnostics);
  std::size_t kept = 0;
  for (std::size_t source = 0; source + 1 < begin.size(); ++source) {
    const auto of_source =
        std::span(edges).subspan(begin[source], begin[source + 1] - begin[source]);
    std::sort(of_source.begin(), of_source.end(), comes_before);
    const std::size_t count = keep_each_reason_once(of_source);
    std::copy_n(of_source.begin(), count, edges.begin() + std::ptrdiff_t(kept));
    kept += count;
  }
  edges.resize(kept);
  return std::move(edges);  // a part of a structure, which is not moved by itself
}

GraphStructure structure_of(const std::vector<NumberedEdge>& edges, std::size_t nodes) {
  const auto ends = boost::make_transform_iterator(edges.begin(), std::mem_fn(&NumberedEdge::ends));
  const auto properties =
      boost::make_transform_iterator(edges.begin(), std::mem_fn(&NumberedEdge::edge));
  return {boost::edges_are_unsorted_multi_pass, ends, ends + std::ssize(edges), properties,
          static_cast<Vertex>(nodes)};
}

}  // namespace

void number_nodes(GraphDraft& draft, const ByRow<DeviceRows, MemoryAccess>& access,
                  BuiltGraph& graph, Diagnostics& diagnostics) {
  const NodeOrder order(draft);
  graph.structure = structure_of(number_edges(draft, order, diagnostics), draft.nodes.size());
  for (Node& node : draft.nodes)
    if (node.kind == NodeKind::kDelay)
      node.set_delayed_node(NodeIndex(order.vertex(node.delayed_node())));
  fill_columns(draft, order.order(), access, graph);
  graph.op_node.assign(draft.op_node.size(), kNoIndex);
  for (const LinkedOpIndex op : rows_of(draft.op_node))
    if (draft.op_node[op]) graph.op_node[op] = order.vertex(draft.op_node[op]);
}

}  // namespace nadi
