#include "nadi/sim_bridge/replay/report.h"

#include <algorithm>

namespace nadi {

namespace {

constexpr std::size_t kDifferencesShown = 10;

std::vector<ReplayNode> name_nodes(const ReplayJob& job,
                                   const std::vector<Difference>& differences) {
  std::vector<ReplayNode> named;
  for (const Difference& difference : differences) {
    const Graph& graph = job.graph(difference.node);
    const std::uint32_t row = job.row(difference.node);
    named.push_back({job.rank[job.graph_index(difference.node)], graph.id[row],
                     std::string(graph.name_of(row)), lane_text(graph.lanes[graph.lane[row]]),
                     difference.from_ns, difference.to_ns});
  }
  return named;
}

ReplayPath sum_path(const ReplayJob& job, const ReplayTimes& times) {
  ReplayPath report;
  for (const PathPiece& piece : critical_path(job, times)) {
    const Ns length = piece.end_ns - piece.begin_ns;
    report.by_kind[static_cast<std::size_t>(piece.kind)] += length;
    if (piece.kind == PathKind::kKernel)
      report.kernels[std::string(job.graph(piece.node).name_of(job.row(piece.node)))] += length;
  }
  return report;
}

std::vector<ReplayLane> name_lanes(const ReplayJob& job, const std::vector<LaneUse>& uses) {
  std::vector<ReplayLane> lanes;
  lanes.reserve(uses.size());
  for (const LaneUse& use : uses)
    lanes.push_back({job.rank[use.graph], lane_text(job.graphs[use.graph].lanes[use.lane]), use});
  return lanes;
}

void add_ranks(const ReplayJob& job, const ReplayTimes& measured, const ReplayTimes& replayed,
               const ReplayTimes* scaled, ReplayReport& report) {
  for (std::size_t of = 0; of < job.graphs.size(); ++of) {
    ReplayRank rank;
    rank.file = job.graphs[of].name;
    rank.rank = job.rank[of];
    rank.nodes = job.graphs[of].size();
    rank.clock = job.clocks[of];
    if (job.is_measured) rank.measured_ns = span_of_rank(job, measured, of).length();
    rank.replayed_ns = span_of_rank(job, replayed, of).length();
    if (scaled != nullptr) rank.scaled_ns = span_of_rank(job, *scaled, of).length();
    report.ranks.push_back(std::move(rank));
  }
}

void add_idle_times(ReplayReport& report) {
  MeasuredUse sum;
  for (const ReplayLane& lane : report.lane_sums) {
    sum.explained_ns += lane.use.measured->explained_ns;
    sum.unexplained_ns += lane.use.measured->unexplained_ns;
  }
  report.idle_ns = sum.idle_ns();
  report.explained_ns = sum.explained_ns;
}

}  // namespace

std::string lane_text(const GraphLane& lane) {
  if (!lane.is_device) return "thread " + std::to_string(lane.tid);
  const std::string stream = lane.stream < 0 ? "" : "stream " + std::to_string(lane.stream);
  if (lane.device < 0) return stream.empty() ? "device" : stream;
  return "device " + std::to_string(lane.device) + (stream.empty() ? "" : " ") + stream;
}

std::optional<double> ReplayReport::error_percent() const {
  if (!measured_ns) return {};
  if (*measured_ns == 0) return 0;
  return 100 * static_cast<double>(replayed_ns - *measured_ns) / static_cast<double>(*measured_ns);
}

ReplayReport make_replay_report(const ReplayJob& job, const ReplayTimes& measured,
                                const ReplayTimes& replayed, const ReplayTimes* scaled,
                                const std::vector<Scale>& scales) {
  ReplayReport report;
  report.what_if = job.what_if;
  report.clock = job.clock_source;
  report.comm_instances = job.comm_instances.size();
  if (job.is_measured) report.measured_ns = span_of(job, measured).length();
  report.replayed_ns = span_of(job, replayed).length();
  add_ranks(job, measured, replayed, scaled, report);
  const std::vector<LaneUse> uses = find_lane_use(job, measured, replayed);
  report.lanes = name_lanes(job, uses);
  report.lane_sums = name_lanes(job, sum_over_steps(uses));
  if (job.is_measured) {
    add_idle_times(report);
    report.differences =
        name_nodes(job, largest_differences(job, measured, replayed, kDifferencesShown));
  }
  report.path = sum_path(job, replayed);
  for (const Scale& scale : scales) report.scales.push_back(scale.text);
  report.scaled_nodes = count_scaled(job.graphs, scales);
  if (scaled == nullptr) return report;
  report.scaled_ns = span_of(job, *scaled).length();
  report.scaled_differences =
      name_nodes(job, largest_differences(job, replayed, *scaled, kDifferencesShown));
  report.scaled_path = sum_path(job, *scaled);
  return report;
}

}  // namespace nadi
