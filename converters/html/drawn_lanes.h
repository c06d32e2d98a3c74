// The lanes of a graph over time, as a page draws them.
#pragma once

#include <span>
#include <string>

#include "nadi/converters/html/page_json.h"
#include "nadi/model/graph.h"

namespace nadi::html {

/// Names of the nodes drawn, each once; beyond a number of bytes they are cut to nothing.
class DrawnNames {
 public:
  std::uint32_t add(std::string_view name);
  /// All names, by number.
  Json json() const;

 private:
  StringTable names_;
  std::size_t bytes_ = 0;
};

/// Times of a graph's nodes: as measured, or of a replay.
struct DrawnRun {
  std::string name;                      ///< "measured"; empty where there is only one
  std::span<const Ns> start_ns, end_ns;  ///< by row of the graph
  /// Drawn are the gaps that no dependency explains, whatever delays the graph has, instead of
  /// these. A replay has no such gaps: what is idle there waits for a dependency, a delay among
  /// them.
  bool is_measured = false;
};

/// {span_ns, resolution_ns, lanes_left_out, lanes: [{name, run, is_device, busy_ns, pieces}]}, each
/// lane once per run. pieces: six numbers each: ns since the piece before (signed, begin to begin),
/// length, kind (PictureKind), name, nodes, sum of their ns. At most `most_pieces` pieces and 64
/// lanes, the busiest.
Json drawn_lanes(const Graph& graph, std::span<const DrawnRun> runs, std::size_t most_pieces,
                 DrawnNames& names);

/// Pieces each of so many graphs may have; 0 from the graph on that no page draws.
std::size_t pieces_of(std::size_t place, std::size_t graphs);

}  // namespace nadi::html
