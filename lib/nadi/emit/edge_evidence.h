// Finds why the edges of a Chakra graph exist: mostly by their ends, else by the attribute
// `edge_evidence` of the node that waits (schema/chakra.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/chakra/chakra_graph.h"
#include "nadi/graph/graph.h"

namespace nadi {

/// The facts about the ends of an edge that decide its reason.
struct EdgeEnds {
  bool from_device = false, to_device = false;
  bool has_delay = false;  ///< one of them is a delay node
  bool same_lane = false;
};

/// Returns the reason of a data edge for which the attribute gives none, from its ends.
Evidence evidence_of_ends(const EdgeEnds& ends);

/// Appends one edge to the text of the attribute: "57=event wait?pattern", a guess
/// with what it rests on. Edges are separated by ";".
void append_edge_evidence(std::uint64_t source_id, const Edge& edge, std::string& text);

/// The edges of one node for which the attribute records a reason.
class RecordedEvidence {
 public:
  /// Parts that cannot be read are left out: files come from strangers.
  explicit RecordedEvidence(std::string_view text);
  /// Returns the recorded reason of the edge from that node, else the reason from its ends.
  Edge of(std::uint64_t source_id, const EdgeEnds& ends) const;

 private:
  struct Entry {
    std::uint64_t source_id;
    Edge edge;
  };
  std::vector<Entry> entries_;  // by source, the first of each counts
};

/// Finds why a row waits for the rows it depends on: from the attribute where the graph was loaded
/// with LoadOptions::parents; else, and where nothing is recorded, from the ends of an edge.
class RowEvidence {
 public:
  RowEvidence(const ChakraGraph& graph, std::uint32_t row);
  Edge from(std::uint32_t source) const;

 private:
  const ChakraGraph& graph_;
  std::uint32_t row_;
  RecordedEvidence recorded_;
};

}  // namespace nadi
