#include "nadi/converters/picture/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/range/iterator_range.hpp>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/base/utf8.h"
#include "nadi/chakra/edge_evidence.h"
#include "nadi/chakra/node_ids.h"
#include "nadi/model/step_names.h"
#include "nadi/sim_bridge/replay/critical_path.h"
#include "nadi/sim_bridge/replay/report.h"

namespace nadi {
namespace {

// Chooses the nodes and edges of a graph that a picture shows.

struct ChosenParts {
  std::optional<std::int32_t> step;
  std::vector<bool> nodes;  ///< by row of the graph
  /// Of a critical path its rows in order: edges are shown along it alone.
  std::optional<std::vector<std::uint32_t>> path;
};

std::uint32_t row_of(const Graph& graph, std::uint64_t id) {
  const std::uint32_t row = find_id(graph.id, {}, id);
  if (row == kNoIndex)
    throw Error(ErrorCode::kUsage, "`around` " + std::to_string(id),
                graph.name + " has no such node",
                "Its ids are " + std::to_string(graph.id.front()) + " to " +
                    std::to_string(graph.id.back()));
  return row;
}

/// Rows at most `hops` edges from the first: along data edges in either direction, along ctrl edges
/// to callers alone.
std::vector<bool> neighbourhood(const Graph& graph, std::uint32_t first, std::uint64_t hops) {
  std::vector<bool> is_in(graph.size(), false);
  std::vector<std::uint32_t> border = {first};
  is_in[first] = true;
  for (std::uint64_t hop = 0; hop < hops && !border.empty(); ++hop) {
    std::vector<std::uint32_t> next;
    const auto reach = [&](std::uint32_t row) {
      if (is_in[row]) return;
      is_in[row] = true;
      next.push_back(row);
    };
    for (const std::uint32_t row : border) {
      for (const std::uint32_t source : graph.dependencies(row)) reach(source);
      for (const auto& edge : boost::make_iterator_range(out_edges(row, graph.structure)))
        if (!graph.structure[edge].is_control) reach(target(edge, graph.structure));
    }
    border = std::move(next);
  }
  return is_in;
}

void keep(std::vector<bool>& chosen, const std::vector<bool>& wanted) {
  for (std::size_t row = 0; row < chosen.size(); ++row) chosen[row] = chosen[row] && wanted[row];
}

std::vector<bool> of_step(const Graph& graph, std::int32_t step) {
  std::vector<bool> is_in(graph.size());
  for (std::size_t row = 0; row < graph.size(); ++row) is_in[row] = graph.step[row] == step;
  if (std::find(is_in.begin(), is_in.end(), true) != is_in.end()) return is_in;
  std::string there;
  for (const std::int32_t other : std::set(graph.step.begin(), graph.step.end()))
    if (other >= 0) there += (there.empty() ? "" : ", ") + std::to_string(other);
  throw Error(ErrorCode::kUsage, "`step` " + std::to_string(step), graph.name + " has no such step",
              there.empty() ? "It has none: leave the option out" : "It has " + there);
}

/// Rows in the order in which the end had to wait for them, each once in a row.
std::vector<std::uint32_t> critical_rows(const Graph& graph) {
  Diagnostics ignored;
  const ReplayJob job = make_replay_job({&graph, 1}, ignored);
  std::vector<std::uint32_t> rows;
  for (const PathPiece& piece : critical_path(job, replay(job)))
    if (piece.node != kNoIndex && (rows.empty() || rows.back() != piece.node))
      rows.push_back(piece.node);
  return rows;
}

/// The first step of which rows are on the path. The profiler marks whole steps alone.
std::optional<std::int32_t> first_step(const Graph& graph, std::span<const std::uint32_t> rows) {
  std::optional<std::int32_t> first;
  for (const std::uint32_t row : rows)
    if (graph.step[row] >= 0) first = std::min(first.value_or(graph.step[row]), graph.step[row]);
  return first;
}

void keep_critical_path(const Graph& graph, const PictureOptions& options, ChosenParts& chosen) {
  chosen.path = critical_rows(graph);
  if (!options.step && !options.around && !options.all_steps) {
    chosen.step = first_step(graph, *chosen.path);
    if (chosen.step) keep(chosen.nodes, of_step(graph, *chosen.step));
  }
  std::vector<bool> is_in(graph.size(), false);
  for (const std::uint32_t row : *chosen.path) is_in[row] = true;
  keep(chosen.nodes, is_in);
}

/// Throws what make_picture() throws.
ChosenParts choose_parts(const Graph& graph, const PictureOptions& options) {
  ChosenParts chosen{options.step, std::vector<bool>(graph.size(), true), {}};
  if (options.around)
    keep(chosen.nodes, neighbourhood(graph, row_of(graph, *options.around), options.hops));
  if (options.step) keep(chosen.nodes, of_step(graph, *options.step));
  if (options.critical_path) keep_critical_path(graph, options, chosen);
  return chosen;
}

// Bytes of a name: a kernel's fills a screen.
constexpr std::size_t kMostLabel = 60, kMostGroupLabel = 36;

/// The outermost op around each row, below the step; the row itself where there is none.
std::vector<std::uint32_t> outermost_ops(const Graph& graph) {
  std::vector<std::uint32_t> outermost(graph.size());
  for (std::uint32_t row = 0; row < graph.size(); ++row) {
    const std::uint32_t parent = graph.parent[row];
    const bool is_inside = parent < row && !is_step_name(graph.name_of(parent));
    outermost[row] = is_inside ? outermost[parent] : row;
  }
  return outermost;
}

// Folds what of a path is too much for a picture.

/// Of each node its own time, and the delays within and before it.
std::vector<Ns> times_of_path(const Picture& picture) {
  std::vector<Ns> times;
  for (const PictureNode& node : picture.nodes) times.push_back(node.duration_ns + node.delay_ns);
  for (const PictureEdge& edge : picture.edges) times[edge.target] += edge.delay_ns;
  return times;
}

/// True of the nodes to keep: the longest ones, so many that with a fold for each stretch of others
/// there are at most `most`.
std::vector<bool> longest_of_path(const std::vector<Ns>& times, std::size_t most) {
  std::vector<std::uint32_t> by_time(times.size());
  std::iota(by_time.begin(), by_time.end(), 0U);
  std::stable_sort(by_time.begin(), by_time.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return times[a] > times[b]; });
  std::vector<bool> is_kept(times.size(), false);
  const auto is_other = [&](std::size_t position) {
    return position < times.size() && !is_kept[position];
  };
  std::size_t kept = 0, folds = times.empty() ? 0 : 1;
  for (const std::uint32_t node : by_time) {
    // It ends a fold, cuts one in two, or takes its place.
    const std::size_t beside = std::size_t{node > 0 && is_other(node - 1)} + is_other(node + 1);
    if (kept + 1 + folds + beside - 1 > most) break;
    is_kept[node] = true;
    ++kept;
    folds = folds + beside - 1;
  }
  for (std::size_t i = 0; i < times.size(); ++i)  // a fold of one node would take as much room
    if (!is_kept[i] && (i == 0 || is_kept[i - 1]) && !is_other(i + 1)) is_kept[i] = true;
  return is_kept;
}

/// A fold without nodes so far, which begins as this node does.
PictureNode new_fold(const PictureNode& first, std::size_t number) {
  PictureNode fold;
  fold.id = "f" + std::to_string(number);
  fold.lane = first.lane;
  fold.kind = first.kind;
  fold.is_folded = true;
  fold.first_id = first.first_id;
  fold.start_ns = first.start_ns;
  return fold;
}

void add_to_fold(PictureNode& fold, const PictureNode& node) {
  fold.count += node.count;
  fold.duration_ns += node.duration_ns;
  fold.delay_ns += node.delay_ns;
  if (fold.lane != node.lane) fold.lane = "several lanes";
}

/// The nodes are in the path's order.
void fold_path(Picture& picture, std::size_t most) {
  if (picture.nodes.size() <= most) return;
  const std::vector<bool> is_kept = longest_of_path(times_of_path(picture), most);
  std::vector<PictureNode> nodes;
  std::vector<std::uint32_t> position(picture.nodes.size());
  std::size_t folds = 0;
  for (std::size_t i = 0; i < picture.nodes.size(); ++i) {
    if (is_kept[i])
      nodes.push_back(picture.nodes[i]);
    else if (nodes.empty() || !nodes.back().is_folded)
      nodes.push_back(new_fold(picture.nodes[i], ++folds));
    if (!is_kept[i]) add_to_fold(nodes.back(), picture.nodes[i]);
    position[i] = static_cast<std::uint32_t>(nodes.size() - 1);
  }
  for (PictureEdge& edge : picture.edges) {
    edge.source = position[edge.source];
    edge.target = position[edge.target];
    if (edge.source == edge.target) nodes[edge.source].delay_ns += edge.delay_ns;
  }
  std::erase_if(picture.edges, [](const PictureEdge& edge) { return edge.source == edge.target; });
  picture.nodes = std::move(nodes);
}

std::string title_of(const Graph& graph, const ChosenParts& chosen) {
  return graph.name + (chosen.step ? ", step " + std::to_string(*chosen.step) : "") +
         (chosen.path ? ", critical path" : "");
}

/// Collects rows into picture nodes, and edges between them.
class Painter {
 public:
  Painter(const Graph& graph, const ChosenParts& chosen, Collapse collapse)
      : graph_(graph), chosen_(chosen), collapse_(collapse) {
    of_row_.assign(graph.size(), kNoIndex);
    if (collapse == Collapse::kCall) outermost_ = outermost_ops(graph);
  }

