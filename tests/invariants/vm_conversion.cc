#include "tests/invariants/vm_conversion.h"

#include <optional>

#include "nadi/base/error.h"
#include "nadi/input/byte_source.h"
#include "nadi/link/link.h"
#include "nadi/read/device_trace_reader.h"
#include "nadi/read/host_trace_reader.h"
#include "nadi/read/join_forms.h"

namespace nadi {
namespace {

std::uint64_t rf_id_of(const LinkedTrace& linked, LinkedOpIndex op) {
  if (linked.ops.host[op]) return linked.host.ops.rf_id[linked.ops.host[op]];
  return linked.device.ops.rf_id[linked.ops.profiler[op]];
}

vm::ConvertedNode plain_node(const Conversion& conversion, std::uint32_t node) {
  using Kind = vm::ConvertedNode::Kind;
  const LinkedTrace& linked = conversion.linked;
  const BuiltGraph& graph = conversion.graph;
  vm::ConvertedNode plain;
  plain.start_ns = graph.trace_ns(node);
  plain.duration_ns = graph.duration_ns[node];
  plain.name = std::string(graph.name_of(node));
  switch (graph.kind[node]) {
    case NodeKind::kOp:
    case NodeKind::kPart:
      plain.kind = graph.kind[node] == NodeKind::kOp ? Kind::kOp : Kind::kPart;
      plain.rf_id = rf_id_of(linked, graph.op(node));
      break;
    case NodeKind::kCall:
      plain.kind = Kind::kCall;
      plain.correlation = linked.device.calls.correlation[graph.call(node)];
      break;
    case NodeKind::kDeviceRow:
      plain.kind = Kind::kDeviceRow;
      plain.correlation = linked.device.rows.correlation[graph.device_row(node)];
      plain.stream = linked.device.rows.stream[graph.device_row(node)];
      break;
    case NodeKind::kDelay:
    case NodeKind::kHostOther:
      plain.kind = Kind::kDelay;
      break;
  }
  return plain;
}

DeviceTrace read_device(const std::string& text, Diagnostics& diagnostics) {
  ByteSource source = source_of_bytes(text, "device");
  return read_device_trace(source, diagnostics);
}

HostTrace read_host(const std::string& text, Diagnostics& diagnostics) {
  ByteSource source = source_of_bytes(text, "host");
  return read_host_trace(source, diagnostics);
}

}  // namespace

Conversion convert_program(const vm::Program& program, const vm::Execution& run, int rank,
                           const vm::WriteOptions& write, const GraphOptions& options) {
  return convert_texts(vm::write_host_trace(program, run, rank, write),
                       vm::write_device_trace(program, run, rank, write), options);
}

Conversion convert_texts(const std::string& host_text, const std::string& device_text,
                         const GraphOptions& options, const LinkOptions& link) {
  return convert_traces(read_texts(host_text, device_text), options, link);
}

ReadTraces read_texts(const std::string& host_text, const std::string& device_text) {
  ReadTraces read;
  read.device = read_device(device_text, read.diagnostics);
  read.host = read_host(host_text, read.diagnostics);
  return read;
}

Conversion convert_traces(ReadTraces traces, const GraphOptions& options, const LinkOptions& link) {
  Conversion result;
  result.diagnostics = std::move(traces.diagnostics);
  result.linked =
      link_traces(std::move(traces.host), std::move(traces.device), link, result.diagnostics);
  result.graph = build_graph(result.linked, options, result.diagnostics);
  return result;
}

Conversion convert_both_forms(const vm::Program& program, const vm::Execution& run, int rank,
                              const vm::WriteOptions& write, const GraphOptions& options) {
  vm::WriteOptions json = write, perfetto = write;
  json.form = vm::DeviceForm::kCuspy;
  perfetto.form = vm::DeviceForm::kPftrace;
  ReadTraces traces;
  const auto read = [&](const vm::WriteOptions& form) {
    return read_device(vm::write_device_trace(program, run, rank, form), traces.diagnostics);
  };
  traces.device = read(json);
  if (!take_graph_dependencies(read(perfetto), traces.device, traces.diagnostics))
    throw Error(ErrorCode::kInternal, program.name, "the two forms are taken for two runs",
                "Look at the times of their rows");
  traces.host = read_host(vm::write_host_trace(program, run, rank, write), traces.diagnostics);
  return convert_traces(std::move(traces), options, {});
}

vm::ConvertedGraph plain_graph(const Conversion& conversion) {
  vm::ConvertedGraph plain;
  const GraphStructure& graph = conversion.graph.structure;
  for (std::uint32_t v = 0; v < num_vertices(graph); ++v)
    plain.nodes.push_back(plain_node(conversion, v));
  for (auto [edge, end] = edges(graph); edge != end; ++edge)
    plain.edges.push_back(
        {static_cast<int>(source(*edge, graph)), static_cast<int>(target(*edge, graph)),
         graph[*edge].evidence != Evidence::kNesting, is_guess(graph[*edge].inferred),
         std::string(to_string(graph[*edge].evidence))});
  return plain;
}

}  // namespace nadi
