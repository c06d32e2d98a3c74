#include "nadi/graph/graph_launch_order.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "nadi/base/median.h"
#include "nadi/model/graph_launch.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// The longest time from the end of what a row waited for to its start.
constexpr Ns kLongestGap = 2'000;
/// A row that waited starts as long after as rows of the same lane do, to within a part of it, and
/// to what stamps may be off.
constexpr Ns kGapParts = 20;
/// Rows that end close together are looked at up to so many.
constexpr int kMostTogether = 16;

/// The usual time from the end of what a row waited for to its start, and how far others are off.
struct UsualGap {
  Ns least = 0, most = 0;
};

/// A device row: its first node.
struct GraphRow {
  NodeIndex node;
  LaneIndex lane;
  Ns start = 0, end = 0;
};

/// One launch of a CUDA graph: its rows, and on each of its lanes the row before them.
class GraphLaunch {
 public:
  GraphLaunch(std::vector<GraphRow> rows, const std::vector<GraphRow>& before, Ns launched)
      : rows_(std::move(rows)), by_end_(rows_), begin_(rows_.front().start), launched_(launched) {
    for (const GraphRow& row : rows_) {
      begin_ = std::min(begin_, row.start);
      has_many_lanes_ |= row.lane != rows_.front().lane;
    }
    by_end_.insert(by_end_.end(), before.begin(), before.end());
    std::stable_sort(by_end_.begin(), by_end_.end(),
                     [](const GraphRow& a, const GraphRow& b) { return a.end < b.end; });
    for (const GraphRow& row : by_end_) ends_of_lane_[row.lane].push_back(row.end);
  }

  const std::vector<GraphRow>& rows() const { return rows_; }
  Ns begin() const { return begin_; }

  /// From the end of the latest row of its lane to its start; kNoTime where none had ended.
  Ns gap_on_lane(const GraphRow& row) const {
    const Ns until = free_since(row);
    return until == launched_ ? kNoTime : row.start - until;
  }

  /// The one row of another lane whose end alone explains why a row, of the launch or next on one
  /// of its lanes, started when it did and not when its own lane was free; none = nothing, or
  /// several.
  NodeIndex waited_for(const GraphRow& row, const UsualGap& gap) const {
    if (!has_many_lanes_) return {};
    const Ns until = free_since(row);
    if (row.start - until <= gap.most) return {};
    auto source = std::upper_bound(by_end_.begin(), by_end_.end(), row.start - gap.least,
                                   [](Ns time, const GraphRow& of) { return time < of.end; });
    NodeIndex found;
    for (int i = 0; i < kMostTogether && source != by_end_.begin(); ++i) {
      --source;
      if (source->end <= until || source->end < row.start - gap.most) return found;
      if (source->lane == row.lane || source->start >= row.start) continue;
      if (found) return {};
      found = source->node;
    }
    return found;
  }

 private:
  Ns free_since(const GraphRow& row) const {
    const std::vector<Ns>& ends = ends_of_lane_.at(row.lane);
    const auto after = std::upper_bound(ends.begin(), ends.end(), row.start);
    return after == ends.begin() ? launched_ : std::max(launched_, *std::prev(after));
  }

  std::vector<GraphRow> rows_, by_end_;
  std::unordered_map<LaneIndex, std::vector<Ns>> ends_of_lane_;  // ascending
  Ns begin_ = 0, launched_ = 0;
  bool has_many_lanes_ = false;
};

GraphRow row_of(const GraphDraft& draft, DeviceRowIndex row) {
  const NodeIndex node = draft.row_node[row];
  return {node, draft.linked.rows.lane[row], draft.start_ns(node), draft.end_ns(node)};
}

/// True if the rows of some launch of a CUDA graph lie on several lanes.
bool has_launch_on_lanes(const LinkedTrace& linked) {
  ByRow<RuntimeCalls, LaneIndex> lane_of(linked.device.calls.size());
  for (const DeviceRowIndex row : rows_of(linked.rows)) {
    const CallIndex call = linked.rows.launch[row];
    if (!call || !is_of_graph_launch(linked, row)) continue;
    LaneIndex& lane = lane_of[call];
    if (!lane) lane = linked.rows.lane[row];
    if (lane != linked.rows.lane[row]) return true;
  }
  return false;
}