  Picture paint() {
    picture_.title = title_of(graph_, chosen_);
    picture_.is_path = chosen_.path.has_value();
    picture_.step = chosen_.step;
    picture_.collapse = collapse_;
    if (chosen_.path)
      add_path(*chosen_.path);
    else
      add_all();
    for (const auto& [key, edge] : edges_) picture_.edges.push_back(edge);
    if (picture_.is_path) fold_path(picture_, kMostPathNodes);
    for (PictureNode& node : picture_.nodes) finish_label(node);
    return std::move(picture_);
  }

 private:
  using GroupKey = std::tuple<std::uint32_t, PictureKind, std::string_view>;  // lane, kind, name
  using EdgeKey = std::tuple<std::uint32_t, std::uint32_t, Evidence, bool>;

  bool is_collapsed() const { return collapse_ != Collapse::kNone; }

  bool is_shown(std::uint32_t row) const { return chosen_.nodes[row] && !is_left_out(row); }

  bool is_left_out(std::uint32_t row) const {
    return (is_collapsed() || chosen_.path) && graph_.kind[row] == NodeKind::kDelay;
  }

  void add_all() {
    std::map<GroupKey, std::uint32_t> groups;
    for (std::uint32_t row = 0; row < graph_.size(); ++row) {
      if (!is_shown(row)) continue;
      if (!is_collapsed()) {
        add_to(new_node(row), row);
        continue;
      }
      const auto [group, is_new] = groups.try_emplace(group_key(row), kNoIndex);
      if (is_new) group->second = new_node(row);
      add_to(group->second, row);
    }
    for (std::uint32_t row = 0; row < graph_.size(); ++row) {
      if (of_row_[row] == kNoIndex) continue;
      add_data_edges(row);
      add_ctrl_edges(row);
    }
  }

