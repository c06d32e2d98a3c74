// Graphs from the text of traces, and questions tests ask of them.
#pragma once

#include <string>
#include <vector>

#include "nadi/graph/build.h"
#include "tests/unit/link/trace_text.h"

namespace nadi::test {

/// A graph with its trace; nodes are named as `label` says.
struct TraceGraph {
  Diagnostics diagnostics;
  LinkedTrace linked;
  BuiltGraph graph;

  explicit TraceGraph(const Lines& events, const GraphOptions& options = without_delays(),
                      const Lines& nodes = {})
      : linked(link(events, nodes)), graph(build_graph(linked, options, diagnostics)) {}

  static GraphOptions without_delays() {
    GraphOptions options;
    options.delays = Delays::kNone;
    return options;
  }

  std::size_t size() const { return graph.size(); }

  /// "gemm", for parts, calls and delays with their start in us: "aten::mm@12", "delay@3".
  std::string label(std::uint32_t vertex) const {
    const std::string name(graph.name_of(vertex));
    const NodeKind kind = graph.kind[vertex];
    if (kind == NodeKind::kOp || kind == NodeKind::kDeviceRow) return name;
    return fmt::format("{}@{}", name, (graph.trace_ns(vertex) - linked.device.first_ns) / 1000);
  }

  std::uint32_t vertex(const std::string& wanted) const {
    for (std::uint32_t v = 0; v < size(); ++v)
      if (label(v) == wanted) return v;
    return kNoIndex;
  }

  /// Labels of what the node comes after by this evidence, in id order.
  std::vector<std::string> before(const std::string& wanted, Evidence evidence) const {
    std::vector<std::string> labels;
    for (std::uint32_t v = 0; v < size(); ++v)
      for (auto [edge, end] = out_edges(v, graph.structure); edge != end; ++edge)
        if (label(static_cast<std::uint32_t>(target(*edge, graph.structure))) == wanted &&
            graph.structure[*edge].evidence == evidence)
          labels.push_back(label(v));
    return labels;
  }

  std::vector<std::string> labels() const {
    std::vector<std::string> all;
    for (std::uint32_t v = 0; v < size(); ++v) all.push_back(label(v));
    return all;
  }

  Ns duration_us(const std::string& wanted) const {
    return graph.duration_ns[vertex(wanted)] / 1000;
  }
};

using Labels = std::vector<std::string>;

}  // namespace nadi::test