/// Launches of CUDA graphs, by their call.
std::map<CallIndex, GraphLaunch> graph_launches(const GraphDraft& draft) {
  const LinkedRows& rows = draft.linked.rows;
  ByRow<RuntimeCalls, std::uint32_t> count(draft.linked.device.calls.size(), 0);
  for (const DeviceRowIndex row : rows_of(rows))
    if (rows.launch[row] && is_of_graph_launch(draft.linked, row)) ++count[rows.launch[row]];
  std::map<CallIndex, std::vector<GraphRow>> of_launch, before;
  for (const auto& lane : draft.linked.rows_by_lane)
    for (std::size_t i = 0; i < lane.size(); ++i) {
      const CallIndex call = rows.launch[lane[i]];
      if (!call || count[call] < 2 || draft.recorded_launches.has_order(lane[i])) continue;
      of_launch[call].push_back(row_of(draft, lane[i]));
      if (i > 0 && rows.launch[lane[i - 1]] != call)
        before[call].push_back(row_of(draft, lane[i - 1]));
    }
  std::map<CallIndex, GraphLaunch> launches;
  for (auto& [call, of_call] : of_launch)
    launches.emplace(call, GraphLaunch(std::move(of_call), before[call],
                                       draft.linked.device.calls.start_ns[call]));
  return launches;
}

/// Around the middle one of the gaps between rows of one lane of a launch; none where there are
/// few.
std::optional<UsualGap> usual_gap(const std::map<CallIndex, GraphLaunch>& launches, Ns resolution,
                                  const Hypotheses& hypotheses) {
  std::vector<Ns> gaps;
  for (const auto& [call, launch] : launches)
    for (const GraphRow& row : launch.rows())
      if (const Ns gap = launch.gap_on_lane(row); gap >= 0 && gap <= kLongestGap)
        gaps.push_back(gap);
  if (!hypotheses.hold(Hypothesis::kBranchOfGraph, {gaps.size()})) return std::nullopt;
  const Ns usual = upper_median(gaps);
  const Ns slack = std::max(usual / kGapParts, resolution / 2);
  return UsualGap{std::max<Ns>(usual - slack, 0), usual + slack};
}

/// Launched before the CUDA graph ran, so that only what ran before it can have held it up.
bool was_launched_before(const GraphLaunch& launch, Ns launched) {
  return launched != kNoTime && launched < launch.begin();
}

}  // namespace

void add_graph_launch_order(const GraphDraft& draft, EdgeList& edges) {
  if (!has_launch_on_lanes(draft.linked)) return;  // nearly every trace
  const std::map<CallIndex, GraphLaunch> launches = graph_launches(draft);
  const auto gap = usual_gap(launches, draft.linked.clock_resolution_ns, draft.linked.hypotheses);
  if (!gap) return;
  const auto add_wait = [&](const GraphLaunch& launch, const GraphRow& row) {
    if (const NodeIndex source = launch.waited_for(row, *gap))
      edges.add(
          {source, row.node, Evidence::kGraphOrder, info(Hypothesis::kBranchOfGraph).inferred});
  };
  for (const auto& [call, launch] : launches)
    for (const GraphRow& row : launch.rows()) add_wait(launch, row);
  const LinkedRows& rows = draft.linked.rows;
  for (const auto& lane : draft.linked.rows_by_lane)
    for (std::size_t i = 1; i < lane.size(); ++i) {
      const CallIndex before = rows.launch[lane[i - 1]];
      if (!before || rows.launch[lane[i]] == before) continue;
      if (draft.recorded_launches.has_order(lane[i - 1])) continue;
      const auto launch = launches.find(before);
      if (launch == launches.end()) continue;
      if (was_launched_before(launch->second, rows.launch_ns[lane[i]]))
        add_wait(launch->second, row_of(draft, lane[i]));
    }
}

}  // namespace nadi