  /// What a row shares with the others of its group.
  GroupKey group_key(std::uint32_t row) const {
    const std::uint32_t lane = graph_.lane[row];
    if (collapse_ == Collapse::kStream)
      return {lane, graph_.is_device(row) ? PictureKind::kKernel : PictureKind::kHost, {}};
    const PictureKind kind = picture_kind_of(graph_, row);
    const bool is_of_op = collapse_ == Collapse::kCall && kind == PictureKind::kHost;
    return {lane, kind, graph_.name_of(is_of_op ? outermost_[row] : row)};
  }

  /// A node without rows so far, which is named and begins as this row does.
  std::uint32_t new_node(std::uint32_t row) {
    const auto [lane, kind, name] = group_key(row);
    PictureNode node;
    node.kind = kind;
    node.lane = lane_text(graph_.lanes[lane]);
    node.label =
        cut_text(name.empty() ? node.lane : name, is_collapsed() ? kMostGroupLabel : kMostLabel);
    node.first_id = graph_.id[row];
    node.id = is_collapsed() ? "g" + std::to_string(picture_.nodes.size() + 1)
                             : std::to_string(node.first_id);
    node.start_ns = graph_.start_ns[row];
    picture_.nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(picture_.nodes.size() - 1);
  }

  void add_to(std::uint32_t position, std::uint32_t row) {
    of_row_[row] = position;
    PictureNode& node = picture_.nodes[position];
    ++node.count;
    node.duration_ns += graph_.duration_ns[row];
  }

  static void finish_label(PictureNode& node) {
    if (node.is_folded)
      node.label = fmt::format("… {} nodes, first {}", node.count, node.first_id);
    else
      node.label += node.count == 1
                        ? fmt::format("\nnode {}", node.first_id)
                        : fmt::format("\n{} nodes, first {}", node.count, node.first_id);
    node.label += "\n" + picture_time_text(node.duration_ns);
    if (node.delay_ns > 0) node.label += ", delays " + picture_time_text(node.delay_ns);
  }

