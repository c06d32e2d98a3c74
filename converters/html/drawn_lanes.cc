#include "nadi/converters/html/drawn_lanes.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "nadi/base/adjacency.h"
#include "nadi/base/lane_sweep.h"
#include "nadi/converters/html/lane_pieces.h"
#include "nadi/sim_bridge/replay/report.h"

namespace nadi::html {
namespace {

constexpr std::size_t kLanesDrawn = 64, kMostPieces = 40'000, kMostGraphs = 32;
constexpr std::size_t kDrawnNameBytes = 240, kAllNamesBytes = 1'500'000;

/// Longer than any drawing; four times as much can still be added. Graphs come from strangers.
constexpr Ns kFar = Ns{1} << 57;

Ns time_since(Ns origin_ns, Ns ns) {
  Ns since = 0;
  return __builtin_sub_overflow(ns, origin_ns, &since) ? kFar : std::clamp<Ns>(since, 0, kFar);
}

void sort_by_begin(std::vector<LaneNode>& nodes) {
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const LaneNode& a, const LaneNode& b) { return a.begin_ns < b.begin_ns; });
}

/// By lane, in order of start, times since the origin; names are rows.
std::vector<std::vector<LaneNode>> nodes_by_lane(const Graph& graph, const DrawnRun& run,
                                                 Ns origin_ns) {
  std::vector<std::vector<LaneNode>> lanes(graph.lanes.size());
  for (std::uint32_t row = 0; row < graph.size(); ++row) {
    const PictureKind kind = picture_kind_of(graph, row);
    if (run.is_measured && kind == PictureKind::kDelay) continue;
    lanes[graph.lane[row]].push_back({time_since(origin_ns, run.start_ns[row]),
                                      time_since(origin_ns, run.end_ns[row]), row, kind});
  }
  for (std::vector<LaneNode>& lane : lanes) sort_by_begin(lane);
  return lanes;
}

/// By row: the latest end of what it depends on, through delays, since the origin; 0 = of nothing.
std::vector<Ns> explained_until(const Graph& graph, const DrawnRun& run, Ns origin_ns) {
  std::vector<Ns> until(graph.size());
  for (const std::uint32_t row : topological_order(DependentsOf{graph}))
    for (const std::uint32_t source : graph.dependencies(row)) {
      const bool is_delay = graph.kind[source] == NodeKind::kDelay;
      const Ns end = is_delay ? until[source] : time_since(origin_ns, run.end_ns[source]);
      until[row] = std::max(until[row], end);
    }
  return until;
}

/// Puts the gaps between a lane's nodes that no dependency explains between them, as delays.
void add_unexplained(const std::vector<Ns>& explained, std::vector<LaneNode>& lane) {
  std::vector<LaneNode> gaps;
  LaneSweep sweep(0);
  for (const LaneNode& node : lane) {
    const LaneStretch added = sweep.next(node.begin_ns, node.end_ns, explained[node.name]);
    if (added.unexplained_ns() > 0)
      gaps.push_back({added.explained_until, added.start, node.name, PictureKind::kDelay});
  }
  lane.insert(lane.end(), gaps.begin(), gaps.end());
  sort_by_begin(lane);
}

Ns first_start(std::span<const DrawnRun> runs) {
  Ns first = std::numeric_limits<Ns>::max();
  for (const DrawnRun& run : runs)
    for (const Ns start : run.start_ns) first = std::min(first, start);
  return first;
}

Ns last_end(std::span<const DrawnRun> runs, Ns origin_ns) {
  Ns last = 0;
  for (const DrawnRun& run : runs)
    for (const Ns end : run.end_ns) last = std::max(last, time_since(origin_ns, end));
  return last;
}

/// The busiest lanes of the first run, as a mark per lane.
std::vector<bool> choose_lanes(const std::vector<std::vector<LaneNode>>& lanes) {
  std::vector<Ns> busy(lanes.size());
  std::vector<std::size_t> order(lanes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (const std::size_t lane : order) busy[lane] = busy_time(lanes[lane]);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return busy[a] > busy[b]; });
  if (order.size() > kLanesDrawn) order.resize(kLanesDrawn);
  std::vector<bool> chosen(lanes.size());
  for (const std::size_t lane : order) chosen[lane] = !lanes[lane].empty();
  return chosen;
}

Json pieces_json(const Graph& graph, const std::vector<LanePiece>& pieces, DrawnNames& names) {
  Json json = Json::array();
  Ns before = 0;
  for (const LanePiece& piece : pieces) {
    json.push_back(piece.begin_ns - before);
    json.push_back(piece.end_ns - piece.begin_ns);
    json.push_back(static_cast<int>(piece.kind));
    json.push_back(piece.kind == PictureKind::kDelay ? names.add("")
                                                     : names.add(graph.name_of(piece.name)));
    json.push_back(piece.nodes);
    json.push_back(piece.node_ns);
    before = piece.begin_ns;
  }
  return json;
}

}  // namespace

std::uint32_t DrawnNames::add(std::string_view name) {
  const std::string cut = cut_end(name, kDrawnNameBytes);
  if (const StringId known = names_.find(cut); known != StringId::kEmpty || cut.empty())
    return static_cast<std::uint32_t>(known);
  bytes_ += cut.size();
  return static_cast<std::uint32_t>(names_.intern(bytes_ > kAllNamesBytes ? "…" : cut));
}

Json DrawnNames::json() const {
  Json json = Json::array();
  for (std::uint32_t id = 0; id < names_.size(); ++id) json.push_back(names_[StringId{id}]);
  return json;
}

std::size_t pieces_of(std::size_t place, std::size_t graphs) {
  return place < kMostGraphs ? kMostPieces / std::clamp<std::size_t>(graphs, 1, kMostGraphs) : 0;
}

Json drawn_lanes(const Graph& graph, std::span<const DrawnRun> runs, std::size_t most_pieces,
                 DrawnNames& names) {
  const Ns origin = first_start(runs), length = last_end(runs, origin);
  std::vector<std::vector<LaneNode>> nodes;  // by lane, of each run
  std::vector<bool> chosen;
  for (const DrawnRun& run : runs) {
    std::vector<std::vector<LaneNode>> lanes = nodes_by_lane(graph, run, origin);
    if (chosen.empty()) chosen = choose_lanes(lanes);
    const std::vector<Ns> explained =
        run.is_measured ? explained_until(graph, run, origin) : std::vector<Ns>();
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      if (!chosen[lane]) lanes[lane].clear();
      if (run.is_measured) add_unexplained(explained, lanes[lane]);
    }
    std::move(lanes.begin(), lanes.end(), std::back_inserter(nodes));
  }
  const Ns resolution = find_resolution(nodes, length, most_pieces);
  Json lanes = Json::array();
  for (std::size_t lane = 0; lane < graph.lanes.size(); ++lane)
    for (std::size_t run = 0; run < runs.size() && chosen[lane]; ++run) {
      const std::vector<LaneNode>& of_lane = nodes[run * graph.lanes.size() + lane];
      lanes.push_back({{"name", lane_text(graph.lanes[lane])},
                       {"run", runs[run].name},
                       {"is_device", graph.lanes[lane].is_device},
                       {"busy_ns", busy_time(of_lane)},
                       {"pieces", pieces_json(graph, join_nodes(of_lane, resolution), names)}});
    }
  const auto drawn = static_cast<std::size_t>(std::count(chosen.begin(), chosen.end(), true));
  return {{"span_ns", length},
          {"resolution_ns", resolution},
          {"lanes_left_out", graph.lanes.size() - drawn},
          {"lanes", std::move(lanes)}};
}

}  // namespace nadi::html
