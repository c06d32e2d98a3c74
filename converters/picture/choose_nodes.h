// Which nodes of a graph a picture shows.
#pragma once

#include <vector>

#include "nadi/converters/picture/picture.h"

namespace nadi {

/// By row of the graph. Throws what make_picture() throws.
std::vector<bool> choose_nodes(const SimGraph& graph, const PictureOptions& options);

}  // namespace nadi
