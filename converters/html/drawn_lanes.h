// The lanes of a graph over time, as a page draws them, with what it shows of their nodes.
#pragma once

#include <span>
#include <string>

#include "nadi/converters/html/page_json.h"
#include "nadi/model/graph.h"

namespace nadi::html {

/// Names and texts of the nodes drawn, each once; beyond a number of bytes they are cut to nothing.
class DrawnNames {
 public:
  std::uint32_t add(std::string_view name);
  /// A text that says more of a node: such are cut first, so that every node keeps its name.
  std::uint32_t add_detail(std::string_view text);
  /// All names, by number.
  Json json() const;

 private:
  std::uint32_t add(std::string_view text, std::size_t most_bytes);

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

/// The time that a drawing shows.
struct DrawnSpan {
  Ns origin_ns = 0;  ///< the first start: 0 of the drawing
  Ns length_ns = 0;  ///< until the last end

  /// Time since the origin, never so long that a few of them cannot be added: graphs come from
  /// strangers.
  Ns since_origin(Ns ns) const;
};
DrawnSpan span_of(std::span<const DrawnRun> runs);

/// {resolution_ns, lanes_left_out, steps, nodes, lanes: [{lane, name, run, is_device, busy_ns,
/// pieces}]}, each lane once per run.
/// lane: index into Graph::lanes. pieces: six numbers each: ns since the piece before (signed,
/// begin to begin), length, kind (PictureKind), the longest of its nodes (into `nodes`; of a gap
/// the one behind it), how many nodes, sum of their ns. At most `most_pieces` pieces and 64 lanes,
/// the busiest.
/// nodes: [id, name, kind, step, correlation, name of the op around, shapes, communication, edges
/// into it left out, [id of the source, its name, reason, …]], texts by number.
/// steps: [[N of ProfilerStep#N, its first start in the first run]].
Json drawn_lanes(const Graph& graph, std::span<const DrawnRun> runs, const DrawnSpan& span,
                 std::size_t most_pieces, DrawnNames& names);

/// Pieces each of so many graphs may have; 0 from the graph on that no page draws.
std::size_t pieces_of(std::size_t position, std::size_t graphs);

}  // namespace nadi::html
