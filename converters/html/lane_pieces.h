// Nodes of a lane joined to what a screen can show.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nadi/base/time.h"
#include "nadi/converters/picture/graph_facts.h"

namespace nadi::html {

struct LaneNode {
  Ns begin_ns = 0, end_ns = 0;
  std::uint32_t name = 0;  ///< the caller's
  PictureKind kind = PictureKind::kHost;
};

struct LanePiece {
  Ns begin_ns = 0, end_ns = 0;
  Ns node_ns = 0;           ///< sum of its nodes' times; less than its length where it has gaps
  std::uint32_t name = 0;   ///< of its longest node
  std::uint32_t nodes = 0;  ///< how many it stands for
  PictureKind kind = PictureKind::kHost;  ///< what most of its time is
};

/// Nodes of at least resolution_ns stay as they are; of the shorter ones those less than that apart
/// become one piece, of at most four times that length; communication and waits each with their
/// like alone, so that a short collective among kernels stays visible, and kernels among waits.
/// Nodes without a duration are left out. `nodes` and pieces ascend by begin.
std::vector<LanePiece> join_nodes(std::span<const LaneNode> nodes, Ns resolution_ns);

/// The finest resolution at which all lanes together have at most `most` pieces: 0, or a part of
/// span_ns by a power of two.
Ns find_resolution(std::span<const std::vector<LaneNode>> lanes, Ns span_ns, std::size_t most);

/// Time in which at least one node runs that is no delay. `nodes` ascend by begin.
Ns busy_time(std::span<const LaneNode> nodes);

}  // namespace nadi::html
