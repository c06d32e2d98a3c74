#include "nadi/emit/node_facts.h"

namespace nadi {
NodeFactFinder::NodeFactFinder(const LinkedTrace& trace, const BuiltGraph& graph)
    : trace_(trace), graph_(graph), host_ids_(trace) {}

std::int64_t NodeFactFinder::tid_of(LaneIndex lane) const {
  if (!lane || trace_.lanes[lane].is_device) return 0;
  return trace_.lanes[lane].tid;
}

void NodeFactFinder::fill_from_host(HostOpIndex host, NodeFacts& facts) const {
  const HostOps& ops = trace_.host.ops;
  facts.rf_id = ops.rf_id[host];
  facts.seq_id = ops.seq_id[host];
  facts.scope = ops.scope[host];
  facts.fw_tid = ops.fw_tid[host];
  facts.op_schema = ops.op_schema[host];
  facts.inputs = {ops.input_values[host], ops.input_shapes[host], ops.input_types[host]};
  facts.outputs = {ops.output_values[host], ops.output_shapes[host], ops.output_types[host]};
  if (ops.fw_parent[host] != 0) facts.forward = host_ids_.op_of(ops.fw_parent[host]);
}

void NodeFactFinder::fill_from_profiler(ProfilerOpIndex profiler, NodeFacts& facts) const {
  const ProfilerOps& ops = trace_.device.ops;
  facts.rf_id = ops.rf_id[profiler];
  facts.seq_id = ops.seq_id[profiler];
  facts.scope = ops.kind[profiler] == ProfilerOpKind::kAnnotation ? kUserScope : kFunctionScope;
  facts.fw_tid = ops.fwd_thread[profiler];
  facts.inputs = {ops.concrete_inputs[profiler], ops.input_dims[profiler],
                  ops.input_type[profiler]};
}

NodeFacts NodeFactFinder::of_op(LinkedOpIndex op) const {
  NodeFacts facts;
  const HostOpIndex host = trace_.ops.host[op];
  const ProfilerOpIndex profiler = trace_.ops.profiler[op];
  if (host) {
    fill_from_host(host, facts);
  } else if (profiler) {
    fill_from_profiler(profiler, facts);
  }
  facts.tid = tid_of(trace_.ops.lane[op]);
  if (!trace_.ops.lane[op] && host)
    facts.tid = static_cast<std::int64_t>(trace_.host.ops.tid[host]);
  return facts;
}

NodeFacts NodeFactFinder::of_node(std::uint32_t node) const {
  const NodeKind kind = graph_.kind[node];
  if (kind == NodeKind::kOp) return of_op(graph_.op(node));
  const GraphLane& lane = graph_.lanes[graph_.lane[node]];
  NodeFacts facts;
  if (kind == NodeKind::kDeviceRow) {
    const DeviceRowIndex row = graph_.device_row(node);
    if (trace_.rows.parent[row]) facts = of_op(trace_.rows.parent[row]);
    if (trace_.rows.launch_lane[row]) facts.tid = tid_of(trace_.rows.launch_lane[row]);
  }
  if (!lane.is_device) facts.tid = lane.tid;
  return facts;
}

std::int64_t correlation_of(const LinkedTrace& trace, const BuiltGraph& graph, std::uint32_t node) {
  const auto recorded = [&](std::int64_t key) { return trace.device.recorded_correlation(key); };
  if (graph.kind[node] == NodeKind::kCall)
    return recorded(trace.device.calls.correlation[graph.call(node)]);
  if (graph.kind[node] == NodeKind::kDeviceRow)
    return recorded(trace.device.rows.correlation[graph.device_row(node)]);
  return -1;
}

}  // namespace nadi
