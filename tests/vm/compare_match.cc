#include "compare_match.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>

namespace nadi::vm {

namespace {

// Nodes of equal key are told apart by start only.
using Key = std::tuple<int, std::uint64_t, std::int64_t, std::string>;

Key key_of(const TruthNode& node) {
  const int kind = static_cast<int>(node.kind);
  switch (node.kind) {
    case TruthKind::kOp:
    case TruthKind::kPart:
      return {kind, node.rf_id, 0, ""};
    case TruthKind::kCall:
      return {kind, 0, node.correlation, ""};
    case TruthKind::kDeviceRow:
      break;
  }
  return {kind, static_cast<std::uint64_t>(node.stream), node.correlation, node.name};
}

Key key_of(const ConvertedNode& node) {
  const int kind = static_cast<int>(node.kind);
  switch (node.kind) {
    case ConvertedNode::kOp:
    case ConvertedNode::kPart:
      return {kind, node.rf_id, 0, ""};
    case ConvertedNode::kCall:
      return {kind, 0, node.correlation, ""};
    default:
      break;
  }
  return {kind, static_cast<std::uint64_t>(node.stream), node.correlation, node.name};
}

bool may_be_missing(const TruthNode& node, const CompareOptions& options) {
  return node.kind != TruthKind::kDeviceRow && node.duration_ns < options.least_host_ns;
}

// Pairs what starts at the same time first, the nearest of several, then what is left in order of
// start.
void pair_up(const Truth& truth, const ConvertedGraph& graph, const CompareOptions& options,
             std::vector<int> wanted, std::vector<int> found, Matching& matching) {
  std::erase_if(wanted, [&](int node) { return may_be_missing(truth.nodes[u(node)], options); });
  auto take = [&](int want, std::size_t place) {
    matching.truth_of[u(found[place])] = want;
    matching.converted_of[u(want)].push_back(found[place]);
    found.erase(found.begin() + static_cast<std::ptrdiff_t>(place));
  };
  for (int want : wanted) {
    const TruthNode& node = truth.nodes[u(want)];
    const auto start_distance = [&](int place) {
      return std::abs(graph.nodes[u(place)].start_ns - options.origin_ns - node.start_ns);
    };
    const auto distance = [&](int place) {
      return start_distance(place) + std::abs(graph.nodes[u(place)].duration_ns - node.duration_ns);
    };
    for (std::size_t most = std::max<std::size_t>(1, node.carried); most > 0; --most) {
      std::size_t nearest = found.size();
      for (std::size_t i = 0; i < found.size(); ++i)
        if (start_distance(found[i]) <= options.tolerance_ns &&
            (nearest == found.size() || distance(found[i]) < distance(found[nearest])))
          nearest = i;
      if (nearest == found.size()) break;
      take(want, nearest);
    }
  }
  for (int want : wanted)
    if (matching.converted_of[u(want)].empty() && !found.empty()) take(want, 0);
}

}  // namespace

Matching match(const Truth& truth, const ConvertedGraph& graph, const CompareOptions& options) {
  std::map<Key, std::pair<std::vector<int>, std::vector<int>>> by_key;
  for (std::size_t i = 0; i < truth.nodes.size(); ++i)
    if (truth.nodes[i].is_recorded)
      by_key[key_of(truth.nodes[i])].first.push_back(static_cast<int>(i));
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].kind != ConvertedNode::kDelay)
      by_key[key_of(graph.nodes[i])].second.push_back(static_cast<int>(i));

  Matching matching{std::vector<int>(graph.nodes.size(), -1), {}};
  matching.converted_of.resize(truth.nodes.size());
  for (auto& [key, nodes] : by_key) {
    std::stable_sort(nodes.second.begin(), nodes.second.end(), [&](int a, int b) {
      return graph.nodes[u(a)].start_ns < graph.nodes[u(b)].start_ns;
    });
    std::stable_sort(nodes.first.begin(), nodes.first.end(), [&](int a, int b) {
      return truth.nodes[u(a)].start_ns < truth.nodes[u(b)].start_ns;
    });
    pair_up(truth, graph, options, nodes.first, nodes.second, matching);
  }
  for (auto& nodes : matching.converted_of)
    std::stable_sort(nodes.begin(), nodes.end(), [&](int a, int b) {
      return graph.nodes[u(a)].duration_ns > graph.nodes[u(b)].duration_ns;
    });
  return matching;
}

}  // namespace nadi::vm
