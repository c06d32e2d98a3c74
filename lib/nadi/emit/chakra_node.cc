#include "nadi/emit/chakra_node.h"

#include <algorithm>

#include "et_def.pb.h"
#include "nadi/base/sort_unique.h"
#include "nadi/base/utf8.h"
#include "nadi/chakra/edge_evidence.h"
#include "nadi/chakra/whole_micros.h"
#include "nadi/chakra/wire_writer.h"
#include "nadi/emit/python_repr.h"

namespace nadi {
namespace {

constexpr std::size_t kCacheSlots = 1 << 12;
constexpr std::size_t kMaxCached = 512;  // bytes of one text
constexpr std::string_view kDelayName = "delay";

unsigned node_type(const Communication* communication, MemoryAccess access) {
  if (access == MemoryAccess::kLoad) return ChakraProtoMsg::MEM_LOAD_NODE;
  if (access == MemoryAccess::kStore) return ChakraProtoMsg::MEM_STORE_NODE;
  if (communication == nullptr) return ChakraProtoMsg::COMP_NODE;
  if (communication->kind == CommKind::kSend) return ChakraProtoMsg::COMM_SEND_NODE;
  if (communication->kind == CommKind::kRecv) return ChakraProtoMsg::COMM_RECV_NODE;
  return ChakraProtoMsg::COMM_COLL_NODE;
}

// -1 is unknown; what int32_val cannot hold comes from a broken trace.
bool is_known(std::int64_t rank_or_tag) { return rank_or_tag >= 0 && rank_or_tag <= 0x7fffffff; }

}  // namespace

const Communication* communication_of(const Graph& graph, const Node& node) {
  if (!node.communication) return nullptr;
  const Communication& communication = graph.communications[node.communication];
  return communication.kind == CommKind::kNone ? nullptr : &communication;
}

ReprCache::ReprCache(const StringTable& strings) : strings_(strings), slots_(kCacheSlots) {}

std::string_view ReprCache::repr(StringId json, bool repeats, Diagnostics& diagnostics) {
  if (json == StringId::kEmpty) return "[]";
  if (!repeats || strings_[json].size() > kMaxCached) {
    convert(json, once_, diagnostics);
    return once_;
  }
  Slot& slot = slots_[static_cast<std::uint32_t>(json) % kCacheSlots];
  if (slot.json != json) {
    convert(json, slot.repr, diagnostics);
    slot.json = json;
  }
  return slot.repr;
}

void ReprCache::convert(StringId json, std::string& out, Diagnostics& diagnostics) const {
  out.clear();
  if (append_python_repr(strings_[json], out)) return;
  out = repair_utf8(strings_[json]);
  diagnostics.report("io-text-not-json", std::string_view(out).substr(0, 80));
}

NodeEncoder::NodeEncoder(const LinkedTrace& trace, const Graph& graph, const NodeFactFinder& facts,
                         const std::vector<std::uint16_t>& remainders)
    : trace_(trace), graph_(graph), facts_(facts), remainders_(remainders), reprs_(trace.strings) {}

void NodeEncoder::append(std::uint32_t vertex, std::string& out, Diagnostics& diagnostics) {
  body_.clear();
  append_fields(vertex, graph_.structure[vertex], diagnostics);
  append_varint(body_.size(), out);
  out += body_;
}

void NodeEncoder::append_fields(std::uint32_t vertex, const Node& node, Diagnostics& diagnostics) {
  const NodeFacts facts = facts_.of_node(node);
  const Ns start_ns = node.start_ns - graph_.origin_ns;
  append_number(number(ChakraField::kId), node_id(vertex), body_);
  // No trace names a delay, so the graph's string table need not hold this word.
  const bool is_delay = node.kind == NodeKind::kDelay;
  const std::string_view name = is_delay ? kDelayName : checked_text(node.name);
  const bool may_look_like_delay = name == kDelayName;  // an op may have that name, too
  append_text(number(ChakraField::kName), name, body_);
  const MemoryAccess access = memory_access(node);
  append_number(number(ChakraField::kType), node_type(communication_of(graph_, node), access),
                body_);
  append_dependencies(vertex);
  append_number(number(ChakraField::kStartTimeMicros),
                start_ns > 0 ? static_cast<std::uint64_t>(start_ns / 1000) : 0, body_);
  append_number(number(ChakraField::kDurationMicros),
                WholeMicros(remainders_[vertex]).take(std::max<Ns>(node.duration_ns, 0)), body_);
  append_io(number(ChakraField::kInputs), facts.inputs, diagnostics);
  append_io(number(ChakraField::kOutputs), facts.outputs, diagnostics);
  append_common_attributes(node, facts);
  append_attribute(WireNumber::kStartNs, start_ns, body_);
  append_attribute(WireNumber::kDurationNs, node.duration_ns, body_);
  append_kind_attributes(node);
  if (may_look_like_delay) append_attribute(WireNumber::kIsDelay, std::uint64_t{is_delay}, body_);
  if (node.step >= 0) append_attribute(WireNumber::kStep, std::int64_t{node.step}, body_);
  if (const Communication* communication = communication_of(graph_, node))
    append_communication(*communication);
  if (node.is_unrecorded_communication)
    append_attribute(WireNumber::kCommUnrecorded, std::uint64_t{1}, body_);
  if (access != MemoryAccess::kNone)
    append_attribute(WireNumber::kTensorSize,
                     static_cast<std::uint64_t>(trace_.device.rows.bytes[node.device_row()]),
                     body_);
  if (!evidence_text_.empty()) append_attribute("edge_evidence", evidence_text_, body_);
}

void NodeEncoder::append_dependencies(std::uint32_t vertex) {
  data_deps_.clear();
  ctrl_deps_.clear();
  evidence_text_.clear();
  std::uint32_t record_of = kNoIndex;
  const auto [first, last] = in_edges(vertex, graph_.structure);
  for (auto edge = first; edge != last; ++edge) {
    const std::uint32_t from = source(*edge, graph_.structure);
    if (graph_.structure[*edge].evidence == Evidence::kNesting) {
      ctrl_deps_.push_back(node_id(from));
      continue;
    }
    data_deps_.push_back(node_id(from));
    // Of several edges between two nodes the first counts: certain reasons come before guesses.
    if (from != record_of) tell_evidence(from, vertex, graph_.structure[*edge]);
    record_of = from;
  }
  sort_unique(ctrl_deps_);
  sort_unique(data_deps_);
  append_packed(number(ChakraField::kCtrlDeps), ctrl_deps_, body_);
  append_packed(number(ChakraField::kDataDeps), data_deps_, body_);
}

void NodeEncoder::tell_evidence(std::uint32_t from, std::uint32_t to, const Edge& edge) {
  const Node &source = graph_.structure[from], &target = graph_.structure[to];
  const bool has_delay = source.kind == NodeKind::kDelay || target.kind == NodeKind::kDelay;
  const EdgeEnds ends{is_on_device(source), is_on_device(target), has_delay,
                      source.lane.value == target.lane.value};
  if (is_guess(edge.inferred) || edge.evidence != evidence_of_ends(ends))
    append_edge_evidence(node_id(from), edge, evidence_text_);
}

void NodeEncoder::append_io(unsigned field, const IoText& io, Diagnostics& diagnostics) {
  io_.clear();
  append_text(number(IoField::kValues), reprs_.repr(io.values, false, diagnostics), io_);
  append_text(number(IoField::kShapes), reprs_.repr(io.shapes, true, diagnostics), io_);
  append_text(number(IoField::kTypes), reprs_.repr(io.types, true, diagnostics), io_);
  append_text(field, io_, body_);
}

void NodeEncoder::append_common_attributes(const Node& node, const NodeFacts& facts) {
  append_attribute(WireNumber::kRfId, facts.rf_id, body_);
  append_attribute(WireNumber::kFwParent, facts.fw_parent, body_);
  append_attribute(WireNumber::kSeqId, facts.seq_id, body_);
  append_attribute(WireNumber::kScope, facts.scope, body_);
  append_attribute(WireNumber::kTid, facts.tid, body_);
  append_attribute(WireNumber::kFwTid, facts.fw_tid, body_);
  append_attribute("op_schema", checked_text(facts.op_schema), body_);
  append_lane_attributes(node);
}

bool NodeEncoder::is_on_device(const Node& node) const {
  if (node.kind == NodeKind::kDeviceRow && trace_.host_node_lanes.empty()) return true;
  return node.lane && trace_.lanes[node.lane].is_device;
}

MemoryAccess NodeEncoder::memory_access(const Node& node) const {
  const bool may_access = node.kind == NodeKind::kDeviceRow && !graph_.memory_access.empty();
  return may_access ? graph_.memory_access[node.device_row()] : MemoryAccess::kNone;
}

// Simulators want no communication node to be a host op, wherever it ran.
void NodeEncoder::append_lane_attributes(const Node& node) {
  const bool on_device = is_on_device(node);
  const bool is_cpu_op = !on_device && communication_of(graph_, node) == nullptr;
  append_attribute(WireNumber::kIsCpuOp, std::uint64_t{is_cpu_op}, body_);
  if (!on_device) return;
  std::int64_t device = -1, stream = -1;
  if (node.lane) {
    device = trace_.lanes[node.lane].device;
    stream = trace_.lanes[node.lane].stream;
  } else {
    device = trace_.device.rows.device[node.device_row()];
    stream = trace_.device.rows.stream[node.device_row()];
  }
  append_attribute(WireNumber::kStream, stream, body_);
  append_attribute(WireNumber::kDevice, device, body_);
}

void NodeEncoder::append_kind_attributes(const Node& node) {
  switch (node.kind) {
    case NodeKind::kOp:
      append_attribute(WireNumber::kInclusiveNs, trace_.ops.duration_ns[node.op()], body_);
      append_attribute(WireNumber::kExclusiveNs, graph_.exclusive_ns[node.op()], body_);
      if (node.is_untimed) append_attribute(WireNumber::kUntimed, std::uint64_t{1}, body_);
      break;
    case NodeKind::kPart:
      append_attribute(WireNumber::kPartOf, node_id(graph_.op_node[node.op()]), body_);
      break;
    case NodeKind::kCall:
      append_correlation(trace_.device.calls.correlation[node.call()]);
      break;
    case NodeKind::kDeviceRow:
      append_correlation(trace_.device.rows.correlation[node.device_row()]);
      break;
    case NodeKind::kDelay:
      break;
  }
}

void NodeEncoder::append_correlation(std::int64_t correlation) {
  append_attribute(WireNumber::kCorrelation, trace_.device.recorded_correlation(correlation),
                   body_);
}

void NodeEncoder::append_communication(const Communication& communication) {
  const bool is_send = communication.kind == CommKind::kSend;
  if (is_send || communication.kind == CommKind::kRecv) {
    if (is_known(communication.src))
      append_attribute(WireNumber::kCommSrc, communication.src, body_);
    if (is_known(communication.dst))
      append_attribute(WireNumber::kCommDst, communication.dst, body_);
    if (is_known(communication.tag))
      append_attribute(WireNumber::kCommTag, communication.tag, body_);
  } else {
    append_attribute(WireNumber::kCommType, static_cast<std::uint64_t>(communication.kind), body_);
  }
  append_attribute(WireNumber::kCommSize, communication.bytes, body_);
  if (communication.group != StringId::kEmpty)
    append_attribute("pg_name", checked_text(communication.group), body_);
  if (communication.dtype != StringId::kEmpty)
    append_attribute("comm_dtype", checked_text(communication.dtype), body_);
  if (communication.seq >= 0) append_attribute(WireNumber::kCommSeq, communication.seq, body_);
}

std::string_view NodeEncoder::checked_text(StringId text) {
  const std::string_view raw = trace_.strings[text];
  if (is_utf8(raw)) return raw;
  repaired_ = repair_utf8(raw);
  return repaired_;
}

}  // namespace nadi