  void add_data_edges(std::uint32_t row) {
    const Sources sources = graph_.data_dependencies(row);
    for (auto source = sources.begin(); source != sources.end(); ++source)
      add_edge(*source, row, source.edge());
  }

  /// The recorded reason of the edge, else that of its ends: on a path a lane may be its reason.
  Edge why_waits(std::uint32_t row, std::uint32_t last) const {
    const Sources sources = graph_.data_dependencies(row);
    const auto edge = std::find(sources.begin(), sources.end(), last);
    return edge == sources.end() ? Edge{evidence_of_ends(graph_, last, row)} : edge.edge();
  }

  /// One chain: an edge from each row to the next, across delays that are left out; a group is a
  /// stretch of it. Rows that were waited for on the lane alone have its order between them.
  void add_path(const std::vector<std::uint32_t>& path) {
    std::uint32_t last = kNoIndex;
    bool is_delayed = false;  // since then
    Ns delay_ns = 0;
    for (const std::uint32_t row : path) {
      if (is_left_out(row)) {
        is_delayed = true;
        delay_ns += graph_.duration_ns[row];
        continue;
      }
      if (!is_shown(row)) {  // nothing leads across it
        last = kNoIndex;
        is_delayed = false;
        delay_ns = 0;
        continue;
      }
      const bool goes_on = is_collapsed() && last != kNoIndex && group_key(row) == group_key(last);
      add_to(goes_on ? of_row_[last] : new_node(row), row);
      if (goes_on || last == kNoIndex) {
        picture_.nodes[of_row_[row]].delay_ns += delay_ns;
      } else {
        const Edge edge = is_delayed ? Edge{Evidence::kDelay} : why_waits(row, last);
        add_edge(last, row, edge, delay_ns);
      }
      last = row;
      is_delayed = false;
      delay_ns = 0;
    }
  }

  /// A caller that is waited for, too, is among the data dependencies alone; of a device row it is
  /// what launched it.
  void add_ctrl_edges(std::uint32_t row) {
    constexpr Edge kNesting{Evidence::kNesting};
    const auto callers = graph_.ctrl_dependencies(row);
    for (const std::uint32_t source : callers) add_edge(source, row, kNesting);
    const std::uint32_t parent = graph_.parent[row];
    const auto drawn = graph_.is_device(row) ? graph_.dependencies(row) : callers;
    if (parent != kNoIndex && std::find(drawn.begin(), drawn.end(), parent) == drawn.end())
      add_edge(parent, row, kNesting);
  }

  void add_edge(std::uint32_t source, std::uint32_t target, const Edge& edge, Ns delay_ns = 0) {
    const std::uint32_t from = of_row_[source], to = of_row_[target];
    if (from == kNoIndex || (from == to && is_collapsed())) return;
    const bool inferred = is_guess(edge.inferred);
    const PictureEdge none{from, to, edge.evidence, inferred, 0};
    PictureEdge& added =
        edges_.try_emplace({from, to, edge.evidence, inferred}, none).first->second;
    ++added.count;
    added.delay_ns += delay_ns;
  }

  const Graph& graph_;
  const ChosenParts& chosen_;
  const Collapse collapse_;
  Picture picture_;
  std::vector<std::uint32_t> outermost_;  // by row; where calls are collapsed
  std::vector<std::uint32_t> of_row_;     // into picture_.nodes; kNoIndex = not shown
  std::map<EdgeKey, PictureEdge> edges_;
};

}  // namespace

std::string picture_time_text(Ns ns) {
  if (ns < 1'000) return fmt::format("{} ns", ns);
  if (ns < 1'000'000) return fmt::format("{:.1f} us", static_cast<double>(ns) / 1e3);
  return fmt::format("{:.2f} ms", static_cast<double>(ns) / 1e6);
}

Picture make_picture(const Graph& graph, const PictureOptions& options, Diagnostics& diagnostics) {
  const ChosenParts chosen = choose_parts(graph, options);
  const auto left_out = std::count(chosen.nodes.begin(), chosen.nodes.end(), false);
  if (left_out > 0)
    diagnostics.report(Finding::kNodesLeftOut, "not chosen", static_cast<std::uint64_t>(left_out));
  return Painter(graph, chosen, options.collapse).paint();
}

}  // namespace nadi
