#include "compare.h"

#include <fmt/format.h>

#include <cstdlib>
#include <set>

#include "compare_match.h"

namespace nadi::vm {

namespace {

std::string describe(const ConvertedNode& node) {
  constexpr const char* kKinds[] = {"op", "part", "call", "device row", "delay"};
  return fmt::format("{} {} (rf {}, correlation {}, stream {}) [{}, {}]", kKinds[node.kind],
                     node.name, node.rf_id, node.correlation, node.stream, node.start_ns,
                     node.start_ns + node.duration_ns);
}

/// Calls that waited for something no trace shows: their own begin cannot be known.
std::vector<bool> waited_unseen(const Truth& truth) {
  std::vector<bool> result(truth.nodes.size(), false);
  for (const TruthEdge& edge : truth.edges)
    if (!edge.shown && edge.kind == EdgeKind::kSynchronisation) result[u(edge.to)] = true;
  return result;
}

void compare_nodes(const Truth& truth, const ConvertedGraph& graph, const Matching& matching,
                   const CompareOptions& options, Comparison& result) {
  const std::vector<bool> is_unseen = waited_unseen(truth);
  for (std::size_t i = 0; i < truth.nodes.size(); ++i) {
    const TruthNode& want = truth.nodes[i];
    if (matching.converted_of[i].empty()) {
      result.unmatched_truth.push_back(describe(want));
      continue;
    }
    const ConvertedNode& got = graph.nodes[u(matching.converted_of[i][0])];
    const Ns start = got.start_ns - options.origin_ns;
    const bool same_end = std::abs(start + got.duration_ns - want.start_ns - want.duration_ns) <=
                          options.tolerance_ns;
    if (is_unseen[i] && same_end) continue;
    if (std::abs(start - want.start_ns) > options.tolerance_ns ||
        std::abs(got.duration_ns - want.duration_ns) > options.tolerance_ns)
      result.time_mismatches.push_back(
          fmt::format("{}: got [{}, {}]", describe(want), start, start + got.duration_ns));
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].kind != ConvertedNode::kDelay && matching.truth_of[i] < 0)
      result.unmatched_converted.push_back(describe(graph.nodes[i]));
}

void compare_required(const Truth& truth, const ConvertedGraph& graph, const Matching& matching,
                      Comparison& result) {
  std::vector<std::pair<int, int>> data;
  for (const ConvertedEdge& edge : graph.edges)
    if (edge.is_data) data.emplace_back(edge.from, edge.to);
  const std::vector<BitSet> before = closure(graph.nodes.size(), data);
  for (const TruthEdge& edge : truth.edges) {
    const auto& from = matching.converted_of[u(edge.from)];
    const auto& to = matching.converted_of[u(edge.to)];
    result.findings.push_back(CheckFinding::kNotAsked);
    // A queue is shown by nothing, so it is counted, and never missing.
    const bool is_queue = edge.kind == EdgeKind::kQueue;
    if ((!edge.shown && !is_queue) || from.empty() || to.empty()) continue;
    Tally& tally = result.required[to_string(edge.kind)];
    ++tally.total;
    bool is_implied = true;
    for (int node : to) is_implied = is_implied && before[u(node)].test(u(from[0]));
    result.findings.back() = is_implied ? CheckFinding::kImplied : CheckFinding::kMissing;
    if (is_implied) {
      ++tally.good;
    } else if (!is_queue) {
      result.missing.push_back(fmt::format("{}: {} -> {}", to_string(edge.kind),
                                           describe(truth.nodes[u(edge.from)]),
                                           describe(truth.nodes[u(edge.to)])));
    }
  }
}

// Per converted node: the nodes of the truth that come before it; direct: only those no other
// matched node lies between.
struct Sources {
  std::vector<BitSet> all, direct;
};

Sources find_sources(const Truth& truth, const ConvertedGraph& graph, const Matching& matching) {
  std::vector<std::pair<int, int>> pairs;
  std::vector<std::vector<int>> from_of(graph.nodes.size());
  for (const ConvertedEdge& edge : graph.edges) {
    pairs.emplace_back(edge.from, edge.to);
    from_of[u(edge.to)].push_back(edge.from);
  }
  Sources sources{std::vector<BitSet>(graph.nodes.size(), BitSet(truth.nodes.size())),
                  std::vector<BitSet>(graph.nodes.size(), BitSet(truth.nodes.size()))};
  for (int node : topological_order(graph.nodes.size(), pairs)) {
    for (int from : from_of[u(node)]) {
      sources.all[u(node)] |= sources.all[u(from)];
      if (const int matched = matching.truth_of[u(from)]; matched >= 0) {
        sources.all[u(node)].set(u(matched));
        sources.direct[u(node)].set(u(matched));
      } else {
        sources.direct[u(node)] |= sources.direct[u(from)];
      }
    }
  }
  return sources;
}

// True where one of the sources an edge stands for is not ordered before target by the truth.
std::vector<std::size_t> false_sources(const Truth& truth, const ConvertedEdge& edge,
                                       const Matching& matching, const Sources& sources) {
  const int target = matching.truth_of[u(edge.to)], source = matching.truth_of[u(edge.from)];
  if (target < 0) return {};
  BitSet allowed = truth.tolerated[u(target)];
  allowed.set(u(target));  // nodes of one coalesced row
  if (source < 0) return sources.direct[u(edge.from)].minus(allowed);
  return allowed.test(u(source)) ? std::vector<std::size_t>{} : std::vector<std::size_t>{u(source)};
}

void compare_edges(const Truth& truth, const ConvertedGraph& graph, const Matching& matching,
                   Comparison& result) {
  const Sources sources = find_sources(truth, graph, matching);
  for (const ConvertedEdge& edge : graph.edges) {
    Tally& tally = result.edges[edge.evidence + (edge.inferred ? " (inferred)" : "")];
    ++tally.total;
    const auto wrong = false_sources(truth, edge, matching, sources);
    if (wrong.empty()) ++tally.good;
    for (std::size_t source : wrong)
      result.false_edges.push_back(fmt::format(
          "{}{}: {} -> {}", edge.evidence, edge.inferred ? " (inferred)" : "",
          describe(truth.nodes[source]), describe(truth.nodes[u(matching.truth_of[u(edge.to)])])));
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (matching.truth_of[i] < 0) continue;
    BitSet allowed = truth.tolerated[u(matching.truth_of[i])];
    allowed.set(u(matching.truth_of[i]));
    result.false_pairs += sources.all[i].minus(allowed).size();
  }
}

}  // namespace

