#include "nadi/link/graph_dependencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "nadi/base/sort_unique.h"

namespace nadi {
namespace {

/// Dependencies of lost rows that are looked through for what a row behind them waited for.
constexpr std::size_t kMostBehind = 256;
/// The dependencies of a CUDA graph are given to all of its launches if they are no more than so
/// many for each row, and for each dependency that was recorded.
constexpr std::size_t kMostForRow = 64, kMostForRecorded = 16;

/// A node of a CUDA graph, by the position of its id among those of all its nodes.
struct RecordedNode;
using RecordedNodeIndex = Index<RecordedNode>;

struct NodeDependency {
  RecordedNodeIndex target, source;
  std::uint32_t recorded = 0;  ///< in so many launches
  std::uint32_t possible = 0;  ///< so many launches record dependencies and hold both rows
  bool is_contradicted() const { return possible > recorded; }
};

using GraphNode = std::pair<std::uint64_t, std::uint64_t>;  // ids of a CUDA graph and of its node

/// A row of one launch of a CUDA graph, the last one of its node.
struct NodeRow {
  RecordedNodeIndex node;
  DeviceRowIndex row;
};

/// All rows and recorded dependencies of one CUDA graph.
class RecordedGraph {
 public:
  /// rows: by correlation, node id, start; dependencies: by target, then source; both of that
  /// graph.
  RecordedGraph(LinkedTrace& linked, std::span<const DeviceRowIndex> rows,
                std::span<const GraphDependency> dependencies, const std::set<GraphNode>& partly)
      : linked_(linked), device_(linked.device.rows), recorded_(dependencies), partly_(partly) {
    for (const DeviceRowIndex row : rows) nodes_.push_back(device_.graph_node_id[row]);
    sort_unique(nodes_);
    row_of_node_.assign(nodes_.size(), {});
    learn();
    std::size_t all = 0;
    for (const DeviceRowIndex row : rows) all += sources_of(node_of(row)).size();
    has_too_many_ = all > rows.size() * kMostForRow + recorded_.size() * kMostForRecorded;
    if (has_too_many_) {
      add_recorded();
      return;
    }
    for_each_launch(rows, [&](std::span<const NodeRow> launch) { count_possible(launch); });
    for_each_launch(rows, [&](std::span<const NodeRow> launch) { add(launch); });
  }

  /// Each launch keeps what was recorded in it, and is ordered by time as well.
  bool has_too_many() const { return has_too_many_; }
  std::size_t contradicted() const {
    return static_cast<std::size_t>(
        std::count_if(learned_.begin(), learned_.end(),
                      [](const NodeDependency& one) { return one.is_contradicted(); }));
  }

 private:
  RecordedNodeIndex node_of(DeviceRowIndex row) const {
    const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), device_.graph_node_id[row]);
    return RecordedNodeIndex(static_cast<std::size_t>(found - nodes_.begin()));
  }

  void learn() {
    for (const GraphDependency& one : recorded_)
      learned_.push_back({node_of(one.target), node_of(one.source)});
    const auto key = [](const NodeDependency& one) { return std::tuple(one.target, one.source); };
    std::sort(learned_.begin(), learned_.end(),
              [&](const NodeDependency& a, const NodeDependency& b) { return key(a) < key(b); });
    std::size_t size = 0;
    for (const NodeDependency& one : learned_) {
      if (size == 0 || key(learned_[size - 1]) != key(one)) learned_[size++] = one;
      ++learned_[size - 1].recorded;
      last_known_ = std::max({last_known_, one.source, one.target});
    }
    learned_.resize(size);
    is_known_.assign(nodes_.size(), false);
    for (const NodeDependency& one : learned_) is_known_[one.source] = is_known_[one.target] = true;
  }

