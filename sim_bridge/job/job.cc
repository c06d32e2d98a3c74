#include "nadi/sim_bridge/job/job.h"

#include <algorithm>
#include <iterator>

namespace nadi {
namespace {

void sort_and_deduplicate(Adjacency& table) {
  std::uint32_t kept = 0, begin = 0;
  for (std::size_t row = 0; row + 1 < table.begin.size(); ++row) {
    const auto first = table.node.begin() + begin, last = table.node.begin() + table.begin[row + 1];
    std::sort(first, last);
    const auto end = std::unique(first, last);
    begin = table.begin[row + 1];
    table.begin[row + 1] = kept + static_cast<std::uint32_t>(end - first);
    std::copy(first, end, table.node.begin() + kept);
    kept = table.begin[row + 1];
  }
  table.node.resize(kept);
}

}  // namespace

JobNode recorded_node(const Graph& graph, std::uint32_t row) {
  constexpr Ns kMostNs = Ns{1} << 50;
  JobNode node;
  node.type = graph.type[row];
  node.row = row;
  node.lane = graph.lane[row];
  node.is_delay = graph.kind[row] == NodeKind::kDelay;
  node.start_ns = std::clamp(graph.start_ns[row], -kMostNs, kMostNs);
  node.duration_ns = std::clamp<Ns>(graph.duration_ns[row], 0, kMostNs);
  node.is_host = !graph.is_device(row) && graph.communication[row] == kNoIndex;
  return node;
}

std::string names_text(const std::vector<Graph>& graphs) {
  constexpr std::size_t kMostNamed = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(graphs.size(), kMostNamed); ++i)
    text += (i == 0 ? "" : ", ") + graphs[i].name;
  if (graphs.size() > kMostNamed)
    text += " and " + std::to_string(graphs.size() - kMostNamed) + " more";
  return text;
}

std::string_view name_of(const JobNode& node, const Graph& graph) {
  return node.row == kNoIndex ? std::string_view(node.synthetic_name) : graph.name_of(node.row);
}

std::string Job::place_of(std::size_t rank, std::size_t node) const {
  const JobNode& n = ranks[rank].nodes[node];
  const Graph& graph = graph_of(rank);
  const std::string number =
      n.row == kNoIndex ? std::string("a node") : "node " + std::to_string(graph.id[n.row]);
  return number + " (" + std::string(name_of(n, graph)) + ") of rank " +
         std::to_string(ranks[rank].recorded_rank) + " (" + graph.name + ")";
}

Adjacency dependencies_by_node(const JobRank& rank) {
  Adjacency table = grouped_by_node(
      rank.nodes.size(), rank.dependencies.size(),
      [&](std::size_t i) { return rank.dependencies[i].node; },
      [&](std::size_t i) { return rank.dependencies[i].on; });
  sort_and_deduplicate(table);
  return table;
}

Adjacency dependents_by_node(const JobRank& rank) {
  Adjacency table = grouped_by_node(
      rank.nodes.size(), rank.dependencies.size(),
      [&](std::size_t i) { return rank.dependencies[i].on; },
      [&](std::size_t i) { return rank.dependencies[i].node; });
  sort_and_deduplicate(table);
  return table;
}

namespace {

/// Of nodes, ascending, those that no other of them depends on; of more than kMostStoodFor these
/// that end last: a long chain of dropped nodes would stand for all before it.
std::vector<std::uint32_t> last_of(std::vector<std::uint32_t> nodes, const JobRank& rank,
                                   const Adjacency& dependencies) {
  constexpr std::size_t kMostStoodFor = 64;
  std::vector<std::uint32_t> implied, last;
  for (const std::uint32_t node : nodes)
    if (const auto on = dependencies.of(node); on.size() <= kMostStoodFor)
      implied.insert(implied.end(), on.begin(), on.end());
  std::sort(implied.begin(), implied.end());
  std::set_difference(nodes.begin(), nodes.end(), implied.begin(), implied.end(),
                      std::back_inserter(last));
  if (last.size() <= kMostStoodFor) return last;
  std::stable_sort(last.begin(), last.end(), [&](std::uint32_t a, std::uint32_t b) {
    return end_of(rank.nodes[a]) > end_of(rank.nodes[b]);
  });
  last.resize(kMostStoodFor);
  std::sort(last.begin(), last.end());
  return last;
}

}  // namespace

void relink_dropped(JobRank& rank) {
  const bool any = std::any_of(rank.nodes.begin(), rank.nodes.end(),
                               [](const JobNode& node) { return node.is_dropped; });
  if (!any) return;
  const Adjacency dependencies = dependencies_by_node(rank);
  std::vector<std::vector<std::uint32_t>> stands_for(rank.nodes.size());  // of dropped nodes
  std::vector<JobDependency> kept;
  for (const std::uint32_t node : topological_order(dependents_by_node(rank))) {
    std::vector<std::uint32_t> on;
    for (const std::uint32_t source : dependencies.of(node)) {
      if (!rank.nodes[source].is_dropped)
        on.push_back(source);
      else
        on.insert(on.end(), stands_for[source].begin(), stands_for[source].end());
    }
    std::sort(on.begin(), on.end());
    on.erase(std::unique(on.begin(), on.end()), on.end());
    if (rank.nodes[node].is_dropped)
      stands_for[node] = last_of(std::move(on), rank, dependencies);
    else
      for (const std::uint32_t source : on) kept.push_back({node, source});
  }
  rank.dependencies = std::move(kept);
}

}  // namespace nadi
