// The edges of a draft as its stages find them.
#pragma once

#include <utility>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Holds each edge against the times of its nodes before it takes it.
class EdgeList {
 public:
  /// Both arguments must outlive it.
  EdgeList(const GraphDraft& draft, Diagnostics& diagnostics)
      : draft_(draft), diagnostics_(diagnostics) {}

  /// Takes the edge if its source ends by the target's start; else counts it as going backward.
  void add(DraftEdge edge);
  /// Takes an edge that is certain: it stays where the two overlap, as long as the source starts
  /// first; the overlap is counted.
  void add_certain(DraftEdge edge);
  /// Takes an edge that the trace records: it stays, as a certain one does, where the two overlap
  /// by no more than the stamps may be off.
  void add_recorded(DraftEdge edge, Ns most_overlap_ns);

  const std::vector<DraftEdge>& edges() const { return edges_; }
  std::vector<DraftEdge> take() { return std::move(edges_); }

 private:
  const GraphDraft& draft_;
  Diagnostics& diagnostics_;
  std::vector<DraftEdge> edges_;
};

}  // namespace nadi
