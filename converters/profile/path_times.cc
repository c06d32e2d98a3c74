#include "nadi/converters/profile/path_times.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "nadi/sim_bridge/replay/critical_path.h"

namespace nadi {

namespace {

using ShareKey = std::tuple<PathKind, std::int64_t, std::string>;

/// The node that a delay stands before.
std::uint32_t behind_delay(const ReplayJob& job, std::uint32_t node) {
  const Graph& graph = job.graph(node);
  const std::uint32_t first = node - job.row(node);
  std::uint32_t row = job.row(node);
  while (graph.kind[row] == NodeKind::kDelay && !graph.dependents(row).empty())
    row = graph.dependents(row).front();
  return first + row;
}

/// What waits: a row by its name; of the host, where between two ops nothing is known to run, what
/// these are called by.
std::string waiting_text(const Graph& graph, std::uint32_t next) {
  if (graph.is_device(next)) return "before " + std::string(graph.name_of(next));
  const std::uint32_t around = graph.parent.empty() ? kNoIndex : graph.parent[next];
  if (around == kNoIndex) return "no op runs on the host";
  constexpr std::string_view kStep = "ProfilerStep";  // without its number
  const std::string_view name = graph.name_of(around);
  return "no op runs in " + std::string(name.starts_with(kStep) ? kStep : name);
}

/// `earlier`: on whose end the path goes on before the piece; kNoIndex = it begins there.
ShareKey key_of(const ReplayJob& job, const PathPiece& piece, std::uint32_t earlier) {
  const std::size_t of = job.graph_index(piece.node);
  const bool takes_time = piece.kind == PathKind::kHost || piece.kind == PathKind::kKernel ||
                          piece.kind == PathKind::kCommunication;
  if (takes_time)
    return {piece.kind, job.rank[of],
            std::string(job.graph(piece.node).name_of(job.row(piece.node)))};
  if (earlier == kNoIndex && job.graphs.size() > 1)
    return {piece.kind, job.rank[of], "rank " + std::to_string(job.rank[of]) + " had not begun"};
  const std::uint32_t next = behind_delay(job, piece.node);
  return {piece.kind, job.rank[of], waiting_text(job.graph(next), job.row(next))};
}

}  // namespace

void add_path_times(const ReplayJob& job, const ReplayTimes& measured, Profile& profile) {
  std::map<ShareKey, PathShare> shares;
  std::uint32_t earlier = kNoIndex;
  for (const PathPiece& piece : critical_path(job, measured)) {
    PathShare& share = shares[key_of(job, piece, earlier)];
    ++share.pieces;
    share.ns += piece.end_ns - piece.begin_ns;
    profile.path_ns += piece.end_ns - piece.begin_ns;
    earlier = piece.node;
  }
  for (auto& [key, share] : shares) {
    std::tie(share.kind, share.rank, share.name) = key;
    profile.path.push_back(std::move(share));
  }
  std::stable_sort(profile.path.begin(), profile.path.end(),
                   [](const PathShare& a, const PathShare& b) { return a.ns > b.ns; });
}

}  // namespace nadi
