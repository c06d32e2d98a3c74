// Builds the graph of a linked trace: the stages in order, as one recipe.
#pragma once

#include <cstdint>
#include <optional>

#include "nadi/base/diagnostics.h"
#include "nadi/graph/built_graph.h"
#include "nadi/graph/memory_copies.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// The unexplained waiting that becomes delay nodes: nodes of time that no dependency explains.
enum class Delays {
  kNone,  ///< none: replay gives the time that dependencies explain
  kHost,  ///< host threads' idle time, first rows of streams, unlaunched rows
  kAll,   ///< also device time: replay of the unchanged graph gives the measured times
};

struct StepRange {
  std::int32_t first, last;  ///< both included

  bool holds(std::int64_t step) const { return step >= first && step <= last; }
};

struct GraphOptions {
  Delays delays = Delays::kHost;
  MemoryNodes memory_nodes = MemoryNodes::kNone;
  /// A part no longer than this may join the node before it on the lane while no dependent becomes
  /// late by more than this in all; 0 keeps every part.
  Ns min_part_ns = 0;
  /// All parts join their own op's node; replay is late then (BuiltGraph::lateness_ns).
  bool join_all_parts = false;
  /// Only these steps; throws Error(kUsage) listing the steps there are, if it holds none of them.
  std::optional<StepRange> steps;
};

BuiltGraph build_graph(const LinkedTrace& linked, const GraphOptions& options,
                       Diagnostics& diagnostics);

}  // namespace nadi
