#include "nadi/graph/host_communications.h"

#include <algorithm>
#include <array>

#include "nadi/graph/communications.h"

namespace nadi {
namespace {

/// Annotations of backends that communicate on the host: no device row carries these.
bool is_host_backend(std::string_view annotation) {
  constexpr std::array<std::string_view, 3> kPrefixes = {"gloo:", "mpi:", "ucc:"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return annotation.starts_with(prefix); });
}

/// The record of the op around the annotation says more than the annotation's tensors.
const CommRecord& record_of(const LinkedTrace& linked, LinkedOpIndex op) {
  const LinkedOpIndex around = linked.ops.parent[op];
  const bool is_recorded = around && linked.ops.comm[around] &&
                           linked.strings[linked.ops.name[around]] == "record_param_comms";
  return linked.comms[is_recorded ? linked.ops.comm[around] : linked.ops.comm[op]];
}

}  // namespace

void add_host_communications(GraphDraft& draft, Diagnostics& diagnostics) {
  const LinkedTrace& linked = draft.linked;
  std::vector<LinkedOpIndex> ops;
  for (const LinkedOpIndex op : rows_of(linked.ops))
    if (linked.ops.is_annotation[op] != 0 && linked.ops.comm[op] &&
        is_host_backend(linked.strings[linked.ops.name[op]]))
      ops.push_back(op);
  std::sort(ops.begin(), ops.end(), [&](LinkedOpIndex a, LinkedOpIndex b) {
    return linked.ops.start_ns[a] != linked.ops.start_ns[b]
               ? linked.ops.start_ns[a] < linked.ops.start_ns[b]
               : a < b;
  });
  CommunicationMaker maker(linked, diagnostics);
  for (const LinkedOpIndex op : ops) {
    const Communication communication =
        maker.make(record_of(linked, op), linked.strings[linked.ops.name[op]]);
    if (communication.kind == CommKind::kNone) continue;
    draft.nodes[draft.op_node[op]].communication = CommunicationIndex(draft.communications.size());
    draft.communications.push_back(communication);
  }
}

}  // namespace nadi
