// A library user's view: compiled code of the library, and the headers of its data.
#include <nadi/base/diagnostics.h>
#include <nadi/graph/graph.h>

#include <cstdio>

int main() {
  nadi::Diagnostics diagnostics;
  diagnostics.report("example", nadi::Severity::kWarning, "here", 2);
  const nadi::Graph graph;
  std::printf("%zu nodes, %llu findings\n", num_vertices(graph.structure),
              static_cast<unsigned long long>(diagnostics.count("example")));
  return diagnostics.count("example") == 2 ? 0 : 1;
}
