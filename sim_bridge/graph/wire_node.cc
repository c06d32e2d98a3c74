#include "nadi/sim_bridge/graph/wire_node.h"

#include "nadi/sim_bridge/graph/wire_reader.h"

namespace nadi {

namespace {

constexpr std::string_view kNumberNames[kWireNumberCount] = {
    "rf_id",     "tid",         "is_cpu_op",    "start_ns", "duration_ns", "stream",
    "device",    "correlation", "exclusive_ns", "part_of",  "is_delay",    "step",
    "comm_type", "comm_size",   "comm_src",     "comm_dst", "comm_tag",    "comm_seq"};

// The value of the member of AttributeProto's oneof that reader is at (field numbers:
// et_def.proto); false where the member holds no whole number.
bool read_whole_number(const WireReader& reader, std::int64_t& value) {
  const std::uint64_t bits = reader.number();
  switch (reader.field()) {
    case 15:  // sint32_val, sint64_val: zigzag
    case 17:
      value = static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
      return true;
    case 23:  // sfixed32_val
      value = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
      return true;
    case 7:
    case 9:
    case 11:
    case 13:
    case 19:
    case 21:
    case 25:
    case 27:
      value = static_cast<std::int64_t>(bits);
      return true;
    default:
      return false;
  }
}

// Writers keep one order of attributes, so the next one is looked for behind the last.
std::size_t find_number(std::string_view name, std::size_t after_last) {
  for (std::size_t i = 0; i < kWireNumberCount; ++i) {
    const std::size_t candidate = (after_last + i) % kWireNumberCount;
    if (kNumberNames[candidate] == name) return candidate;
  }
  return kWireNumberCount;
}

bool read_attribute(std::string_view message, std::size_t& after_last, WireNode& node) {
  WireReader reader(message);
  std::string_view name, text;
  std::int64_t value = 0;
  bool is_number = false;
  while (reader.next()) {
    if (reader.field() == 1)
      name = reader.bytes();
    else if (reader.field() == 29)
      text = reader.bytes();
    else if (read_whole_number(reader, value))
      is_number = true;
  }
  if (reader.is_broken()) return false;
  if (!is_number) {
    if (name == "pg_name") node.pg_name = text;
    if (name == "comm_dtype") node.comm_dtype = text;
    if (name == "edge_evidence") node.edge_evidence = text;
    return true;
  }
  const std::size_t number = find_number(name, after_last);
  if (number == kWireNumberCount) return true;
  after_last = number + 1;
  node.numbers[number] = value;
  node.present |= 1U << number;
  return true;
}

bool read_io(std::string_view message, std::string_view& shapes, std::string_view& types) {
  WireReader reader(message);
  while (reader.next()) {
    if (reader.field() == 2) shapes = reader.bytes();
    if (reader.field() == 3) types = reader.bytes();
  }
  return !reader.is_broken();
}

void clear(WireNode& node) {
  auto data_deps = std::move(node.data_deps), ctrl_deps = std::move(node.ctrl_deps);
  data_deps.clear();
  ctrl_deps.clear();
  node = WireNode{};
  node.data_deps = std::move(data_deps);
  node.ctrl_deps = std::move(ctrl_deps);
}

}  // namespace

bool is_delay(const WireNode& node) {
  std::optional<std::int64_t> told;
  if (node.has(WireNumber::kIsDelay)) told = node.get(WireNumber::kIsDelay, 0);
  return is_delay(node.name, told, node.has(WireNumber::kStartNs));
}

bool parse_wire_node(std::string_view message, WireNode& node) {
  clear(node);
  std::size_t after_last = 0;
  bool is_good = true;
  WireReader reader(message);
  while (is_good && reader.next()) {
    switch (reader.field()) {
      case 1:
        node.id = reader.number();
        is_good = reader.type() == WireReader::Type::kVarint;
        break;
      case 2:
        node.name = reader.bytes();
        break;
      case 3:
        node.type = reader.number();
        break;
      case 4:
        reader.each_number([&](std::uint64_t id) { node.ctrl_deps.push_back(id); });
        break;
      case 5:
        reader.each_number([&](std::uint64_t id) { node.data_deps.push_back(id); });
        break;
      case 6:
        node.start_micros = reader.number();
        break;
      case 7:
        node.duration_micros = reader.number();
        break;
      case 8:
        is_good = read_io(reader.bytes(), node.input_shapes, node.input_types);
        break;
      case 9:
        is_good = read_io(reader.bytes(), node.output_shapes, node.output_types);
        break;
      case 10:
        is_good = read_attribute(reader.bytes(), after_last, node);
        break;
      default:
        break;
    }
  }
  return is_good && !reader.is_broken();
}

}  // namespace nadi
