#include "nadi/converters/profile/path_names.h"

#include <algorithm>
#include <string_view>

#include "nadi/chakra/communication_name.h"
#include "nadi/sim_bridge/replay/report.h"

namespace nadi {

std::string late_rank_text(std::int64_t rank) {
  return "rank " + std::to_string(rank) + " had not begun";
}

PathNames::PathNames(const ReplayJob& job, const ReplayTimes& times)
    : job_(job), times_(times), begin_ns_(span_of(job, times).begin_ns) {
  for (const Graph& graph : job.graphs) {
    works_.emplace_back(graph);
    places_.emplace_back(graph);
  }
}

PathName PathNames::of(const PathPiece& piece) {
  const std::size_t of = job_.graph_index(piece.node);
  const Graph& graph = job_.graphs[of];
  if (takes_time(piece.kind)) return {piece.kind, name_of_work(of, job_.row(piece.node))};
  if (piece.begin_ns == begin_ns_ && job_.graphs.size() > 1)
    return {piece.kind, late_rank_text(job_.rank[of])};
  const std::uint32_t next = behind_delays(graph, job_.row(piece.node));
  if (!graph.is_device(next))
    return {piece.kind, thread_text(of, next, piece.end_ns - piece.begin_ns)};
  if (const std::uint32_t other = row_meanwhile(of, next, piece); other != kNoIndex) {
    const bool communicates = works_[of].of(other) == DeviceWork::kCommunication;
    return {communicates ? PathKind::kCommunication : PathKind::kKernel,
            "while " + std::string(graph.name_of(other)) + " runs"};
  }
  const char* const what =
      is_unrecorded_work(graph, job_.row(piece.node)) ? "unrecorded work before " : "before ";
  return {piece.kind, what + std::string(graph.name_of(next))};
}

std::string PathNames::thread_text(std::size_t of, std::uint32_t next, Ns length) {
  const Graph& graph = job_.graphs[of];
  const std::string text = lane_text(graph.lanes[graph.lane[next]]);
  const std::string_view place = places_[of].before(next, length);
  return place.empty() ? text + " outside of all ops" : text + " in " + std::string(place);
}

std::string PathNames::name_of_work(std::size_t of, std::uint32_t row) const {
  const Graph& graph = job_.graphs[of];
  if (graph.communication[row] == kNoIndex) return std::string(graph.name_of(row));
  const GraphCommunication& communication = graph.communications[graph.communication[row]];
  const std::string name = communication_name(graph.type[row], communication.type);
  const std::string_view group = group_of(job_.first_node[of] + row);
  return group.empty() ? name + ": " + std::string(graph.name_of(row))
                       : name + " of group " + std::string(group);
}

/// The name by which the first of the ranks that meet knows the group.
std::string_view PathNames::group_of(std::uint32_t node) const {
  const std::uint32_t kernel = job_.kernel_index(node);
  if (kernel != kNoIndex && !job_.kernels[kernel].instances.empty()) {
    const CommInstance& met = job_.comm_instances[job_.kernels[kernel].instances.front()];
    node = job_.kernels[met.kernels.front()].nodes.front();
  }
  const Graph& graph = job_.graph(node);
  const std::uint32_t communication = graph.communication[job_.row(node)];
  return communication == kNoIndex ? "" : graph.strings[graph.communications[communication].group];
}

/// The row that ran for the longest part of the piece, if for most of it; kNoIndex = none. Of those
/// that began before it ended the one that ends last is looked at, and the latest.
std::uint32_t PathNames::row_meanwhile(std::size_t of, std::uint32_t next, const PathPiece& piece) {
  constexpr std::ptrdiff_t kLatest = 64;
  const Graph& graph = job_.graphs[of];
  const std::uint32_t first = job_.first_node[of];
  const auto& [rows, last_to_end] = rows_of(of, graph.lanes[graph.lane[next]].device);
  const auto behind = std::partition_point(rows.begin(), rows.end(), [&](std::uint32_t row) {
    return times_.start_ns[first + row] < piece.end_ns;
  });
  std::uint32_t longest = kNoIndex;
  Ns most = (piece.end_ns - piece.begin_ns) / 2;
  const auto look_at = [&](std::uint32_t row) {
    const Ns meanwhile = std::min(times_.end_ns[first + row], piece.end_ns) -
                         std::max(times_.start_ns[first + row], piece.begin_ns);
    if (row == next || meanwhile <= most) return;
    longest = row;
    most = meanwhile;
  };
  const auto count = behind - rows.begin();
  if (count == 0) return kNoIndex;
  look_at(last_to_end[static_cast<std::size_t>(count - 1)]);
  std::for_each(behind - std::min(count, kLatest), behind, look_at);
  return longest;
}

const PathNames::DeviceRowTimes& PathNames::rows_of(std::size_t of, std::int64_t device) {
  const auto [entry, is_new] = rows_.try_emplace({of, device});
  auto& [rows, last_to_end] = entry->second;
  if (!is_new) return entry->second;
  const Graph& graph = job_.graphs[of];
  for (std::uint32_t row = 0; row < graph.size(); ++row)
    if (graph.is_device(row) && graph.kind[row] != NodeKind::kDelay &&
        graph.lanes[graph.lane[row]].device == device)
      rows.push_back(row);
  const std::uint32_t first = job_.first_node[of];
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    return times_.start_ns[first + a] < times_.start_ns[first + b];
  });
  std::uint32_t last = kNoIndex;
  for (const std::uint32_t row : rows) {
    if (last == kNoIndex || times_.end_ns[first + row] > times_.end_ns[first + last]) last = row;
    last_to_end.push_back(last);
  }
  return entry->second;
}

}  // namespace nadi
