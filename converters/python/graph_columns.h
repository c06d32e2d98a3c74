// A graph as Python sees it: its columns, edges, communications and lanes.
#pragma once

#include <memory>
#include <optional>

#include "nadi/converters/python/columns.h"
#include "nadi/model/graph.h"

namespace nadi::python {

/// Arrays look into the graph, and keep it.
class GraphView {
 public:
  explicit GraphView(std::shared_ptr<const Graph> graph) : graph_(std::move(graph)) {}

  const Graph& graph() const { return *graph_; }
  /// A row per node: the columns of GraphNodes, `start_ns` where the graph tells times; `parent`
  /// and `communication` are rows, -1 = none.
  py::dict nodes();
  /// A row per edge, by target: `source` and `target` are rows of nodes.
  py::dict edges() const;
  /// A row per communication, with the row of its `node`.
  py::dict communications();
  /// The lanes that `lane` of a node means; their names are those of the tool.
  py::dict lanes() const;

 private:
  const py::list& texts();
  py::capsule owner() const;

  std::shared_ptr<const Graph> graph_;
  std::optional<py::list> texts_;  // made when they are first asked for
};

}  // namespace nadi::python
