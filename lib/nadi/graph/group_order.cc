#include "nadi/graph/group_order.h"

#include <algorithm>
#include <map>

namespace nadi {

void add_group_order(const GraphDraft& draft, EdgeList& edges) {
  // Rows that carry a collective, by process group, in time order.
  std::map<StringId, std::vector<NodeIndex>> groups;
  for (const NodeIndex node : rows_of(draft.nodes)) {
    const CommunicationIndex index = draft.nodes[node].communication;
    if (!index) continue;
    const Communication& communication = draft.communications[index];
    if (communication.kind == CommKind::kSend || communication.kind == CommKind::kRecv) continue;
    groups[communication.group].push_back(node);
  }
  for (auto& [group, nodes] : groups) {
    std::sort(nodes.begin(), nodes.end(), [&](NodeIndex a, NodeIndex b) {
      return draft.start_ns(a) != draft.start_ns(b) ? draft.start_ns(a) < draft.start_ns(b) : a < b;
    });
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      const Node& before = draft.nodes[nodes[i - 1]];
      const Node& after = draft.nodes[nodes[i]];
      // On one lane stream order says it already; nodes of one kernel run side by side.
      if (before.lane != after.lane && !before.is_of_same_row(after))
        edges.add({nodes[i - 1], nodes[i], Evidence::kGroupOrder});
    }
  }
}

}  // namespace nadi
