#include "nadi/converters/picture/graph_facts.h"

namespace nadi {
namespace {

bool is_copy(const Graph& graph, std::uint32_t row) {
  if (graph.type[row] == NodeType::kMemoryLoad || graph.type[row] == NodeType::kMemoryStore)
    return true;
  for (const std::string_view begin : {"Memcpy", "Memset", "hipMemcpy", "hipMemset", "dma"})
    if (graph.name_of(row).starts_with(begin)) return true;
  return false;
}

}  // namespace

std::string_view to_string(PictureKind kind) {
  constexpr std::string_view kNames[] = {"host", "call",          "kernel",
                                         "copy", "communication", "delay"};
  return kNames[static_cast<std::size_t>(kind)];
}

PictureKind picture_kind_of(const Graph& graph, std::uint32_t row) {
  if (graph.kind[row] == NodeKind::kDelay) return PictureKind::kDelay;
  if (graph.communicates(row)) return PictureKind::kCommunication;
  if (graph.kind[row] == NodeKind::kCall) return PictureKind::kCall;
  if (!graph.is_device(row)) return PictureKind::kHost;
  return is_copy(graph, row) ? PictureKind::kCopy : PictureKind::kKernel;
}

}  // namespace nadi
