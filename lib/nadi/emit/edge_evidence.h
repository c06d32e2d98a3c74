// Tells why the edges of a Chakra graph exist: mostly by their ends, else by the attribute
// `edge_evidence` of the node that waits (schema/chakra.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/chakra/chakra_graph.h"
#include "nadi/graph/graph.h"

namespace nadi {

/// What the ends of an edge tell.
struct EdgeEnds {
  bool from_device = false, to_device = false;
  bool has_delay = false;  ///< one of them is a delay node
  bool same_lane = false;
};

/// The reason of a data edge for which the attribute gives none: what its ends tell.
Evidence evidence_of_ends(const EdgeEnds& ends);

/// Appends one edge to the text of the attribute: "57=event wait?pattern", a guess
/// with what it rests on. Edges are separated by ";".
void append_edge_evidence(std::uint64_t source_id, const Edge& edge, std::string& text);

/// The edges of one node for which the attribute tells a reason.
class RecordedEvidence {
 public:
  /// Parts that cannot be read are left out: files come from strangers.
  explicit RecordedEvidence(std::string_view text);
  /// What is told of the edge from that node, else what its ends tell.
  Edge of(std::uint64_t source_id, const EdgeEnds& ends) const;

 private:
  struct Entry {
    std::uint64_t source_id;
    Edge edge;
  };
  std::vector<Entry> entries_;  // by source, the first of each counts
};

/// Why a row waits for the rows it depends on. What the graph tells is looked at where it was
/// loaded with LoadOptions::parents; else, and where nothing is told, the ends of an edge say it.
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
