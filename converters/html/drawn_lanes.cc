#include "nadi/converters/html/drawn_lanes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "nadi/base/lane_sweep.h"
#include "nadi/converters/html/drawn_nodes.h"
#include "nadi/converters/html/lane_pieces.h"
#include "nadi/model/last_sources.h"
#include "nadi/sim_bridge/replay/report.h"

namespace nadi::html {
namespace {

constexpr std::size_t kLanesDrawn = 64, kMostPieces = 20'000, kMostGraphs = 32, kStepsDrawn = 500;
constexpr std::size_t kDrawnNameBytes = 240, kAllNamesBytes = 1'500'000, kAllDetailsBytes = 500'000;

/// Longer than any drawing; four times as much can still be added. Graphs come from strangers.
constexpr Ns kFar = Ns{1} << 57;

void sort_by_begin(std::vector<LaneNode>& nodes) {
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const LaneNode& a, const LaneNode& b) { return a.begin_ns < b.begin_ns; });
}

/// By lane, in order of start, times since the origin; names are rows.
std::vector<std::vector<LaneNode>> nodes_by_lane(const Graph& graph, const DrawnRun& run,
                                                 const DrawnSpan& span) {
  std::vector<std::vector<LaneNode>> lanes(graph.lanes.size());
  for (std::uint32_t row = 0; row < graph.size(); ++row) {
    const PictureKind kind = picture_kind_of(graph, row);
    if (run.is_measured && kind == PictureKind::kDelay) continue;
    lanes[graph.lane[row]].push_back(
        {span.since_origin(run.start_ns[row]), span.since_origin(run.end_ns[row]), row, kind});
  }
  for (std::vector<LaneNode>& lane : lanes) sort_by_begin(lane);
  return lanes;
}

/// Puts the gaps between a lane's nodes that no dependency explains between them, as delays, from
/// when the graph begins.
template <class ExplainedUntil>
void add_unexplained(const ExplainedUntil& explained_until, Ns begin_ns,
                     std::vector<LaneNode>& lane) {
  std::vector<LaneNode> gaps;
  LaneSweep sweep(begin_ns);
  for (const LaneNode& node : lane) {
    const LaneStretch added = sweep.next(node.begin_ns, node.end_ns, explained_until(node.name));
    if (added.unexplained_ns() > 0)
      gaps.push_back({added.explained_until, added.start, node.name, PictureKind::kDelay});
  }
  lane.insert(lane.end(), gaps.begin(), gaps.end());
  sort_by_begin(lane);
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

Json pieces_json(const std::vector<LanePiece>& pieces, DrawnNodes& nodes) {
  Json json = Json::array();
  Ns before = 0;
  for (const LanePiece& piece : pieces) {
    json.push_back(piece.begin_ns - before);
    json.push_back(piece.end_ns - piece.begin_ns);
    json.push_back(static_cast<int>(piece.kind));
    json.push_back(nodes.add(piece.name));
    json.push_back(piece.nodes);
    json.push_back(piece.node_ns);
    before = piece.begin_ns;
  }
  return json;
}

/// In the order of their starts.
Json steps_json(const Graph& graph, const DrawnRun& run, const DrawnSpan& span) {
  std::map<std::int32_t, Ns> starts;
  for (std::uint32_t row = 0; row < graph.size(); ++row) {
    if (graph.step[row] < 0) continue;
    const Ns start = span.since_origin(run.start_ns[row]);
    const auto [known, is_new] = starts.emplace(graph.step[row], start);
    if (!is_new) known->second = std::min(known->second, start);
  }
  std::vector<std::pair<std::int32_t, Ns>> steps(starts.begin(), starts.end());
  std::stable_sort(steps.begin(), steps.end(),
                   [](const auto& a, const auto& b) { return a.second < b.second; });
  if (steps.size() > kStepsDrawn) steps.resize(kStepsDrawn);
  return steps;
}

}  // namespace

std::uint32_t DrawnNames::add(std::string_view name) { return add(name, kAllNamesBytes); }

std::uint32_t DrawnNames::add_detail(std::string_view text) { return add(text, kAllDetailsBytes); }

