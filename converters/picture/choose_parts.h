// Chooses the nodes and edges of a graph that a picture shows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nadi/converters/picture/picture.h"

namespace nadi {

struct ChosenParts {
  std::vector<bool> nodes;  ///< by row of the graph
  /// Of a critical path its rows in order: edges are shown along it alone.
  std::optional<std::vector<std::uint32_t>> path;
};

/// Throws what make_picture() throws.
ChosenParts choose_parts(const ChakraGraph& graph, const PictureOptions& options);

}  // namespace nadi
