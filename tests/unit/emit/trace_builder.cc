#include "trace_builder.h"

#include "nadi/graph/fill_columns.h"

namespace nadi {
namespace {

std::uint32_t last_row(std::size_t size) { return static_cast<std::uint32_t>(size - 1); }

}  // namespace

TraceBuilder::TraceBuilder() {
  add_host_lane(1);
  add_device_lane(0, 7);
  trace.first_carried.push_back(CarriedIndex(0));
  trace.has_host = true;
  trace.host.schema = text("1.0.3-chakra.0.0.4");
  trace.host.time = text("2024-04-17 16:29:57");
  trace.host.pid = 4711;
  trace.host.start_ts = 1000;
  trace.host.finish_ts = 2000;
}

LaneIndex TraceBuilder::add_host_lane(std::int64_t tid) {
  Lane lane;
  lane.tid = tid;
  trace.lanes.push_back(lane);
  return LaneIndex{trace.lanes.size() - 1};
}

LaneIndex TraceBuilder::add_device_lane(std::int64_t device, std::int64_t stream) {
  Lane lane;
  lane.is_device = true;
  lane.device = device;
  lane.stream = stream;
  trace.lanes.push_back(lane);
  return LaneIndex{trace.lanes.size() - 1};
}

std::uint32_t TraceBuilder::add_host_row(std::string_view name, std::uint64_t id,
                                         std::uint64_t parent, std::uint64_t rf_id,
                                         std::uint64_t tid) {
  HostOps& ops = trace.host.ops;
  append_row(ops);
  ops.name.back() = text(name);
  ops.id.back() = id;
  ops.parent.back() = parent;
  ops.rf_id.back() = rf_id;
  ops.tid.back() = tid;
  for (auto* column :
       {&ops.input_values, &ops.input_shapes, &ops.input_types, &ops.input_strides,
        &ops.output_values, &ops.output_shapes, &ops.output_types, &ops.output_strides})
    column->back() = text("[]");
  return last_row(ops.size());
}

void TraceBuilder::add_root(std::string_view name, std::uint64_t host_id, std::uint64_t parent,
                            std::uint64_t tid) {
  add_host_row(name, host_id, parent, 0, tid);
}

std::uint32_t TraceBuilder::add_linked_op(std::string_view name, HostOpIndex host,
                                          ProfilerOpIndex profiler, Ns start, Ns duration,
                                          std::uint32_t parent, LaneIndex lane) {
  LinkedOps& ops = trace.ops;
  append_row(ops);
  ops.name.back() = text(name);
  ops.host.back() = host;
  ops.profiler.back() = profiler;
  ops.start_ns.back() = start;
  ops.duration_ns.back() = duration;
  ops.lane.back() = lane;
  ops.parent.back() = LinkedOpIndex(parent);
  op_node_.push_back(kNoIndex);
  return last_row(ops.size());
}

std::uint32_t TraceBuilder::add_op(std::string_view name, std::uint64_t host_id,
                                   std::uint64_t rf_id, Ns start, Ns duration, std::uint32_t parent,
                                   LaneIndex lane) {
  const std::uint64_t host_parent =
      parent == kNoIndex ? 1 : trace.host.ops.id[trace.ops.host[parent]];
  const auto tid = static_cast<std::uint64_t>(trace.lanes[lane].tid);
  const std::uint32_t host = add_host_row(name, host_id, host_parent, rf_id, tid);
  append_row(trace.device.ops);
  return add_linked_op(name, HostOpIndex(host), ProfilerOpIndex(last_row(trace.device.ops.size())),
                       start, duration, parent, lane);
}

std::uint32_t TraceBuilder::add_profiler_op(std::string_view name, std::uint64_t rf_id, Ns start,
                                            Ns duration, std::string_view input_dims,
                                            std::string_view input_type) {
  ProfilerOps& ops = trace.device.ops;
  append_row(ops);
  ops.name.back() = text(name);
  ops.start_ns.back() = start;
  ops.duration_ns.back() = duration;
  ops.rf_id.back() = rf_id;
  ops.input_dims.back() = text(input_dims);
  ops.input_type.back() = text(input_type);
  return add_linked_op(name, {}, ProfilerOpIndex(last_row(ops.size())), start, duration, kNoIndex,
                       LaneIndex{0});
}

void TraceBuilder::set_inputs(std::uint32_t op, std::string_view values, std::string_view shapes,
                              std::string_view types) {
  const HostOpIndex host = trace.ops.host[op];
  trace.host.ops.input_values[host] = text(values);
  trace.host.ops.input_shapes[host] = text(shapes);
  trace.host.ops.input_types[host] = text(types);
}

std::uint32_t TraceBuilder::add_call(std::string_view name, Ns start, Ns duration,
                                     std::int64_t correlation) {
  RuntimeCalls& calls = trace.device.calls;
  append_row(calls);
  append_row(trace.calls);
  calls.name.back() = text(name);
  calls.start_ns.back() = start;
  calls.duration_ns.back() = duration;
  calls.correlation.back() = correlation;
  trace.calls.role.back() = CallRole::kBlocks;
  trace.calls.lane.back() = LaneIndex{0};
  return last_row(calls.size());
}

std::uint32_t TraceBuilder::add_row(std::string_view name, Ns start, Ns duration,
                                    std::int64_t correlation, std::uint32_t parent, Ns launch_ns,
                                    LaneIndex lane) {
  DeviceRows& rows = trace.device.rows;
  append_row(rows);
  rows.name.back() = text(name);
  rows.start_ns.back() = start;
  rows.duration_ns.back() = duration;
  rows.device.back() = trace.lanes[lane].device;
  rows.stream.back() = trace.lanes[lane].stream;
  rows.correlation.back() = correlation;
  LinkedRows& linked = trace.rows;
  append_row(linked);
  linked.evidence.back() =
      parent == kNoIndex ? LinkEvidence::kUnlaunched : LinkEvidence::kCorrelation;
  linked.launch_ns.back() = launch_ns;
  linked.launch_lane.back() = parent == kNoIndex ? LaneIndex{} : trace.ops.lane[parent];
  linked.parent.back() = LinkedOpIndex(parent);
  linked.lane.back() = lane;
  trace.first_carried.push_back(CarriedIndex(0));
  return last_row(rows.size());
}

std::uint32_t TraceBuilder::add_node(Node node) {
  nodes.push_back(node);
  return last_row(nodes.size());
}

std::uint32_t TraceBuilder::add_op_node(std::uint32_t op, Ns duration) {
  op_node_[op] = static_cast<std::uint32_t>(nodes.size());
  Node node;
  node.start_ns = trace.ops.start_ns[op];
  node.duration_ns = duration;
  node.name = trace.ops.name[op];
  node.lane = trace.ops.lane[op];
  node.set_op(NodeKind::kOp, LinkedOpIndex(op));
  return add_node(node);
}

std::uint32_t TraceBuilder::add_part(std::uint32_t op, Ns start, Ns duration) {
  Node node = nodes[op_node_[op]];
  node.kind = NodeKind::kPart;
  node.start_ns = start;
  node.duration_ns = duration;
  return add_node(node);
}

std::uint32_t TraceBuilder::add_call_node(std::uint32_t call) {
  Node node;
  node.start_ns = trace.device.calls.start_ns[call];
  node.duration_ns = trace.device.calls.duration_ns[call];
  node.name = trace.device.calls.name[call];
  node.lane = trace.calls.lane[call];
  node.set_call(CallIndex(call));
  return add_node(node);
}

std::uint32_t TraceBuilder::add_row_node(std::uint32_t row) {
  Node node;
  node.start_ns = trace.device.rows.start_ns[row];
  node.duration_ns = trace.device.rows.duration_ns[row];
  node.name = trace.device.rows.name[row];
  node.lane = trace.rows.lane[row];
  node.set_device_row(DeviceRowIndex(row));
  return add_node(node);
}

std::uint32_t TraceBuilder::add_delay(LaneIndex lane, Ns start, Ns duration, std::uint32_t before) {
  Node node;
  node.start_ns = start;
  node.duration_ns = duration;
  node.name = text("delay");
  node.lane = lane;
  node.set_delayed_node(NodeIndex(before));
  return add_node(node);
}

void TraceBuilder::add_edge(std::uint32_t from, std::uint32_t to, Evidence evidence,
                            Inference inferred) {
  ends_.emplace_back(from, to);
  edges_.push_back({evidence, inferred, evidence == Evidence::kNesting});
}

void TraceBuilder::set_communication(std::uint32_t vertex, CommKind kind,
                                     const GraphCommunication& communication) {
  nodes[vertex].communication = CommunicationIndex{communications_.size()};
  communications_.push_back({communication, kind});
}

BuiltGraph TraceBuilder::graph() const {
  BuiltGraph graph;
  graph.origin_ns = origin_ns;
  GraphDraft draft(trace);
  draft.nodes = nodes;
  draft.communications = communications_;
  std::vector<NodeIndex> order;
  for (std::size_t node = 0; node < nodes.size(); ++node) order.emplace_back(node);
  fill_columns(draft, order, {}, graph);
  graph.structure = GraphStructure(boost::edges_are_unsorted_multi_pass, ends_.begin(), ends_.end(),
                                   edges_.begin(), static_cast<std::uint32_t>(nodes.size()));
  graph.op_node = op_node_;
  graph.exclusive_ns.assign(op_node_.size(), 0);
  for (const Node& node : nodes)
    if (node.kind == NodeKind::kOp || node.kind == NodeKind::kPart)
      graph.exclusive_ns[node.op()] += node.duration_ns;
  return graph;
}

}  // namespace nadi
