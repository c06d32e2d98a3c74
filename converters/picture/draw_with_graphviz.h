// Lays a DOT graph out with Graphviz.
#pragma once

#include <string>
#include <string_view>

namespace nadi {

/// Bytes that the program `dot` draws; format: "svg" or "pdf". Throws Error(kInput) where the
/// program is missing or fails, with what it said.
std::string draw_with_graphviz(std::string_view dot, const std::string& format);

}  // namespace nadi
