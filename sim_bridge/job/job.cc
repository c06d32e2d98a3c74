#include "nadi/sim_bridge/job/job.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "nadi/base/count_text.h"
#include "nadi/base/sort_unique.h"

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

const char* to_string(AddedNode added) {
  constexpr const char* kNames[] = {
      "", "communication restored", "delay", "end", "wait", "arrival", "release"};
  return kNames[static_cast<std::size_t>(added)];
}

std::uint32_t JobNodes::add(AddedNode what) {
  append_row(*this);
  added.back() = what;
  return static_cast<std::uint32_t>(size() - 1);
}

std::uint32_t JobNodes::add_copy(const JobNodes& of, std::size_t node) {
  append_row(*this);
  assign(size() - 1, of, node);
  return static_cast<std::uint32_t>(size() - 1);
}

void JobNodes::assign(std::size_t node, const JobNodes& of, std::size_t from) {
  std::apply([&](auto... column) { (((this->*column)[node] = (of.*column)[from]), ...); },
             columns());
}

void JobNodes::add_recorded(const Graph& graph, bool leaves_out_delays) {
  constexpr Ns kMostNs = Ns{1} << 50;
  const auto left_out = [&](NodeKind kind) {
    return leaves_out_delays && kind == NodeKind::kDelay;
  };
  std::size_t node = size();
  append_rows(*this, graph.size() - static_cast<std::size_t>(std::count_if(
                                        graph.kind.begin(), graph.kind.end(), left_out)));
  for (std::uint32_t r = 0; r < graph.size(); ++r) {
    if (left_out(graph.kind[r])) continue;
    row[node] = r;
    type[node] = graph.type[r];
    lane[node] = graph.lane[r];
    is_host[node] = !graph.is_device(r) && graph.communication[r] == kNoIndex;
    is_delay[node] = graph.kind[r] == NodeKind::kDelay;
    start_ns[node] = std::clamp(graph.start_ns[r], -kMostNs, kMostNs);
    duration_ns[node++] = std::clamp<Ns>(graph.duration_ns[r], 0, kMostNs);
  }
}

void JobRank::add_communication(std::size_t node, const JobCommunication& what) {
  communication[node] = static_cast<std::uint32_t>(communications.size());
  communications.push_back(what);
}

std::string_view JobRank::name_of(std::size_t node, const Graph& recorded) const {
  return has_row(node) ? recorded.name_of(row[node]) : to_string(added[node]);
}

std::string names_text(const std::vector<Graph>& graphs) {
  constexpr std::size_t kMostNamed = 4;
  return first_of_list(graphs, kMostNamed, [](const Graph& graph) { return graph.name; });
}

std::string Job::place_of(std::size_t rank, std::size_t node) const {
  const JobRank& r = ranks[rank];
  const Graph& graph = graph_of(rank);
  const std::string number =
      r.has_row(node) ? "node " + std::to_string(graph.id[r.row[node]]) : "a node";
  return number + " (" + std::string(r.name_of(node, graph)) + ") of rank " +
         std::to_string(r.recorded_rank) + " (" + graph.name + ")";
}

Adjacency dependencies_by_node(const JobRank& rank) {
  Adjacency table = grouped_by_node(
      rank.size(), rank.dependencies.size(),
      [&](std::size_t i) { return rank.dependencies[i].node; },
      [&](std::size_t i) { return rank.dependencies[i].on; });
  sort_and_deduplicate(table);
  return table;
}

Adjacency dependents_by_node(const Adjacency& dependencies) {
  return reversed(dependencies.size(), [&](std::size_t node) { return dependencies.of(node); });
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
    return rank.end_ns(a) > rank.end_ns(b);
  });
  last.resize(kMostStoodFor);
  std::sort(last.begin(), last.end());
  return last;
}

}  // namespace

void relink_dropped(JobRank& rank) {
  if (std::count(rank.is_dropped.begin(), rank.is_dropped.end(), true) == 0) return;
  const Adjacency dependencies = dependencies_by_node(rank);
  std::vector<std::vector<std::uint32_t>> stands_for(rank.size());  // of dropped nodes
  std::vector<JobDependency> kept;
  for (const std::uint32_t node : topological_order(dependents_by_node(dependencies))) {
    std::vector<std::uint32_t> on;
    for (const std::uint32_t source : dependencies.of(node)) {
      if (!rank.is_dropped[source])
        on.push_back(source);
      else
        on.insert(on.end(), stands_for[source].begin(), stands_for[source].end());
    }
    sort_unique(on);
    if (rank.is_dropped[node])
      stands_for[node] = last_of(std::move(on), rank, dependencies);
    else
      for (const std::uint32_t source : on) kept.push_back({node, source});
  }
  rank.dependencies = std::move(kept);
}

}  // namespace nadi
