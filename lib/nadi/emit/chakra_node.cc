#include "nadi/emit/chakra_node.h"

#include <algorithm>

#include "nadi/base/utf8.h"
#include "nadi/chakra/edge_evidence.h"
#include "nadi/chakra/whole_micros.h"

namespace nadi {

NodeEncoder::NodeEncoder(const LinkedTrace& trace, const BuiltGraph& graph,
                         const NodeFactFinder& facts, const std::vector<std::uint16_t>& remainders)
    : trace_(trace), graph_(graph), facts_(facts), remainders_(remainders), reprs_(trace.strings) {}

void NodeEncoder::append(std::uint32_t node, std::string& out, Diagnostics& diagnostics) {
  fill(node, diagnostics);
  writer_.append(filled_, out);
}

void NodeEncoder::fill(std::uint32_t node, Diagnostics& diagnostics) {
  const NodeFacts facts = facts_.of_node(node);
  const NodeType type = graph_.type[node];
  const Ns duration_ns = graph_.duration_ns[node];
  filled_.clear();
  filled_.id = node_id(node);
  filled_.name = graph_.name_of(node);
  filled_.type = static_cast<std::uint64_t>(type);
  fill_dependencies(node);
  fill_io(facts, diagnostics);
  fill_common_attributes(node, facts);
  set_start(graph_.start_ns[node], filled_);
  set_duration(duration_ns, WholeMicros(remainders_[node]).take(std::max<Ns>(duration_ns, 0)),
               filled_);
  fill_kind_attributes(node);
  set_delay(graph_.kind[node] == NodeKind::kDelay, filled_);
  if (graph_.step[node] >= 0) filled_.set(WireNumber::kStep, graph_.step[node]);
  if (graph_.communication[node] != kNoIndex) fill_communication(node);
  if (graph_.is_unrecorded_communication(node)) filled_.set(WireNumber::kCommUnrecorded, 1);
  if (is_memory_access(type))
    filled_.set(WireNumber::kTensorSize, trace_.device.rows.bytes[graph_.device_row(node)]);
}

void NodeEncoder::fill_dependencies(std::uint32_t node) {
  evidence_.clear();
  const Sources sources = graph_.dependencies(node);
  for (auto source = sources.begin(); source != sources.end(); ++source) {
    auto& deps = source.edge().is_control ? filled_.ctrl_deps : filled_.data_deps;
    // Of several edges between two nodes the first counts: certain reasons come before guesses.
    if (!deps.empty() && deps.back() == node_id(*source)) continue;
    deps.push_back(node_id(*source));
    if (!source.edge().is_control) set_evidence(*source, node, source.edge());
  }
  filled_.edge_evidence = evidence_;
}

void NodeEncoder::set_evidence(std::uint32_t from, std::uint32_t to, const Edge& edge) {
  if (is_guess(edge.inferred) || edge.evidence != evidence_of_ends(graph_, from, to))
    append_edge_evidence(node_id(from), edge, evidence_);
}

void NodeEncoder::fill_io(const NodeFacts& facts, Diagnostics& diagnostics) {
  std::size_t next = 0;
  const auto text = [&](StringId json, bool repeats) -> std::string_view {
    reprs_.print(json, repeats, io_[next], diagnostics);
    return io_[next++];
  };
  filled_.input_values = text(facts.inputs.values, false);
  filled_.input_shapes = text(facts.inputs.shapes, true);
  filled_.input_types = text(facts.inputs.types, true);
  filled_.output_values = text(facts.outputs.values, false);
  filled_.output_shapes = text(facts.outputs.shapes, true);
  filled_.output_types = text(facts.outputs.types, true);
}

void NodeEncoder::fill_common_attributes(std::uint32_t node, const NodeFacts& facts) {
  filled_.set(WireNumber::kRfId, static_cast<std::int64_t>(facts.rf_id));
  const std::uint32_t forward = facts.forward ? graph_.op_node[facts.forward] : kNoIndex;
  filled_.set(WireNumber::kFwParent,
              forward == kNoIndex ? 0 : static_cast<std::int64_t>(node_id(forward)));
  filled_.set(WireNumber::kSeqId, facts.seq_id);
  filled_.set(WireNumber::kScope, facts.scope);
  filled_.set(WireNumber::kFwTid, static_cast<std::int64_t>(facts.fw_tid));
  filled_.op_schema = as_utf8(trace_.strings[facts.op_schema], schema_);
  fill_lane(node);
  filled_.set(WireNumber::kTid, facts.tid);
}

// Simulators want no communication node to be a host op, wherever it ran.
void NodeEncoder::fill_lane(std::uint32_t node) {
  const GraphLane& lane = graph_.lanes[graph_.lane[node]];
  const bool is_cpu_op = !lane.is_device && graph_.communication[node] == kNoIndex;
  filled_.set(WireNumber::kIsCpuOp, is_cpu_op ? 1 : 0);
  set_lane(lane, filled_);
}

void NodeEncoder::fill_kind_attributes(std::uint32_t node) {
  switch (graph_.kind[node]) {
    case NodeKind::kOp: {
      const LinkedOpIndex op = graph_.op(node);
      filled_.set(WireNumber::kInclusiveNs, trace_.ops.duration_ns[op]);
      filled_.set(WireNumber::kExclusiveNs, graph_.exclusive_ns[op]);
      if (!trace_.ops.profiler[op]) filled_.set(WireNumber::kUntimed, 1);
      break;
    }
    case NodeKind::kPart:
      filled_.set(WireNumber::kPartOf,
                  static_cast<std::int64_t>(node_id(graph_.op_node[graph_.op(node)])));
      break;
    case NodeKind::kCall:
    case NodeKind::kDeviceRow:
      filled_.set(WireNumber::kCorrelation, correlation_of(trace_, graph_, node));
      break;
    case NodeKind::kDelay:
    case NodeKind::kHostOther:
      break;
  }
}

void NodeEncoder::fill_communication(std::uint32_t node) {
  const GraphCommunication& communication = graph_.communications[graph_.communication[node]];
  set_communication(communication, filled_);
  filled_.pg_name = graph_.strings[communication.group];
  filled_.comm_dtype = graph_.strings[communication.dtype];
}

}  // namespace nadi
