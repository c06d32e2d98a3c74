// The edges of a draft as its stages find them.
#pragma once

#include <utility>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Takes edges, each only after a check against the times of its two nodes.
class EdgeList {
 public:
  /// Both arguments must outlive it.
  EdgeList(const GraphDraft& draft, Diagnostics& diagnostics)
      : draft_(draft), diagnostics_(diagnostics) {}

  void reserve(std::size_t edges) { edges_.reserve(edges); }

  /// Takes the edge if its source ends by the target's start; else counts it as going backward.
  void add(DraftEdge edge);
  /// Takes an edge that is certain. It is taken also where its nodes overlap, as long as the source
  /// starts first; the overlap is counted.
  void add_certain(DraftEdge edge);
  /// Takes an edge whose nodes may overlap by `most_overlap_ns`, by which stamps may be off: up to
  /// that as a certain one. With more, or where the edge is inferred, it is added as any other
  /// edge.
  void add_recorded(DraftEdge edge, Ns most_overlap_ns);

  /// Takes edges of the same draft, which were checked there.
  void append(const EdgeList& others) {
    edges_.insert(edges_.end(), others.edges_.begin(), others.edges_.end());
  }

  const std::vector<DraftEdge>& edges() const { return edges_; }
  std::vector<DraftEdge> take() { return std::move(edges_); }

 private:
  const GraphDraft& draft_;
  Diagnostics& diagnostics_;
  std::vector<DraftEdge> edges_;
};

}  // namespace nadi
