#include "nadi/converters/picture/choose_parts.h"

#include <algorithm>
#include <limits>
#include <set>

#include "nadi/base/error.h"
#include "nadi/sim_bridge/replay/critical_path.h"

namespace nadi {
namespace {

std::uint32_t row_of(const ChakraGraph& graph, std::uint64_t id) {
  const auto row = std::lower_bound(graph.id.begin(), graph.id.end(), id);
  if (row == graph.id.end() || *row != id)
    throw Error(ErrorCode::kUsage, "`around` " + std::to_string(id),
                graph.name + " has no such node",
                "Its ids are " + std::to_string(graph.id.front()) + " to " +
                    std::to_string(graph.id.back()));
  return static_cast<std::uint32_t>(row - graph.id.begin());
}

/// Rows at most `hops` edges from the first: along data edges in either direction, along ctrl edges
/// to callers alone.
std::vector<bool> neighbourhood(const ChakraGraph& graph, std::uint32_t first, std::uint64_t hops) {
  const Adjacency dependents = find_data_dependents(graph);
  std::vector<bool> is_in(graph.size(), false);
  std::vector<std::uint32_t> border = {first};
  is_in[first] = true;
  for (std::uint64_t hop = 0; hop < hops && !border.empty(); ++hop) {
    std::vector<std::uint32_t> next;
    const auto reach = [&](std::uint32_t row) {
      if (is_in[row]) return;
      is_in[row] = true;
      next.push_back(row);
    };
    for (const std::uint32_t row : border) {
      for (const std::uint32_t source : graph.dependencies(row)) reach(source);
      for (const std::uint32_t target : dependents.of(row)) reach(target);
    }
    border = std::move(next);
  }
  return is_in;
}

void keep(std::vector<bool>& chosen, const std::vector<bool>& wanted) {
  for (std::size_t row = 0; row < chosen.size(); ++row) chosen[row] = chosen[row] && wanted[row];
}

std::vector<bool> of_step(const ChakraGraph& graph, std::int32_t step) {
  std::vector<bool> is_in(graph.size());
  for (std::size_t row = 0; row < graph.size(); ++row) is_in[row] = graph.step[row] == step;
  if (std::find(is_in.begin(), is_in.end(), true) != is_in.end()) return is_in;
  std::string there;
  for (const std::int32_t other : std::set(graph.step.begin(), graph.step.end()))
    if (other >= 0) there += (there.empty() ? "" : ", ") + std::to_string(other);
  throw Error(ErrorCode::kUsage, "`step` " + std::to_string(step), graph.name + " has no such step",
              there.empty() ? "It has none: leave the option out" : "It has " + there);
}

/// Rows in the order in which the end had to wait for them, each once in a row.
std::vector<std::uint32_t> critical_rows(const ChakraGraph& graph) {
  Diagnostics ignored;
  const ReplayJob job = make_replay_job({&graph, 1}, ignored);
  std::vector<std::uint32_t> rows;
  for (const PathPiece& piece : critical_path(job, replay(job)))
    if (piece.node != kNoIndex && (rows.empty() || rows.back() != piece.node))
      rows.push_back(piece.node);
  return rows;
}

void keep_critical_path(const ChakraGraph& graph, ChosenParts& chosen) {
  chosen.path = critical_rows(graph);
  std::vector<bool> is_in(graph.size(), false);
  for (const std::uint32_t row : *chosen.path) is_in[row] = true;
  keep(chosen.nodes, is_in);
}

}  // namespace

ChosenParts choose_parts(const ChakraGraph& graph, const PictureOptions& options) {
  ChosenParts chosen{std::vector<bool>(graph.size(), true), {}};
  if (options.around)
    keep(chosen.nodes, neighbourhood(graph, row_of(graph, *options.around), options.hops));
  if (options.step) keep(chosen.nodes, of_step(graph, *options.step));
  if (options.critical_path) keep_critical_path(graph, chosen);
  return chosen;
}

}  // namespace nadi
