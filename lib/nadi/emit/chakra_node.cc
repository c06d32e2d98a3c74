#include "nadi/emit/chakra_node.h"

#include <algorithm>

#include "et_def.pb.h"
#include "nadi/base/sort_unique.h"
#include "nadi/base/utf8.h"
#include "nadi/chakra/edge_evidence.h"
#include "nadi/chakra/whole_micros.h"
#include "nadi/chakra/wire_writer.h"

namespace nadi {

NodeEncoder::NodeEncoder(const LinkedTrace& trace, const BuiltGraph& graph,
                         const NodeFactFinder& facts, const std::vector<std::uint16_t>& remainders)
    : trace_(trace),
      graph_(graph),
      facts_(facts),
      remainders_(remainders),
      delay_name_(graph.strings.find("delay")),
      reprs_(trace.strings) {}

void NodeEncoder::append(std::uint32_t node, std::string& out, Diagnostics& diagnostics) {
  body_.clear();
  append_fields(node, diagnostics);
  append_framed(body_, out);
}

void NodeEncoder::append_fields(std::uint32_t node, Diagnostics& diagnostics) {
  const NodeFacts facts = facts_.of_node(node);
  const NodeType type = graph_.type[node];
  const Ns start_ns = graph_.start_ns[node], duration_ns = graph_.duration_ns[node];
  append_number(number(ChakraField::kId), node_id(node), body_);
  append_text(number(ChakraField::kName), graph_.name_of(node), body_);
  append_number(number(ChakraField::kType), static_cast<std::uint64_t>(type), body_);
  append_dependencies(node);
  append_number(number(ChakraField::kStartTimeMicros),
                start_ns > 0 ? static_cast<std::uint64_t>(start_ns / 1000) : 0, body_);
  append_number(number(ChakraField::kDurationMicros),
                WholeMicros(remainders_[node]).take(std::max<Ns>(duration_ns, 0)), body_);
  append_io(number(ChakraField::kInputs), facts.inputs, diagnostics);
  append_io(number(ChakraField::kOutputs), facts.outputs, diagnostics);
  append_common_attributes(node, facts);
  append_attribute(WireNumber::kStartNs, start_ns, body_);
  append_attribute(WireNumber::kDurationNs, duration_ns, body_);
  append_kind_attributes(node);
  const bool is_delay = graph_.kind[node] == NodeKind::kDelay;
  if (is_delay || graph_.node_name[node] == delay_name_)  // an op may have that name, too
    append_attribute(WireNumber::kIsDelay, std::uint64_t{is_delay}, body_);
  if (graph_.step[node] >= 0)
    append_attribute(WireNumber::kStep, std::int64_t{graph_.step[node]}, body_);
  if (graph_.communication[node] != kNoIndex)
    append_communication(type, graph_.communications[graph_.communication[node]]);
  if (graph_.is_unrecorded_communication(node))
    append_attribute(WireNumber::kCommUnrecorded, std::uint64_t{1}, body_);
  if (is_memory_access(type))
    append_attribute(WireNumber::kTensorSize,
                     static_cast<std::uint64_t>(trace_.device.rows.bytes[graph_.device_row(node)]),
                     body_);
  if (!evidence_text_.empty()) append_attribute("edge_evidence", evidence_text_, body_);
}

void NodeEncoder::append_dependencies(std::uint32_t node) {
  data_deps_.clear();
  ctrl_deps_.clear();
  evidence_text_.clear();
  const Sources sources = graph_.dependencies(node);
  for (auto source = sources.begin(); source != sources.end(); ++source) {
    std::vector<std::uint64_t>& deps = source.edge().is_control ? ctrl_deps_ : data_deps_;
    // Of several edges between two nodes the first counts: certain reasons come before guesses.
    if (!deps.empty() && deps.back() == node_id(*source)) continue;
    deps.push_back(node_id(*source));
    if (!source.edge().is_control) tell_evidence(*source, node, source.edge());
  }
  append_packed(number(ChakraField::kCtrlDeps), ctrl_deps_, body_);
  append_packed(number(ChakraField::kDataDeps), data_deps_, body_);
}

void NodeEncoder::tell_evidence(std::uint32_t from, std::uint32_t to, const Edge& edge) {
  if (is_guess(edge.inferred) || edge.evidence != evidence_of_ends(graph_, from, to))
    append_edge_evidence(node_id(from), edge, evidence_text_);
}

void NodeEncoder::append_io(unsigned field, const IoText& io, Diagnostics& diagnostics) {
  io_.clear();
  append_text(number(IoField::kValues), reprs_.repr(io.values, false, diagnostics), io_);
  append_text(number(IoField::kShapes), reprs_.repr(io.shapes, true, diagnostics), io_);
  append_text(number(IoField::kTypes), reprs_.repr(io.types, true, diagnostics), io_);
  append_text(field, io_, body_);
}

void NodeEncoder::append_common_attributes(std::uint32_t node, const NodeFacts& facts) {
  append_attribute(WireNumber::kRfId, facts.rf_id, body_);
  append_attribute(WireNumber::kFwParent, facts.fw_parent, body_);
  append_attribute(WireNumber::kSeqId, facts.seq_id, body_);
  append_attribute(WireNumber::kScope, facts.scope, body_);
  append_attribute(WireNumber::kTid, facts.tid, body_);
  append_attribute(WireNumber::kFwTid, facts.fw_tid, body_);
  append_attribute("op_schema", checked_text(facts.op_schema), body_);
  append_lane_attributes(node);
}

// Simulators want no communication node to be a host op, wherever it ran.
void NodeEncoder::append_lane_attributes(std::uint32_t node) {
  const GraphLane& lane = graph_.lanes[graph_.lane[node]];
  const bool is_cpu_op = !lane.is_device && graph_.communication[node] == kNoIndex;
  append_attribute(WireNumber::kIsCpuOp, std::uint64_t{is_cpu_op}, body_);
  if (!lane.is_device) return;
  append_attribute(WireNumber::kStream, lane.stream, body_);
  append_attribute(WireNumber::kDevice, lane.device, body_);
}

void NodeEncoder::append_kind_attributes(std::uint32_t node) {
  switch (graph_.kind[node]) {
    case NodeKind::kOp: {
      const LinkedOpIndex op = graph_.op(node);
      append_attribute(WireNumber::kInclusiveNs, trace_.ops.duration_ns[op], body_);
      append_attribute(WireNumber::kExclusiveNs, graph_.exclusive_ns[op], body_);
      if (!trace_.ops.profiler[op]) append_attribute(WireNumber::kUntimed, std::uint64_t{1}, body_);
      break;
    }
    case NodeKind::kPart:
      append_attribute(WireNumber::kPartOf, node_id(graph_.op_node[graph_.op(node)]), body_);
      break;
    case NodeKind::kCall:
    case NodeKind::kDeviceRow:
      append_attribute(WireNumber::kCorrelation, correlation_of(trace_, graph_, node), body_);
      break;
    case NodeKind::kDelay:
    case NodeKind::kHostOther:
      break;
  }
}

void NodeEncoder::append_communication(NodeType type, const GraphCommunication& communication) {
  using enum WireNumber;
  const auto append_known = [&](WireNumber name, std::int64_t value) {
    if (value != GraphCommunication::kUnknown) append_attribute(name, value, body_);
  };
  if (type == NodeType::kCollective) {
    append_attribute(kCommType, static_cast<std::uint64_t>(communication.type), body_);
  } else {
    append_known(kCommSrc, communication.src);
    append_known(kCommDst, communication.dst);
    append_known(kCommTag, communication.tag);
  }
  append_attribute(kCommSize, communication.bytes, body_);
  if (communication.group != StringId::kEmpty)
    append_attribute("pg_name", graph_.strings[communication.group], body_);
  if (communication.dtype != StringId::kEmpty)
    append_attribute("comm_dtype", graph_.strings[communication.dtype], body_);
  if (communication.seq >= 0) append_attribute(kCommSeq, communication.seq, body_);
}

std::string_view NodeEncoder::checked_text(StringId text) {
  return as_utf8(trace_.strings[text], repaired_);
}

}  // namespace nadi
