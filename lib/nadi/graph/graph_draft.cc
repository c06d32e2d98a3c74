#include "nadi/graph/graph_draft.h"

#include <fmt/format.h>

namespace nadi {

Ns GraphDraft::launched_ns(std::uint32_t row) const {
  const CallIndex call = linked.rows.launch[row];
  return call ? call_launch_ns[call.value] : linked.rows.launch_ns[row];
}

bool GraphDraft::launches_at_once(CallIndex call) const {
  return call_launch_ns[call.value] == linked.device.calls.start_ns[call.value];
}

void GraphDraft::add_edge(DraftEdge edge, Diagnostics& diagnostics) {
  if (end_ns(edge.source) <= start_ns(edge.target) && edge.source != edge.target) {
    edges.push_back(edge);
    return;
  }
  diagnostics.report("backward-edge", [&] {
    return fmt::format("{}: {} -> {}, {} ns late", to_string(edge.evidence),
                       linked.strings[nodes[edge.source].name],
                       linked.strings[nodes[edge.target].name],
                       end_ns(edge.source) - start_ns(edge.target));
  });
}

void GraphDraft::add_certain_edge(DraftEdge edge, Diagnostics& diagnostics) {
  const bool overlaps = end_ns(edge.source) > start_ns(edge.target);
  if (!overlaps || start_ns(edge.source) >= start_ns(edge.target))
    return add_edge(edge, diagnostics);
  edges.push_back(edge);
  diagnostics.report("overlap", [&] {
    return fmt::format("{}: {} starts {} ns before {} ends", to_string(edge.evidence),
                       linked.strings[nodes[edge.target].name],
                       end_ns(edge.source) - start_ns(edge.target),
                       linked.strings[nodes[edge.source].name]);
  });
}

void GraphDraft::add_recorded_edge(DraftEdge edge, Ns most_overlap_ns, Diagnostics& diagnostics) {
  const bool may_overlap = end_ns(edge.source) <= start_ns(edge.target) + most_overlap_ns;
  if (may_overlap && !is_guess(edge.inferred)) return add_certain_edge(edge, diagnostics);
  add_edge(edge, diagnostics);
}

}  // namespace nadi
