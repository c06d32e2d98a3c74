#include "nadi/converters/convert.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/error_of.h"
#include "tests/temporary_folder.h"

namespace nadi {
namespace {

TEST(Convert, ALinkedTraceThatIsCutBeforeItsFirstTimeIsRefused) {
  const TemporaryFolder folder;
  ConvertOptions options;
  options.output_file = folder / "graph.et";
  options.traces.linked = folder.write("linked.json", R"({"schema": "1.0.3-chakra.0.0.4", "nodes": [
{"id": 3, "name": "aten::add", "ctrl_deps": 2, "ts": 4458676416431.397, "untimed": true},
{"id": 4, "name": "aten::add", "parent": 2, "rf_id": 0, "tid": 1},
{"id": 5, "inclusive_dur": )");
  EXPECT_EQ(error_of([&] { convert(options); }).problem(),
            "holds no ops, calls or device rows before the place where it is cut");
  EXPECT_EQ(folder.listing(), "linked.json");
}

/// A tensor of 1 MiB that goes to pinned memory and comes back, and a scalar that does not.
constexpr const char* kOffloading = R"json({"schemaVersion": 1, "traceEvents": [
{"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpyAsync", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": {"correlation": 1}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH (Device -> Pinned)", "pid": 0, "tid": 7, "ts": 10, "dur": 40, "args": {"device": 0, "stream": 7, "correlation": 1, "bytes": 1048576}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpyAsync", "pid": 1, "tid": 1, "ts": 60, "dur": 1, "args": {"correlation": 2}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pinned -> Device)", "pid": 0, "tid": 7, "ts": 65, "dur": 45, "args": {"device": 0, "stream": 7, "correlation": 2, "bytes": 1048576}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpyAsync", "pid": 1, "tid": 1, "ts": 120, "dur": 1, "args": {"correlation": 3}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH (Device -> Pinned)", "pid": 0, "tid": 7, "ts": 125, "dur": 2, "args": {"device": 0, "stream": 7, "correlation": 3, "bytes": 4}}
]})json";

std::vector<NodeType> types_of_copies(MemoryNodes memory_nodes) {
  const TemporaryFolder folder;
  ConvertOptions options;
  options.traces.device = folder.write("device.json", kOffloading);
  options.graph.memory_nodes = memory_nodes;
  const Graph graph = convert_in_memory(options, {}).front().graph;
  std::vector<NodeType> types;
  for (std::uint32_t row = 0; row < graph.size(); ++row)
    if (graph.is_device(row) && graph.kind[row] != NodeKind::kDelay)
      types.push_back(graph.type[row]);
  return types;
}

TEST(ConvertMemoryNodes, AreCopiesUnlessTheyAreAskedFor) {
  using Types = std::vector<NodeType>;
  EXPECT_EQ(types_of_copies(MemoryNodes::kNone),
            (Types{NodeType::kCompute, NodeType::kCompute, NodeType::kCompute}));
  EXPECT_EQ(types_of_copies(MemoryNodes::kOffload),
            (Types{NodeType::kMemoryStore, NodeType::kMemoryLoad, NodeType::kCompute}));
  EXPECT_EQ(types_of_copies(MemoryNodes::kHost),
            (Types{NodeType::kMemoryStore, NodeType::kMemoryLoad, NodeType::kMemoryStore}));
}

}  // namespace
}  // namespace nadi
