#include "nadi/converters/profile/named_path.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/converters/profile/path_names.h"

namespace nadi {

namespace {

std::optional<std::int32_t> step_of(const ReplayJob& job, const PathPiece& piece) {
  const Graph& graph = job.graph(piece.node);
  const std::int32_t step = graph.step[behind_delays(graph, job.row(piece.node))];
  return step < 0 ? std::nullopt : std::optional(step);
}

struct PathSum {
  std::size_t first = 0;  ///< piece
  std::uint64_t pieces = 0;
  Ns ns = 0;
};

/// What pieces of one sum have in common.
using SumKey = std::pair<std::optional<std::int64_t>, StringId>;

SumKey key_of(const NamedPathPiece& piece, PathSumBy by) {
  switch (by) {
    case PathSumBy::kRank:
      return {piece.rank, StringId::kEmpty};
    case PathSumBy::kStep:
      return {piece.step, StringId::kEmpty};
    case PathSumBy::kOp:
      return {static_cast<std::int64_t>(piece.kind), piece.name};
    case PathSumBy::kKind:
      break;
  }
  return {static_cast<std::int64_t>(piece.kind), StringId::kEmpty};
}

std::vector<PathSum> sums_of(const NamedPath& path, PathSumBy by) {
  std::map<SumKey, std::size_t> position_of;
  std::vector<PathSum> sums;
  for (std::size_t i = 0; i < path.pieces.size(); ++i) {
    const auto [position, is_new] =
        position_of.try_emplace(key_of(path.pieces[i], by), sums.size());
    if (is_new) sums.push_back({i});
    ++sums[position->second].pieces;
    sums[position->second].ns += path.pieces[i].length_ns;
  }
  std::stable_sort(sums.begin(), sums.end(),
                   [](const PathSum& a, const PathSum& b) { return a.ns > b.ns; });
  return sums;
}

}  // namespace

Ns NamedPath::length_ns() const {
  Ns sum = 0;
  for (const NamedPathPiece& piece : pieces) sum += piece.length_ns;
  return sum;
}

NamedPath named_path(const ReplayJob& job, const ReplayTimes& times,
                     std::optional<StepRange> steps) {
  NamedPath path;
  PathNames names(job, times);
  for (const PathPiece& piece : critical_path(job, times)) {
    const std::optional<std::int32_t> step = step_of(job, piece);
    if (steps && !steps->holds(step.value_or(-1))) continue;
    const PathName named = names.of(piece);
    path.pieces.push_back({job.rank[job.graph_index(piece.node)], job.row(piece.node), step,
                           piece.begin_ns, piece.end_ns - piece.begin_ns, named.kind,
                           path.names.intern(named.name)});
  }
  return path;
}

ColumnTable path_table(const NamedPath& path) {
  ColumnTable table;
  table.add("rank", path.pieces, &NamedPathPiece::rank);
  table.add("node", path.pieces, &NamedPathPiece::row);
  table.add("step", path.pieces, &NamedPathPiece::step);
  table.add("begin_ns", path.pieces, &NamedPathPiece::begin_ns);
  table.add("duration_ns", path.pieces, &NamedPathPiece::length_ns);
  table.add("kind", path.pieces, [](const auto& piece) { return to_string(piece.kind); });
  table.add("name", path.pieces, [&](const auto& piece) { return path.names[piece.name]; });
  return table;
}

PathSumBy path_sum_by(std::string_view name) {
  constexpr std::string_view kNames[] = {"op", "kind", "rank", "step"};
  const auto found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames))
    throw Error(ErrorCode::kUsage, "what='" + std::string(name) + "'", "is none",
                "There are op, kind, rank, step");
  return static_cast<PathSumBy>(found - std::begin(kNames));
}

ColumnTable path_sums(const NamedPath& path, PathSumBy by) {
  const std::vector<PathSum> sums = sums_of(path, by);
  const auto whole = static_cast<double>(std::max<Ns>(path.length_ns(), 1));
  const auto piece_of = [&](const PathSum& sum) -> const NamedPathPiece& {
    return path.pieces[sum.first];
  };
  ColumnTable table;
  if (by == PathSumBy::kRank)
    table.add("rank", sums, [&](const PathSum& sum) { return piece_of(sum).rank; });
  else if (by == PathSumBy::kStep)
    table.add("step", sums, [&](const PathSum& sum) { return piece_of(sum).step; });
  else
    table.add("kind", sums, [&](const PathSum& sum) { return to_string(piece_of(sum).kind); });
  if (by == PathSumBy::kOp)
    table.add("name", sums, [&](const PathSum& sum) { return path.names[piece_of(sum).name]; });
  table.add("pieces", sums, &PathSum::pieces);
  table.add("ms", sums, [](const PathSum& sum) { return static_cast<double>(sum.ns) / 1e6; });
  table.add("share", sums, [&](const PathSum& sum) { return static_cast<double>(sum.ns) / whole; });
  return table;
}

}  // namespace nadi