  template <class Visit>
  void for_each_launch(std::span<const DeviceRowIndex> rows, const Visit& visit) {
    std::vector<NodeRow> launch;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const RecordedNodeIndex node = node_of(rows[i]);
      const bool is_new =
          i == 0 || device_.correlation[rows[i]] != device_.correlation[rows[i - 1]];
      if (is_new && !launch.empty()) visit_launch(launch, visit);
      if (!launch.empty() && launch.back().node == node)
        launch.back().row = rows[i];
      else
        launch.push_back({node, rows[i]});
    }
    if (!launch.empty()) visit_launch(launch, visit);
  }

  template <class Visit>
  void visit_launch(std::vector<NodeRow>& launch, const Visit& visit) {
    for (const NodeRow& one : launch) row_of_node_[one.node] = one.row;
    visit(std::span<const NodeRow>(launch));
    for (const NodeRow& one : launch) row_of_node_[one.node] = {};
    launch.clear();
  }

  std::span<NodeDependency> sources_of(RecordedNodeIndex node) {
    const auto first =
        std::partition_point(learned_.begin(), learned_.end(),
                             [&](const NodeDependency& one) { return one.target < node; });
    const auto end = std::partition_point(
        first, learned_.end(), [&](const NodeDependency& one) { return one.target == node; });
    return {first, end};
  }

  bool is_recorded(DeviceRowIndex target, DeviceRowIndex source) const {
    return std::binary_search(recorded_.begin(), recorded_.end(), GraphDependency{target, source});
  }

  bool records_any(std::span<const NodeRow> launch) const {
    return std::any_of(launch.begin(), launch.end(), [&](const NodeRow& one) {
      const auto found = std::lower_bound(recorded_.begin(), recorded_.end(),
                                          GraphDependency{one.row, DeviceRowIndex(0)});
      return found != recorded_.end() && found->target == one.row;
    });
  }

  void count_possible(std::span<const NodeRow> launch) {
    if (!records_any(launch)) return;
    for (const NodeRow& one : launch)
      for (NodeDependency& dependency : sources_of(one.node))
        if (row_of_node_[dependency.source]) ++dependency.possible;
  }

  void add(std::span<const NodeRow> launch) {
    for (const NodeRow& one : launch) {
      // Of a child graph, whose nodes have higher ids than those of the graph itself.
      if (!is_known_[one.node] && one.node > last_known_) continue;
      const bool is_whole = add_sources(one) && !partly_.contains(GraphNode{
                                                    device_.graph_id[one.row], nodes_[one.node]});
      linked_.rows.has_recorded_order[one.row] = is_whole ? 1 : 0;
    }
  }

  /// False where that is not all: the launch contradicts others, or too many rows are lost.
  bool add_sources(const NodeRow& target) {
    bool is_whole = true;
    lost_.clear();
    for (const NodeDependency& one : sources_of(target.node)) {
      const DeviceRowIndex source = row_of_node_[one.source];
      if (!source)
        lost_.push_back(one.source);
      else if (!one.is_contradicted() || is_recorded(target.row, source))
        add_dependency(target.row, source);
      else
        is_whole = false;
    }
    return add_sources_behind(target) && is_whole;
  }

  /// Of the rows that are lost before the target; false where they are too many.
  bool add_sources_behind(const NodeRow& target) {
    std::size_t looked_at = lost_.size();
    for (std::size_t i = 0; i < lost_.size(); ++i)
      for (const NodeDependency& one : sources_of(lost_[i])) {
        if (++looked_at > kMostBehind) return false;
        const DeviceRowIndex source = row_of_node_[one.source];
        if (one.is_contradicted() || source == target.row) continue;
        if (source)
          add_dependency(target.row, source);
        else if (std::find(lost_.begin(), lost_.end(), one.source) == lost_.end())
          lost_.push_back(one.source);
      }
    return true;
  }

  void add_recorded() {
    linked_.graph_dependencies.insert(linked_.graph_dependencies.end(), recorded_.begin(),
                                      recorded_.end());
  }

  void add_dependency(DeviceRowIndex target, DeviceRowIndex source) {
    linked_.graph_dependencies.push_back({target, source});
  }

  LinkedTrace& linked_;
  const DeviceRows& device_;
  std::span<const GraphDependency> recorded_;
  const std::set<GraphNode>& partly_;         // waited for more than is recorded
  ByRow<RecordedNode, std::uint64_t> nodes_;  // ids, ascending
  std::vector<NodeDependency> learned_;       // by target, then source
  ByRow<RecordedNode, bool> is_known_;        // a dependency has it
  RecordedNodeIndex last_known_{0};           // of those nodes
  // Of the launch that is visited; none = lost.
  ByRow<RecordedNode, DeviceRowIndex> row_of_node_;
  std::vector<RecordedNodeIndex> lost_;  // nodes behind the row that is visited
  bool has_too_many_ = false;
};

