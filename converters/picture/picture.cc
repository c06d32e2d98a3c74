#include "nadi/converters/picture/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "nadi/converters/picture/choose_parts.h"
#include "nadi/emit/utf8.h"
#include "nadi/sim_bridge/replay/report.h"

namespace nadi {
namespace {

// Bytes of a name: a kernel's fills a screen.
constexpr std::size_t kMostLabel = 60, kMostGroupLabel = 36;

std::string time_text(Ns ns) {
  if (ns < 1'000) return fmt::format("{} ns", ns);
  if (ns < 1'000'000) return fmt::format("{:.1f} us", static_cast<double>(ns) / 1e3);
  return fmt::format("{:.2f} ms", static_cast<double>(ns) / 1e6);
}

/// The outermost op around each row, below the step; the row itself where there is none.
std::vector<std::uint32_t> outermost_ops(const SimGraph& graph) {
  constexpr std::string_view kStep = "ProfilerStep#";
  std::vector<std::uint32_t> outermost(graph.size());
  for (std::uint32_t row = 0; row < graph.size(); ++row) {
    const std::uint32_t parent = graph.parent[row];
    const bool is_inside = parent < row && !graph.name_of(parent).starts_with(kStep);
    outermost[row] = is_inside ? outermost[parent] : row;
  }
  return outermost;
}

/// Collects rows into picture nodes, and edges between them.
class Painter {
 public:
  Painter(const SimGraph& graph, const ChosenParts& chosen, Collapse collapse)
      : graph_(graph), chosen_(chosen), collapse_(collapse) {
    of_row_.assign(graph.size(), kNoIndex);
    if (collapse == Collapse::kCall) outermost_ = outermost_ops(graph);
  }

  Picture paint() {
    picture_.title = graph_.name;
    picture_.is_collapsed = collapse_ != Collapse::kNone;
    for (std::uint32_t row = 0; row < graph_.size(); ++row)
      if (chosen_.nodes[row] && !is_left_out(row)) add_node(row);
    if (chosen_.path) add_path(*chosen_.path);
    for (std::uint32_t row = 0; row < graph_.size() && !chosen_.path; ++row) {
      if (of_row_[row] == kNoIndex) continue;
      add_data_edges(row);
      add_ctrl_edges(row);
    }
    for (PictureNode& node : picture_.nodes) finish_label(node);
    for (const auto& [key, count] : edges_) {
      const auto& [source, target, evidence, inferred] = key;
      picture_.edges.push_back({source, target, evidence, inferred, count});
    }
    return std::move(picture_);
  }

 private:
  using GroupKey = std::tuple<std::uint32_t, PictureKind, std::string_view>;
  using EdgeKey = std::tuple<std::uint32_t, std::uint32_t, Evidence, bool>;

  bool is_left_out(std::uint32_t row) const {
    return collapse_ != Collapse::kNone && graph_.kind[row] == SimNodeKind::kDelay;
  }

  void add_node(std::uint32_t row) {
    const PictureKind kind = collapse_ != Collapse::kStream ? picture_kind_of(graph_, row)
                             : graph_.is_device(row)        ? PictureKind::kKernel
                                                            : PictureKind::kHost;
    if (collapse_ == Collapse::kNone) {
      of_row_[row] = new_node(row, kind, graph_.name_of(row), std::to_string(graph_.id[row]));
    } else {
      const bool by_lane = collapse_ == Collapse::kStream;
      const GroupKey key{graph_.lane[row], kind,
                         by_lane ? std::string_view() : graph_.name_of(outermost_[row])};
      const auto [group, is_new] = groups_.try_emplace(key, kNoIndex);
      if (is_new)
        group->second =
            new_node(row, kind, std::get<2>(key), "g" + std::to_string(picture_.nodes.size() + 1));
      of_row_[row] = group->second;
    }
    PictureNode& node = picture_.nodes[of_row_[row]];
    ++node.count;
    node.duration_ns += kind == PictureKind::kDelay ? 0 : graph_.duration_ns[row];
  }

  std::uint32_t new_node(std::uint32_t row, PictureKind kind, std::string_view name,
                         std::string id) {
    const std::string lane = lane_text(graph_.lanes[graph_.lane[row]]);
    const std::size_t most = picture_.is_collapsed ? kMostGroupLabel : kMostLabel;
    picture_.nodes.push_back({std::move(id), cut_text(name.empty() ? lane : name, most), lane, kind,
                              0, graph_.start_ns[row], 0});
    return static_cast<std::uint32_t>(picture_.nodes.size() - 1);
  }

  void finish_label(PictureNode& node) const {
    if (collapse_ != Collapse::kNone)
      node.label += fmt::format("\n{} {}", node.count, node.count == 1 ? "node" : "nodes");
    node.label += "\n" + time_text(node.duration_ns);
  }

  void add_data_edges(std::uint32_t row) {
    const RowEvidence evidence(graph_, row);
    for (const std::uint32_t source : graph_.data_dependencies(row))
      add_edge(source, row, evidence.from(source));
  }

  /// One chain: an edge from each row to the next, across delays that are left out. Rows that were
  /// waited for on the lane alone have its order between them.
  void add_path(const std::vector<std::uint32_t>& path) {
    std::uint32_t last = kNoIndex;
    bool is_delayed = false;
    for (const std::uint32_t row : path) {
      if (of_row_[row] == kNoIndex) {
        is_delayed |= is_left_out(row);
        if (!is_left_out(row)) last = kNoIndex;  // not chosen: nothing leads across it
        continue;
      }
      if (last != kNoIndex)
        add_edge(last, row,
                 is_delayed ? Edge{Evidence::kDelay, false} : RowEvidence(graph_, row).from(last));
      last = row;
      is_delayed = false;
    }
  }

  /// A caller that is waited for, too, is among the data dependencies alone.
  void add_ctrl_edges(std::uint32_t row) {
    constexpr Edge kNesting{Evidence::kNesting, false};
    const auto callers = graph_.ctrl_dependencies(row);
    for (const std::uint32_t source : callers) add_edge(source, row, kNesting);
    const std::uint32_t parent = graph_.parent[row];
    if (parent != kNoIndex && std::find(callers.begin(), callers.end(), parent) == callers.end())
      add_edge(parent, row, kNesting);
  }

  void add_edge(std::uint32_t source, std::uint32_t target, const Edge& edge) {
    const std::uint32_t from = of_row_[source], to = of_row_[target];
    if (from == kNoIndex || (from == to && collapse_ != Collapse::kNone)) return;
    ++edges_[{from, to, edge.evidence, edge.inferred}];
  }

  const SimGraph& graph_;
  const ChosenParts& chosen_;
  const Collapse collapse_;
  Picture picture_;
  std::vector<std::uint32_t> outermost_;  // by row; where calls are collapsed
  std::vector<std::uint32_t> of_row_;     // into picture_.nodes; kNoIndex = not shown
  std::map<GroupKey, std::uint32_t> groups_;
  std::map<EdgeKey, std::uint64_t> edges_;
};

}  // namespace

Picture make_picture(const SimGraph& graph, const PictureOptions& options,
                     Diagnostics& diagnostics) {
  const ChosenParts chosen = choose_parts(graph, options);
  const auto left_out = std::count(chosen.nodes.begin(), chosen.nodes.end(), false);
  if (left_out > 0)
    diagnostics.report("nodes-left-out", Severity::kInfo, "not chosen",
                       static_cast<std::uint64_t>(left_out));
  return Painter(graph, chosen, options.collapse).paint();
}

}  // namespace nadi
