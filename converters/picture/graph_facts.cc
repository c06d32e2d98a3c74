#include "nadi/converters/picture/graph_facts.h"

#include "nadi/model/memory_row_names.h"

namespace nadi {
namespace {

bool is_copy(const Graph& graph, std::uint32_t row) {
  return graph.type[row] == NodeType::kMemoryLoad || graph.type[row] == NodeType::kMemoryStore ||
         is_memory_row_name(graph.name_of(row));
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
