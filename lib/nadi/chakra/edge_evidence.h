// Finds why the edges of a Chakra graph exist: mostly by their ends, else by the attribute
// `edge_evidence` of the node that waits (schema/chakra.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/evidence.h"
#include "nadi/model/graph.h"

namespace nadi {

/// Returns the reason of a data edge between two nodes for which the attribute gives none, from
/// what they are; the edge need not be there.
Evidence evidence_of_ends(const Graph& graph, std::uint32_t from, std::uint32_t to);

/// Appends one edge to the text of the attribute: "57=event wait?pattern", a guess
/// with what it rests on. Edges are separated by ";".
void append_edge_evidence(std::uint64_t source_id, const Edge& edge, std::string& text);

/// An edge for which the attribute of the node that waits records a reason.
struct RecordedEdge {
  std::uint64_t source_id;
  Edge edge;
};

/// Appends the edges of one node that the attribute lists, by source; the first of each source
/// counts. Parts that cannot be read are left out: files come from strangers.
void append_recorded_edges(std::string_view text, std::vector<RecordedEdge>& edges);

}  // namespace nadi
