#include "nadi/converters/profile/path_names.h"

#include <algorithm>
#include <string_view>

#include "nadi/sim_bridge/replay/report.h"

namespace nadi {

namespace {

/// "thread 1 in aten::linear": what a host thread is inside of while it waits.
std::string thread_text(const Graph& graph, std::uint32_t next) {
  constexpr std::string_view kStep = "ProfilerStep";  // without its number
  std::string text = lane_text(graph.lanes[graph.lane[next]]);
  const std::uint32_t around = graph.parent.empty() ? kNoIndex : graph.parent[next];
  if (around == kNoIndex) return text + " outside of all ops";
  const std::string_view name = graph.name_of(around);
  return text + " in " + std::string(name.starts_with(kStep) ? kStep : name);
}

}  // namespace

PathNames::PathNames(const ReplayJob& job, const ReplayTimes& times)
    : job_(job), times_(times), begin_ns_(span_of(job, times).begin_ns), rows_(job.graphs.size()) {
  for (const Graph& graph : job.graphs) works_.emplace_back(graph);
}

PathName PathNames::of(const PathPiece& piece) {
  const std::size_t of = job_.graph_index(piece.node);
  const Graph& graph = job_.graphs[of];
  if (takes_time(piece.kind)) return {piece.kind, std::string(graph.name_of(job_.row(piece.node)))};
  if (piece.begin_ns == begin_ns_ && job_.graphs.size() > 1)
    return {piece.kind, "rank " + std::to_string(job_.rank[of]) + " had not begun"};
  const std::uint32_t next = behind_delays(graph, job_.row(piece.node));
  if (!graph.is_device(next)) return {piece.kind, thread_text(graph, next)};
  if (const std::uint32_t other = row_meanwhile(of, next, piece); other != kNoIndex) {
    const bool communicates = works_[of].of(other) == DeviceWork::kCommunication;
    return {communicates ? PathKind::kCommunication : PathKind::kKernel,
            "while " + std::string(graph.name_of(other)) + " runs"};
  }
  return {piece.kind, "before " + std::string(graph.name_of(next))};
}

/// The row of the device that ran for most of the piece, and ended as it did; kNoIndex = none.
std::uint32_t PathNames::row_meanwhile(std::size_t of, std::uint32_t next, const PathPiece& piece) {
  constexpr Ns kJustBefore = 20 * kNsPerMicro;
  const Graph& graph = job_.graphs[of];
  const std::uint32_t first = job_.first_node[of];
  const std::vector<std::uint32_t>& rows = rows_by_end(of);
  const auto end_of = [&](std::uint32_t row) { return times_.end_ns[first + row]; };
  auto behind = std::partition_point(rows.begin(), rows.end(), [&](std::uint32_t row) {
    return end_of(row) <= piece.end_ns + kClockResolution;
  });
  std::uint32_t longest = kNoIndex;
  Ns most = (piece.end_ns - piece.begin_ns) / 2;
  while (behind != rows.begin()) {
    const std::uint32_t row = *--behind;
    if (end_of(row) < piece.end_ns - kJustBefore) break;
    const Ns meanwhile = std::min(end_of(row), piece.end_ns) -
                         std::max(times_.start_ns[first + row], piece.begin_ns);
    if (graph.lanes[graph.lane[row]].device != graph.lanes[graph.lane[next]].device ||
        row == next || meanwhile <= most)
      continue;
    longest = row;
    most = meanwhile;
  }
  return longest;
}

const std::vector<std::uint32_t>& PathNames::rows_by_end(std::size_t of) {
  std::vector<std::uint32_t>& rows = rows_[of];
  const Graph& graph = job_.graphs[of];
  if (!rows.empty()) return rows;
  for (std::uint32_t row = 0; row < graph.size(); ++row)
    if (graph.is_device(row) && graph.kind[row] != NodeKind::kDelay) rows.push_back(row);
  const std::uint32_t first = job_.first_node[of];
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    return times_.end_ns[first + a] < times_.end_ns[first + b];
  });
  return rows;
}

}  // namespace nadi