/// Rows of CUDA graphs that have dependencies, by graph, launch, node and time.
std::vector<DeviceRowIndex> rows_of_graphs(const DeviceTrace& device) {
  const DeviceRows& rows = device.rows;
  std::vector<std::uint64_t> graphs;
  for (const GraphDependency& one : device.graph_dependencies)
    if (graphs.empty() || graphs.back() != rows.graph_id[one.target])
      graphs.push_back(rows.graph_id[one.target]);
  std::sort(graphs.begin(), graphs.end());
  std::vector<DeviceRowIndex> found;
  for (const DeviceRowIndex row : rows_of(rows))
    if (rows.correlation[row] > 0 &&
        std::binary_search(graphs.begin(), graphs.end(), rows.graph_id[row]))
      found.push_back(row);
  const auto key = [&](DeviceRowIndex row) {
    return std::tuple(rows.graph_id[row], rows.correlation[row], rows.graph_node_id[row],
                      rows.start_ns[row], row);
  };
  std::sort(found.begin(), found.end(),
            [&](DeviceRowIndex a, DeviceRowIndex b) { return key(a) < key(b); });
  return found;
}

}  // namespace

void learn_graph_dependencies(LinkedTrace& linked, Diagnostics& diagnostics) {
  if (linked.device.graph_dependencies.empty()) return;
  const DeviceRows& rows = linked.device.rows;
  std::vector<GraphDependency> recorded = linked.device.graph_dependencies;
  std::sort(
      recorded.begin(), recorded.end(), [&](const GraphDependency& a, const GraphDependency& b) {
        return std::tuple(rows.graph_id[a.target], a) < std::tuple(rows.graph_id[b.target], b);
      });
  const std::vector<DeviceRowIndex> of_graphs = rows_of_graphs(linked.device);
  std::set<GraphNode> partly;
  for (const DeviceRowIndex row : linked.device.partly_recorded_rows)
    partly.emplace(rows.graph_id[row], rows.graph_node_id[row]);
  const auto graph_of = [&](const GraphDependency& one) { return rows.graph_id[one.target]; };
  for (auto first = recorded.begin(); first != recorded.end();) {
    const std::uint64_t graph = graph_of(*first);
    const auto end = std::partition_point(
        first, recorded.end(), [&](const GraphDependency& one) { return graph_of(one) == graph; });
    const auto first_row =
        std::partition_point(of_graphs.begin(), of_graphs.end(),
                             [&](DeviceRowIndex row) { return rows.graph_id[row] < graph; });
    const auto end_row = std::partition_point(first_row, of_graphs.end(), [&](DeviceRowIndex row) {
      return rows.graph_id[row] == graph;
    });
    const RecordedGraph learned(linked, {first_row, end_row}, {first, end}, partly);
    if (const std::size_t count = learned.contradicted(); count > 0)
      diagnostics.report(Finding::kGraphDependenciesContradict, fmt::format("graph {}", graph),
                         count);
    if (learned.has_too_many())
      diagnostics.report(Finding::kGraphDependenciesTooMany, fmt::format("graph {}", graph));
    first = end;
  }
  sort_unique(linked.graph_dependencies);
}

}  // namespace nadi
