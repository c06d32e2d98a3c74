#include "nadi/graph/edge_list.h"

#include <fmt/format.h>

namespace nadi {

void EdgeList::add(DraftEdge edge) {
  if (draft_.end_ns(edge.source) <= draft_.start_ns(edge.target) && edge.source != edge.target) {
    edges_.push_back(edge);
    return;
  }
  diagnostics_.report(Finding::kBackwardEdge, [&] {
    return fmt::format("{}: {} -> {}, {} ns late", to_string(edge.evidence),
                       draft_.name(edge.source), draft_.name(edge.target),
                       draft_.end_ns(edge.source) - draft_.start_ns(edge.target));
  });
}

void EdgeList::add_certain(DraftEdge edge) {
  const bool overlaps = draft_.end_ns(edge.source) > draft_.start_ns(edge.target);
  if (!overlaps || draft_.start_ns(edge.source) >= draft_.start_ns(edge.target)) return add(edge);
  edges_.push_back(edge);
  diagnostics_.report(Finding::kOverlap, [&] {
    return fmt::format(
        "{}: {} starts {} ns before {} ends", to_string(edge.evidence), draft_.name(edge.target),
        draft_.end_ns(edge.source) - draft_.start_ns(edge.target), draft_.name(edge.source));
  });
}

void EdgeList::add_recorded(DraftEdge edge, Ns most_overlap_ns) {
  const bool may_overlap =
      draft_.end_ns(edge.source) <= draft_.start_ns(edge.target) + most_overlap_ns;
  if (may_overlap && !is_guess(edge.inferred)) return add_certain(edge);
  add(edge);
}

}  // namespace nadi
