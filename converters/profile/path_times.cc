#include "nadi/converters/profile/path_times.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "nadi/converters/profile/step_times.h"
#include "nadi/sim_bridge/replay/critical_path.h"
#include "nadi/sim_bridge/replay/report.h"

namespace nadi {

namespace {

using ShareKey = std::tuple<PathKind, std::int64_t, std::string>;
using Shares = std::map<ShareKey, PathShare>;

/// "thread 1 in aten::linear": what a host thread is inside of while it waits.
std::string thread_text(const Graph& graph, std::uint32_t next) {
  constexpr std::string_view kStep = "ProfilerStep";  // without its number
  std::string text = lane_text(graph.lanes[graph.lane[next]]);
  const std::uint32_t around = graph.parent.empty() ? kNoIndex : graph.parent[next];
  if (around == kNoIndex) return text + " outside of all ops";
  const std::string_view name = graph.name_of(around);
  return text + " in " + std::string(name.starts_with(kStep) ? kStep : name);
}

class PathSums {
 public:
  explicit PathSums(const ReplayJob& job) : job_(job) {
    for (const Graph& graph : job.graphs) works_.emplace_back(graph);
    rows_.resize(job.graphs.size());
  }

  void run(const ReplayTimes& measured, Profile& profile) {
    std::map<std::optional<std::int32_t>, Shares> by_step;
    bool is_first = true;
    for (const PathPiece& piece : critical_path(job_, measured)) {
      PathShare& share = by_step[step_of(piece)][key_of(piece, is_first)];
      ++share.pieces;
      share.ns += piece.end_ns - piece.begin_ns;
      is_first = false;
    }
    Shares all;
    for (const auto& [step, shares] : by_step) {
      profile.path_steps.push_back(sum_of_step(step, shares));
      for (const auto& [key, share] : shares) {
        all[key].pieces += share.pieces;
        all[key].ns += share.ns;
      }
    }
    for (const auto& [key, share] : all) profile.path.push_back(share_of(key, share));
    std::stable_sort(profile.path.begin(), profile.path.end(),
                     [](const PathShare& a, const PathShare& b) { return a.ns > b.ns; });
  }

 private:
  static PathShare share_of(const ShareKey& key, PathShare share) {
    std::tie(share.kind, share.rank, share.name) = key;
    return share;
  }

  static StepPath sum_of_step(std::optional<std::int32_t> step, const Shares& shares) {
    StepPath sum;
    sum.step = step;
    for (const auto& [key, share] : shares) {
      sum.ns[static_cast<std::size_t>(std::get<PathKind>(key))] += share.ns;
      if (share.ns > sum.longest.ns) sum.longest = share_of(key, share);
    }
    return sum;
  }

  std::optional<std::int32_t> step_of(const PathPiece& piece) const {
    const Graph& graph = job_.graph(piece.node);
    const std::int32_t step = graph.step[behind_delays(graph, job_.row(piece.node))];
    return step < 0 ? std::nullopt : std::optional(step);
  }

  ShareKey key_of(const PathPiece& piece, bool is_first) {
    const std::size_t of = job_.graph_index(piece.node);
    const Graph& graph = job_.graphs[of];
    const std::int64_t rank = job_.rank[of];
    const bool takes_time = piece.kind == PathKind::kHost || piece.kind == PathKind::kKernel ||
                            piece.kind == PathKind::kCommunication;
    if (takes_time) return {piece.kind, rank, std::string(graph.name_of(job_.row(piece.node)))};
    if (is_first && job_.graphs.size() > 1)
      return {piece.kind, rank, "rank " + std::to_string(rank) + " had not begun"};
    const std::uint32_t next = behind_delays(graph, job_.row(piece.node));
    if (!graph.is_device(next)) return {piece.kind, rank, thread_text(graph, next)};
    if (const std::uint32_t other = row_meanwhile(of, next, piece); other != kNoIndex) {
      const bool communicates = works_[of].of(other) == DeviceWork::kCommunication;
      return {communicates ? PathKind::kCommunication : PathKind::kKernel, rank,
              "while " + std::string(graph.name_of(other)) + " runs"};
    }
    return {piece.kind, rank, "before " + std::string(graph.name_of(next))};
  }

  /// The row of the device that ran for most of the piece, and ended as it did; kNoIndex = none.
  std::uint32_t row_meanwhile(std::size_t of, std::uint32_t next, const PathPiece& piece) {
    constexpr Ns kJustBefore = 20 * kNsPerMicro;
    const Graph& graph = job_.graphs[of];
    const std::uint32_t first = job_.first_node[of];
    const std::vector<std::uint32_t>& rows = rows_by_end(of);
    auto behind = std::partition_point(rows.begin(), rows.end(), [&](std::uint32_t row) {
      return job_.end_ns(first + row) <= piece.end_ns + kClockResolution;
    });
    std::uint32_t longest = kNoIndex;
    Ns most = (piece.end_ns - piece.begin_ns) / 2;
    while (behind != rows.begin()) {
      const std::uint32_t row = *--behind;
      if (job_.end_ns(first + row) < piece.end_ns - kJustBefore) break;
      const Ns meanwhile = std::min(job_.end_ns(first + row), piece.end_ns) -
                           std::max(job_.start_ns(first + row), piece.begin_ns);
      if (graph.lanes[graph.lane[row]].device != graph.lanes[graph.lane[next]].device ||
          row == next || meanwhile <= most)
        continue;
      longest = row;
      most = meanwhile;
    }
    return longest;
  }

  const std::vector<std::uint32_t>& rows_by_end(std::size_t of) {
    std::vector<std::uint32_t>& rows = rows_[of];
    const Graph& graph = job_.graphs[of];
    if (!rows.empty()) return rows;
    for (std::uint32_t row = 0; row < graph.size(); ++row)
      if (graph.is_device(row) && graph.kind[row] != NodeKind::kDelay) rows.push_back(row);
    std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
      return graph.end_ns(a) < graph.end_ns(b);
    });
    return rows;
  }

  const ReplayJob& job_;
  std::vector<DeviceWorks> works_;                // by graph
  std::vector<std::vector<std::uint32_t>> rows_;  // by graph, of its devices, by end; as asked for
};

}  // namespace

Ns Profile::path_ns() const {
  Ns sum = 0;
  for (const PathShare& share : path) sum += share.ns;
  return sum;
}

Ns StepPath::length_ns() const {
  Ns sum = 0;
  for (const Ns part : ns) sum += part;
  return sum;
}

void sum_critical_path(const ReplayJob& job, const ReplayTimes& measured, Profile& profile) {
  PathSums(job).run(measured, profile);
}

}  // namespace nadi