Comparison compare(const Truth& truth, const ConvertedGraph& graph, const CompareOptions& options) {
  const Matching matching = match(truth, graph, options);
  Comparison result;
  compare_nodes(truth, graph, matching, options, result);
  compare_required(truth, graph, matching, result);
  compare_edges(truth, graph, matching, result);
  return result;
}

namespace {

bool is_wait(const TruthEdge& edge) {
  return edge.kind == EdgeKind::kEventWait || edge.kind == EdgeKind::kSynchronisation;
}

void count(bool is_good, Tally& tally) {
  tally.total += 1;
  tally.good += is_good ? 1 : 0;
}

/// Per node: what comes before it even without any one of its waits.
std::vector<BitSet> implied_by_others(const Truth& truth) {
  std::vector<BitSet> implied(truth.nodes.size(), BitSet(truth.nodes.size()));
  for (const TruthEdge& edge : truth.edges) {
    implied[u(edge.to)] |= truth.before[u(edge.from)];
    if (!is_wait(edge)) implied[u(edge.to)].set(u(edge.from));
  }
  return implied;
}

}  // namespace

WaitRecall recall_of_waits(const Truth& truth, const Comparison& comparison) {
  const std::vector<BitSet> implied = implied_by_others(truth);
  WaitRecall recall;
  std::set<std::pair<int, int>> seen;
  const auto add_missing = [&](const TruthEdge& edge) {
    recall.missing.push_back(fmt::format("{}{}: {} -> {}", edge.is_binding ? "held up, " : "",
                                         to_string(edge.kind), describe(truth.nodes[u(edge.from)]),
                                         describe(truth.nodes[u(edge.to)])));
  };
  for (std::size_t i = 0; i < truth.edges.size(); ++i) {
    const TruthEdge& edge = truth.edges[i];
    const bool is_found = comparison.findings[i] == CheckFinding::kImplied;
    if (edge.kind == EdgeKind::kQueue && edge.is_binding) {
      count(is_found, recall.binding_queues);
      if (!is_found) add_missing(edge);
    }
    const bool is_asked = is_wait(edge) && comparison.findings[i] != CheckFinding::kNotAsked;
    if (!is_asked || !seen.emplace(edge.from, edge.to).second) continue;
    count(is_found, recall.all);
    if (implied[u(edge.to)].test(u(edge.from))) continue;
    count(is_found, recall.needed);
    if (edge.is_binding) count(is_found, recall.binding);
    if (!is_found) add_missing(edge);
  }
  return recall;
}

std::string Comparison::text(std::size_t most) const {
  std::string text;
  auto add = [&](const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    text += fmt::format("{}: {}\n", title, lines.size());
    for (std::size_t i = 0; i < lines.size() && i < most; ++i) text += "  " + lines[i] + "\n";
  };
  add("nodes the graph lacks", unmatched_truth);
  add("nodes the truth lacks", unmatched_converted);
  add("missing dependencies", missing);
  add("false edges", false_edges);
  add("other times", time_mismatches);
  if (false_pairs > 0) text += fmt::format("falsely ordered pairs: {}\n", false_pairs);
  for (const auto& [kind, tally] : required)
    text += fmt::format("required {}: {} of {}\n", kind, tally.good, tally.total);
  for (const auto& [kind, tally] : edges)
    text += fmt::format("edges {}: {} of {} true\n", kind, tally.good, tally.total);
  return text;
}

ConvertedGraph perfect_graph(const Truth& truth) {
  ConvertedGraph graph;
  for (const TruthNode& node : truth.nodes) {
    ConvertedNode converted;
    converted.kind = static_cast<ConvertedNode::Kind>(node.kind);
    converted.rf_id = node.rf_id;
    converted.correlation = node.correlation;
    converted.name = node.name;
    converted.stream = node.stream;
    converted.start_ns = node.start_ns;
    converted.duration_ns = node.duration_ns;
    graph.nodes.push_back(std::move(converted));
  }
  for (const TruthEdge& edge : truth.edges)
    if (edge.shown) graph.edges.push_back({edge.from, edge.to, true, false, to_string(edge.kind)});
  return graph;
}

}  // namespace nadi::vm
