#include "nadi/converters/profile/host_places.h"

#include <algorithm>

#include "nadi/model/step_names.h"

namespace nadi {

std::string_view HostPlaces::before(std::uint32_t next, Ns length) {
  const std::uint32_t op = around(next, length);
  if (op == kNoIndex) return {};
  return name_without_step(graph_.name_of(op));
}

/// Of what is around the node before that time, else around the one behind it. What the thread
/// waits for at the end of an annotation is over a little before the next node begins.
std::uint32_t HostPlaces::around(std::uint32_t next, Ns length) {
  if (graph_.parent.empty()) return kNoIndex;
  if (!graph_.tells_starts) return graph_.parent[next];
  const Ns begin = graph_.start_ns[next] - length;
  if (!graph_.inclusive_ns.empty()) {
    const std::vector<std::uint32_t>& rows = nodes_of(graph_.lane[next]);
    const auto behind = std::partition_point(
        rows.begin(), rows.end(), [&](std::uint32_t row) { return graph_.start_ns[row] <= begin; });
    std::uint32_t op = behind == rows.begin() ? kNoIndex : *std::prev(behind);
    for (; op != kNoIndex; op = graph_.parent[op])
      if (graph_.inclusive_ns[op] > begin - graph_.start_ns[op] + length / 2) return op;
  }
  std::uint32_t op = graph_.parent[next];
  while (op != kNoIndex && graph_.start_ns[op] > begin) op = graph_.parent[op];
  return op;
}

const std::vector<std::uint32_t>& HostPlaces::nodes_of(std::uint32_t lane) {
  std::vector<std::uint32_t>& nodes = nodes_[lane];
  if (!nodes.empty()) return nodes;
  for (std::uint32_t row = 0; row < graph_.size(); ++row)
    if (graph_.lane[row] == lane && graph_.kind[row] != NodeKind::kDelay) nodes.push_back(row);
  std::stable_sort(nodes.begin(), nodes.end(), [&](std::uint32_t a, std::uint32_t b) {
    return graph_.start_ns[a] < graph_.start_ns[b];
  });
  return nodes;
}

}  // namespace nadi
