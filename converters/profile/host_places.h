// Finds what a host thread is inside of while it runs no op.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "nadi/base/time.h"
#include "nadi/model/graph.h"

namespace nadi {

/// The graph must outlive it; the nodes of a lane are sorted as they are asked for.
class HostPlaces {
 public:
  explicit HostPlaces(const Graph& graph) : graph_(graph), nodes_(graph.lanes.size()) {}

  /// The name of the innermost op or annotation that lasts for most of the time `length` before a
  /// host node, of a step "ProfilerStep"; empty where none is known.
  std::string_view before(std::uint32_t next, Ns length);

 private:
  std::uint32_t around(std::uint32_t next, Ns length);
  const std::vector<std::uint32_t>& nodes_of(std::uint32_t lane);

  const Graph& graph_;
  std::vector<std::vector<std::uint32_t>> nodes_;  // by lane, by start; without delays
};

}  // namespace nadi
