#include "nadi/chakra/wire_node.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "et_def.pb.h"
#include "nadi/base/utf8.h"
#include "nadi/base/wire_reader.h"
#include "nadi/chakra/attribute_value.h"

namespace nadi {

namespace {

// Writers keep one order of attributes, so the next one is looked for behind the last.
std::size_t find_number(std::string_view name, std::size_t after_last) {
  for (std::size_t i = 0; i < kWireNumberCount; ++i) {
    const std::size_t candidate = (after_last + i) % kWireNumberCount;
    if (kNumberAttributes[candidate].name == name) return candidate;
  }
  return kWireNumberCount;
}

bool read_attribute(std::string_view message, std::size_t& after_last, WireNode& node) {
  AttributeValue attribute;
  if (!read_attribute_value(message, attribute)) return false;
  if (attribute.member == ChakraProtoMsg::AttributeProto::kStringVal) {
    if (attribute.name == "pg_name") node.pg_name = attribute.bytes;
    if (attribute.name == "comm_dtype") node.comm_dtype = attribute.bytes;
    if (attribute.name == "edge_evidence") node.edge_evidence = attribute.bytes;
    if (attribute.name == "op_schema") node.op_schema = attribute.bytes;
    return true;
  }
  const std::optional<std::int64_t> value = whole_number_of(attribute);
  if (!value) return true;
  const std::size_t number = find_number(attribute.name, after_last);
  if (number == kWireNumberCount) return true;
  after_last = number + 1;
  node.numbers[number] = *value;
  node.present |= 1U << number;
  return true;
}

bool read_io(std::string_view message, std::string_view& values, std::string_view& shapes,
             std::string_view& types) {
  using ChakraProtoMsg::IOInfo;
  WireReader reader(message);
  while (reader.next()) {
    if (reader.tag() == bytes_tag(IOInfo::kValuesFieldNumber)) values = reader.bytes();
    if (reader.tag() == bytes_tag(IOInfo::kShapesFieldNumber)) shapes = reader.bytes();
    if (reader.tag() == bytes_tag(IOInfo::kTypesFieldNumber)) types = reader.bytes();
  }
  return !reader.is_broken();
}

// A time that no clock has becomes the longest time there is, which replay refuses.
Ns ns_of(std::uint64_t micros) {
  constexpr std::uint64_t kMost = std::numeric_limits<Ns>::max() / kNsPerMicro;
  return static_cast<Ns>(std::min(micros, kMost)) * kNsPerMicro;
}

constexpr std::string_view kDelayName = "delay";  // other nodes may have it, too

}  // namespace

void WireNode::clear() {
  auto data = std::move(data_deps), ctrl = std::move(ctrl_deps);
  data.clear();
  ctrl.clear();
  *this = WireNode{};
  data_deps = std::move(data);
  ctrl_deps = std::move(ctrl);
}

bool is_delay(std::string_view name, std::optional<std::int64_t> recorded, bool has_start_ns) {
  return recorded ? *recorded != 0 : name == kDelayName && has_start_ns;
}

bool parse_wire_node(std::string_view message, WireNode& node) {
  using ChakraProtoMsg::Node;
  node.clear();
  std::size_t after_last = 0;
  bool is_good = true;
  WireReader reader(message);
  while (is_good && reader.next()) {
    switch (reader.tag()) {
      case number_tag(Node::kIdFieldNumber):
        node.id = reader.number();
        break;
      case bytes_tag(Node::kNameFieldNumber):
        node.name = reader.bytes();
        break;
      case number_tag(Node::kTypeFieldNumber):
        node.type = reader.number();
        break;
      case number_tag(Node::kCtrlDepsFieldNumber):
      case bytes_tag(Node::kCtrlDepsFieldNumber):
        reader.each_number([&](std::uint64_t id) { node.ctrl_deps.push_back(id); });
        break;
      case number_tag(Node::kDataDepsFieldNumber):
      case bytes_tag(Node::kDataDepsFieldNumber):
        reader.each_number([&](std::uint64_t id) { node.data_deps.push_back(id); });
        break;
      case number_tag(Node::kStartTimeMicrosFieldNumber):
        node.start_micros = reader.number();
        break;
      case number_tag(Node::kDurationMicrosFieldNumber):
        node.duration_micros = reader.number();
        break;
      case bytes_tag(Node::kInputsFieldNumber):
        is_good = read_io(reader.bytes(), node.input_values, node.input_shapes, node.input_types);
        break;
      case bytes_tag(Node::kOutputsFieldNumber):
        is_good =
            read_io(reader.bytes(), node.output_values, node.output_shapes, node.output_types);
        break;
      case bytes_tag(Node::kAttrFieldNumber):
        is_good = read_attribute(reader.bytes(), after_last, node);
        break;
      default:
        break;
    }
  }
  return is_good && !reader.is_broken() && is_utf8(node.name) && is_utf8(node.pg_name);
}

void set_start(Ns start_ns, WireNode& node) {
  node.start_micros = static_cast<std::uint64_t>(std::max<Ns>(start_ns, 0) / kNsPerMicro);
  node.set(WireNumber::kStartNs, start_ns);
}

void set_duration(Ns duration_ns, std::uint64_t micros, WireNode& node) {
  node.duration_micros = micros;
  node.set(WireNumber::kDurationNs, duration_ns);
}

void set_lane(const GraphLane& lane, WireNode& node) {
  if (!lane.is_device) return node.set(WireNumber::kTid, lane.tid);
  node.set(WireNumber::kStream, lane.stream);
  node.set(WireNumber::kDevice, lane.device);
}

void set_delay(bool is_delay, WireNode& node) {
  if (is_delay || node.name == kDelayName) node.set(WireNumber::kIsDelay, is_delay ? 1 : 0);
}

void set_communication(const GraphCommunication& communication, WireNode& node) {
  using enum WireNumber;
  const auto set_known = [&](WireNumber number, std::int64_t value) {
    if (value != GraphCommunication::kUnknown) node.set(number, value);
  };
  if (node_type_of(node.type) == NodeType::kCollective) {
    node.set(kCommType, communication.type);
  } else {
    set_known(kCommSrc, communication.src);
    set_known(kCommDst, communication.dst);
    set_known(kCommTag, communication.tag);
  }
  node.set(kCommSize, communication.bytes);
  set_known(kCommSeq, communication.seq);
}

NodeKind kind_of(const WireNode& node) {
  std::optional<std::int64_t> recorded;
  if (node.has(WireNumber::kIsDelay)) recorded = node.get(WireNumber::kIsDelay, 0);
  if (is_delay(node.name, recorded, node.has(WireNumber::kStartNs))) return NodeKind::kDelay;
  if (node.has(WireNumber::kExclusiveNs)) return NodeKind::kOp;
  if (node.has(WireNumber::kPartOf)) return NodeKind::kPart;
  if (node.get(WireNumber::kIsCpuOp, 0) == 0) return NodeKind::kDeviceRow;
  return node.has(WireNumber::kCorrelation) ? NodeKind::kCall : NodeKind::kHostOther;
}

GraphLane lane_of(const WireNode& node) {
  GraphLane lane;
  lane.is_device = node.has(WireNumber::kStream) ||
                   (node.get(WireNumber::kIsCpuOp, 0) == 0 && !node.has(WireNumber::kExclusiveNs));
  if (lane.is_device) {
    lane.stream = node.get(WireNumber::kStream, -1);
    lane.device = node.get(WireNumber::kDevice, -1);
  } else {
    lane.tid = node.get(WireNumber::kTid, 0);
  }
  return lane;
}

Ns start_ns_of(const WireNode& node) {
  return node.get(WireNumber::kStartNs, ns_of(node.start_micros));
}

Ns duration_ns_of(const WireNode& node) {
  return std::max<Ns>(0, node.get(WireNumber::kDurationNs, ns_of(node.duration_micros)));
}

bool tells_start(const WireNode& node) {
  return node.has(WireNumber::kStartNs) || node.start_micros != 0;
}

bool is_communication(const WireNode& node) { return is_communication(node_type_of(node.type)); }

bool is_unrecorded_communication(const WireNode& node) {
  return !is_communication(node) && node.get(WireNumber::kCommUnrecorded, 0) != 0;
}

NodeType node_type_of(std::uint64_t number) {
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint8_t>::max();
  return static_cast<NodeType>(std::min(number, kNone));
}

}  // namespace nadi