std::uint32_t DrawnNames::add(std::string_view text, std::size_t most_bytes) {
  const std::string cut = cut_end(text, kDrawnNameBytes);
  if (const StringId known = names_.find(cut); known != StringId::kEmpty || cut.empty())
    return static_cast<std::uint32_t>(known);
  if (bytes_ + cut.size() > most_bytes) return static_cast<std::uint32_t>(names_.intern("…"));
  bytes_ += cut.size();
  return static_cast<std::uint32_t>(names_.intern(cut));
}

Json DrawnNames::json() const {
  Json json = Json::array();
  for (std::uint32_t id = 0; id < names_.size(); ++id) json.push_back(names_[StringId{id}]);
  return json;
}

std::size_t pieces_of(std::size_t position, std::size_t graphs) {
  return position < kMostGraphs ? kMostPieces / std::clamp<std::size_t>(graphs, 1, kMostGraphs) : 0;
}

Ns DrawnSpan::since_origin(Ns ns) const {
  Ns since = 0;
  return __builtin_sub_overflow(ns, origin_ns, &since) ? kFar : std::clamp<Ns>(since, 0, kFar);
}

DrawnSpan span_of(std::span<const DrawnRun> runs) {
  DrawnSpan span{std::numeric_limits<Ns>::max(), 0};
  for (const DrawnRun& run : runs)
    for (const Ns start : run.start_ns) span.origin_ns = std::min(span.origin_ns, start);
  for (const DrawnRun& run : runs)
    for (const Ns end : run.end_ns)
      span.length_ns = std::max(span.length_ns, span.since_origin(end));
  return span;
}

Json drawn_lanes(const Graph& graph, std::span<const DrawnRun> runs, const DrawnSpan& span,
                 std::size_t most_pieces, DrawnNames& names) {
  std::vector<std::vector<LaneNode>> nodes;  // by lane, of each run
  std::vector<bool> chosen;
  for (const DrawnRun& run : runs) {
    std::vector<std::vector<LaneNode>> lanes = nodes_by_lane(graph, run, span);
    if (chosen.empty()) chosen = choose_lanes(lanes);
    const auto end_of = [&](std::uint32_t row) { return span.since_origin(run.end_ns[row]); };
    const std::vector<std::uint32_t> last =
        run.is_measured ? last_sources(graph, end_of) : std::vector<std::uint32_t>();
    const auto explained_until = [&](std::uint32_t row) {
      return last[row] == kNoIndex ? 0 : end_of(last[row]);
    };
    const Ns begin_ns = span.since_origin(span_of({&run, 1}).origin_ns);
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      if (!chosen[lane]) lanes[lane].clear();
      if (run.is_measured) add_unexplained(explained_until, begin_ns, lanes[lane]);
    }
    std::move(lanes.begin(), lanes.end(), std::back_inserter(nodes));
  }
  const Ns resolution = find_resolution(nodes, span.length_ns, most_pieces);
  DrawnNodes drawn_nodes(graph, names);
  Json lanes = Json::array();
  for (std::size_t lane = 0; lane < graph.lanes.size(); ++lane)
    for (std::size_t run = 0; run < runs.size() && chosen[lane]; ++run) {
      const std::vector<LaneNode>& of_lane = nodes[run * graph.lanes.size() + lane];
      lanes.push_back({{"lane", lane},
                       {"name", lane_text(graph.lanes[lane])},
                       {"run", runs[run].name},
                       {"is_device", graph.lanes[lane].is_device},
                       {"busy_ns", busy_time(of_lane)},
                       {"pieces", pieces_json(join_nodes(of_lane, resolution), drawn_nodes)}});
    }
  const auto drawn = static_cast<std::size_t>(std::count(chosen.begin(), chosen.end(), true));
  return {{"resolution_ns", resolution},
          {"lanes_left_out", graph.lanes.size() - drawn},
          {"steps", steps_json(graph, runs.front(), span)},
          {"lanes", std::move(lanes)},
          {"nodes", drawn_nodes.take()}};
}

}  // namespace nadi::html
