// Which nodes and edges of a graph a picture shows.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "nadi/converters/picture/picture.h"

namespace nadi {

struct ChosenParts {
  std::vector<bool> nodes;  ///< by row of the graph
  /// Of a critical path the edges along it (source, target): nothing else is shown. None = all
  /// between the nodes.
  std::optional<std::set<std::pair<std::uint32_t, std::uint32_t>>> edges;
};

/// Throws what make_picture() throws.
ChosenParts choose_parts(const SimGraph& graph, const PictureOptions& options);

}  // namespace nadi
