#include "nadi/sim_bridge/replay/lane_use.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>

#include "nadi/base/lane_sweep.h"
#include "nadi/model/last_sources.h"

namespace nadi {

namespace {

/// The lanes of one graph.
class LaneWalk {
 public:
  LaneWalk(const ReplayJob& job, std::size_t of, const ReplayTimes& measured,
           const ReplayTimes& replayed)
      : graph_(job.graphs[of]),
        is_measured_(job.is_measured),
        of_(of),
        first_(job.first_node[of]),
        measured_(measured),
        replayed_(replayed),
        last_source_(
            last_sources(graph_, [&](std::uint32_t row) { return measured_end_ns(row); })) {
    sort_by_lane();
  }

  void run(std::vector<LaneUse>& uses) {
    for (std::size_t begin = 0; begin < rows_.size();) {
      std::size_t end = begin;
      const std::uint32_t lane = graph_.lane[rows_[begin]];
      while (end < rows_.size() && graph_.lane[rows_[end]] == lane) ++end;
      add_lane({rows_.data() + begin, rows_.data() + end}, uses);
      begin = end;
    }
  }

 private:
  void sort_by_lane() {
    for (std::uint32_t row = 0; row < graph_.size(); ++row)
      if (graph_.kind[row] != NodeKind::kDelay) rows_.push_back(row);
    std::stable_sort(rows_.begin(), rows_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return graph_.lane[a] < graph_.lane[b];
    });
    for (const std::uint32_t row : rows_) {
      origin_ = std::min(origin_, measured_.start_ns[first_ + row]);
      replayed_origin_ = std::min(replayed_origin_, replayed_.start_ns[first_ + row]);
    }
  }

  void add_lane(std::span<std::uint32_t> rows, std::vector<LaneUse>& uses) {
    std::map<std::int32_t, LaneUse> by_step;
    sort_by_start(rows, measured_);
    LaneSweep measured(origin_);
    for (const std::uint32_t row : rows) {
      LaneUse& use = by_step[graph_.step[row]];
      use.graph = of_;
      use.lane = graph_.lane[row];
      use.step = graph_.step[row];
      ++use.nodes;
      if (!is_measured_) continue;
      if (!use.measured) use.measured.emplace();
      add_measured(row, measured, *use.measured);
    }
    sort_by_start(rows, replayed_);
    LaneSweep replayed(replayed_origin_);
    for (const std::uint32_t row : rows) {
      LaneUse& use = by_step[graph_.step[row]];
      const LaneStretch added =
          replayed.next(replayed_.start_ns[first_ + row], replayed_.end_ns[first_ + row], kNoTime);
      use.replayed_idle_ns += added.start - added.idle_since;
      use.replayed_busy_ns += added.end - added.busy_since;
    }
    for (const auto& [step, use] : by_step) uses.push_back(use);
  }

  Ns measured_end_ns(std::uint32_t row) const { return measured_.end_ns[first_ + row]; }

  void add_measured(std::uint32_t row, LaneSweep& lane, MeasuredUse& use) const {
    const Ns explained_until =
        last_source_[row] == kNoIndex ? kNoTime : measured_end_ns(last_source_[row]);
    const LaneStretch added =
        lane.next(measured_.start_ns[first_ + row], measured_end_ns(row), explained_until);
    use.explained_ns += added.explained_until - added.idle_since;
    use.unexplained_ns += added.unexplained_ns();
    use.busy_ns += added.end - added.busy_since;
  }

  void sort_by_start(std::span<std::uint32_t> rows, const ReplayTimes& times) const {
    const auto by_start = [&](std::uint32_t a, std::uint32_t b) {
      return times.start_ns[first_ + a] < times.start_ns[first_ + b];
    };
    if (!std::is_sorted(rows.begin(), rows.end(), by_start))
      std::stable_sort(rows.begin(), rows.end(), by_start);
  }

  const Graph& graph_;
  const bool is_measured_;
  const std::size_t of_;
  const std::uint32_t first_;
  const ReplayTimes& measured_;
  const ReplayTimes& replayed_;
  const std::vector<std::uint32_t> last_source_;
  std::vector<std::uint32_t> rows_;  // no delays; by lane
  Ns origin_ = std::numeric_limits<Ns>::max(), replayed_origin_ = std::numeric_limits<Ns>::max();
};

}  // namespace

std::vector<LaneUse> find_lane_use(const ReplayJob& job, const ReplayTimes& measured,
                                   const ReplayTimes& replayed) {
  std::vector<LaneUse> uses;
  for (std::size_t of = 0; of < job.graphs.size(); ++of)
    LaneWalk(job, of, measured, replayed).run(uses);
  return uses;
}

std::vector<LaneUse> sum_over_steps(const std::vector<LaneUse>& uses) {
  std::vector<LaneUse> sums;
  for (const LaneUse& use : uses) {
    if (sums.empty() || sums.back().graph != use.graph || sums.back().lane != use.lane) {
      sums.push_back({.graph = use.graph, .lane = use.lane});
      if (use.measured) sums.back().measured.emplace();
    }
    LaneUse& sum = sums.back();
    sum.nodes += use.nodes;
    if (use.measured) {
      sum.measured->busy_ns += use.measured->busy_ns;
      sum.measured->explained_ns += use.measured->explained_ns;
      sum.measured->unexplained_ns += use.measured->unexplained_ns;
    }
    sum.replayed_busy_ns += use.replayed_busy_ns;
    sum.replayed_idle_ns += use.replayed_idle_ns;
  }
  return sums;
}

}  // namespace nadi
