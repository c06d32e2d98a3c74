// Time to write and check a Chakra graph: 1M nodes like resnet's, without touching a disk.
#include <benchmark/benchmark.h>

#include <string>

#include "nadi/chakra/chakra_reader.h"
#include "nadi/emit/chakra_writer.h"
#include "tests/unit/emit/trace_builder.h"

namespace nadi {
namespace {

constexpr std::size_t kOps = 400'000;  // each with a part; every second one with a kernel

std::string tensor_text(std::size_t i) {
  return "[" + std::to_string(i * 3) + "," + std::to_string(i * 3 + 1) + R"(,0,262144,4,"cuda:0"])";
}

void add_op_with_kernel(TraceBuilder& b, std::size_t i, std::uint32_t& last) {
  const Ns start = static_cast<Ns>(i) * 10'000;
  const auto op = b.add_op("aten::some_op_" + std::to_string(i % 200), i + 10, i, start, 9'000);
  b.set_inputs(op, "[" + tensor_text(i) + "," + tensor_text(i + 7) + ",[1,1],0.1]",
               "[[32," + std::to_string(i % 64) + ",56,56],[64],[[],[]],[]]",
               R"x(["Tensor(float)","Tensor(float)","GenericList[Int,Int]","Double"])x");
  const HostOpIndex host = b.trace.ops.host[op];
  b.trace.host.ops.output_values[host] = b.text("[" + tensor_text(i + 9) + "]");
  b.trace.host.ops.output_shapes[host] = b.text("[[32," + std::to_string(i % 64) + ",56,56]]");
  b.trace.host.ops.output_types[host] = b.text(R"x(["Tensor(float)"])x");
  b.trace.host.ops.op_schema[host] =
      b.text("aten::some_op_" + std::to_string(i % 200) + "(Tensor self, Tensor other) -> Tensor");
  const std::uint32_t node = b.add_op_node(op, 4'321);
  if (i > 0) b.add_edge(last, node, Evidence::kThreadOrder);
  last = b.add_part(op, start + 4'321, 2'345);
  b.add_edge(node, last, Evidence::kThreadOrder);
  b.add_edge(node, last, Evidence::kNesting);
  if (i % 2 != 0) return;
  const auto row = b.add_row("void at::native::vectorized_elementwise_kernel<4, int>()",
                             start + 5'000, 3'210, static_cast<std::int64_t>(i), op, start + 4'321);
  b.add_edge(node, b.add_row_node(row), Evidence::kLaunch);
}

const TraceBuilder& million_nodes() {
  static const TraceBuilder builder = [] {
    TraceBuilder b;
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < kOps; ++i) add_op_with_kernel(b, i, last);
    return b;
  }();
  return builder;
}

void write_million_nodes(benchmark::State& state) {
  const TraceBuilder& builder = million_nodes();
  const BuiltGraph graph = builder.graph();
  ChakraOptions options;
  options.threads = static_cast<unsigned>(state.range(0));
  std::size_t bytes = 0;
  for (auto _ : state) {
    bytes = 0;
    Diagnostics diagnostics;
    write_chakra(
        builder.trace, graph, options, [&](std::string_view piece) { bytes += piece.size(); },
        diagnostics);
  }
  const auto nodes = static_cast<double>(builder.nodes.size());
  state.counters["ns_per_node"] = benchmark::Counter(
      nodes * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["bytes_per_node"] = static_cast<double>(bytes) / nodes;
}
BENCHMARK(write_million_nodes)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

void read_million_nodes(benchmark::State& state) {
  std::string bytes;
  Diagnostics diagnostics;
  write_chakra(
      million_nodes().trace, million_nodes().graph(), {},
      [&](std::string_view piece) { bytes += piece; }, diagnostics);
  for (auto _ : state) {
    ChakraReader reader(messages_of_bytes(bytes, "memory"));
    ChakraProtoMsg::Node node;
    while (reader.next(node)) benchmark::DoNotOptimize(node.id());
  }
  const auto nodes = static_cast<double>(million_nodes().nodes.size());
  state.counters["ns_per_node"] = benchmark::Counter(
      nodes * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(read_million_nodes)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace nadi
