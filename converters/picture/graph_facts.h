// Classifies a graph's nodes into the kinds that pictures and pages draw differently.
#pragma once

#include <cstdint>
#include <string_view>

#include "nadi/model/graph.h"

namespace nadi {

/// The kind of a node, which sets its colour and shape.
enum class PictureKind : std::uint8_t {
  kHost,  ///< ops and parts
  kCall,  ///< blocking calls, and calls outside of ops
  kKernel,
  kCopy,
  kCommunication,
  kDelay,  ///< waiting that no dependency explains
};
inline constexpr std::size_t kPictureKindCount = 6;
std::string_view to_string(PictureKind kind);  ///< "host", "call", "kernel", …

PictureKind picture_kind_of(const Graph& graph, std::uint32_t row);

}  // namespace nadi
