// Prints the longest chain of a rank's graph, found with Boost's algorithms: how long the rank
// would take if nothing but its dependencies held it up.
#include <nadi/base/error.h>
#include <nadi/converters/convert.h>

#include <algorithm>
#include <boost/graph/topological_sort.hpp>
#include <boost/range/iterator_range.hpp>
#include <cstdio>
#include <iterator>
#include <vector>

namespace {

/// From the node that ends last to the first: each waits for the one behind it.
std::vector<nadi::Vertex> longest_chain(const nadi::Graph& graph) {
  std::vector<nadi::Vertex> order;
  boost::topological_sort(graph.structure, std::back_inserter(order));  // those that wait first
  std::vector<nadi::Ns> end(graph.size());
  std::vector<nadi::Vertex> before(graph.size());  // what decides the start; itself = nothing
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    nadi::Ns start = 0;
    before[*node] = *node;
    for (const auto edge : boost::make_iterator_range(in_edges(*node, graph.structure))) {
      const nadi::Vertex from = source(edge, graph.structure);
      if (end[from] <= start) continue;
      start = end[from];
      before[*node] = from;
    }
    end[*node] = start + graph.duration_ns[*node];
  }
  auto node = static_cast<nadi::Vertex>(std::max_element(end.begin(), end.end()) - end.begin());
  std::vector<nadi::Vertex> chain{node};
  while (before[node] != node) chain.push_back(node = before[node]);
  return chain;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  nadi::ConvertOptions options;
  options.traces = {argv[1], argv[2]};  // host trace, device trace
  options.graph.delays = nadi::Delays::kNone;
  try {
    const nadi::Graph graph = nadi::convert_in_memory(options, {}).front().graph;
    const std::vector<nadi::Vertex> chain = longest_chain(graph);
    nadi::Ns sum = 0, of_rows = 0;
    for (const nadi::Vertex node : chain) {
      sum += graph.duration_ns[node];
      if (graph.is_device(node)) of_rows += graph.duration_ns[node];
    }
    std::printf("%zu of %zu nodes take %lld ns one after the other, device rows %lld ns of these\n",
                chain.size(), graph.size(), static_cast<long long>(sum),
                static_cast<long long>(of_rows));
  } catch (const nadi::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
