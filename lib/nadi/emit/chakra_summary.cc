#include "nadi/emit/chakra_summary.h"

#include <algorithm>
#include <limits>

#include "nadi/emit/chakra_attributes.h"

namespace nadi {
namespace {

using ChakraNode = ChakraProtoMsg::Node;

// Sums of what strangers wrote may wrap, but not overflow.
std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::string type_name(const ChakraNode& node) {
  const std::string& name = ChakraProtoMsg::NodeType_Name(node.type());
  return name.empty() ? "type " + std::to_string(node.type()) : name;
}

bool is_device(const ChakraNode& node) {
  if (find_attribute(node, "stream") != nullptr) return true;
  return find_attribute(node, "is_cpu_op") != nullptr && number_of(node, "is_cpu_op", 1) == 0 &&
         find_attribute(node, "exclusive_ns") == nullptr;
}

std::string kind_of(const ChakraNode& node) {
  if (is_delay(node)) return "delay";
  if (is_device(node)) return "device row";
  if (find_attribute(node, "part_of") != nullptr) return "part";
  if (find_attribute(node, "exclusive_ns") != nullptr) return "op";
  return find_attribute(node, "correlation") != nullptr ? "call" : "host node";
}

void count_communication(const ChakraNode& node, ChakraSummary& summary) {
  std::string kind;
  switch (node.type()) {
    case ChakraProtoMsg::COMM_SEND_NODE:
      kind = "SEND";
      break;
    case ChakraProtoMsg::COMM_RECV_NODE:
      kind = "RECV";
      break;
    case ChakraProtoMsg::COMM_COLL_NODE: {
      const std::int64_t type =
          std::clamp<std::int64_t>(number_of(node, "comm_type", -1), -1, 1000);
      kind = ChakraProtoMsg::CollectiveCommType_Name(static_cast<int>(type));
      if (kind.empty()) kind = "comm_type " + std::to_string(type);
      break;
    }
    default:
      return;
  }
  auto& row = summary.communications[{kind, std::string(text_of(node, "pg_name"))}];
  ++row.count;
  row.bytes = wrapping_sum(row.bytes, number_of(node, "comm_size", 0));
}

void count_lane(const ChakraNode& node, ChakraSummary& summary) {
  ChakraLane lane;
  lane.is_device = is_device(node);
  if (lane.is_device) {
    lane.device = number_of(node, "device", -1);
    lane.stream = number_of(node, "stream", -1);
  } else {
    lane.tid = number_of(node, "tid", -1);
  }
  LaneCount& row = summary.lanes[lane];
  if (is_delay(node)) {
    row.delay_us += node.duration_micros();
    return;
  }
  ++row.nodes;
  row.busy_us += node.duration_micros();
}

struct Span {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();

  void add_node(const ChakraNode& node) {
    const auto micros = [](std::uint64_t us) { return static_cast<std::int64_t>(us * 1000); };
    const std::int64_t start = number_of(node, "start_ns", micros(node.start_time_micros()));
    const std::int64_t duration = number_of(node, "duration_ns", micros(node.duration_micros()));
    first = std::min(first, start);
    last = std::max(last, wrapping_sum(start, duration));
  }
};

}  // namespace

ChakraSummary summarize_chakra(ChakraReader& reader) {
  ChakraSummary summary;
  Span span;
  ChakraNode node;
  while (reader.next(node)) {
    ++summary.nodes;
    summary.data_edges += static_cast<std::uint64_t>(node.data_deps_size());
    summary.ctrl_edges += static_cast<std::uint64_t>(node.ctrl_deps_size());
    ++summary.types[type_name(node)];
    ++summary.kinds[kind_of(node)];
    count_communication(node, summary);
    count_lane(node, summary);
    if (!is_delay(node)) span.add_node(node);
  }
  if (span.first <= span.last) summary.span_ns = wrapping_sum(span.last, -span.first);
  return summary;
}

}  // namespace nadi
