#include "nadi/converters/diff/chakra_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "nadi/base/error.h"
#include "nadi/converters/archive/peek_trace.h"
#include "nadi/diff/kernel_family.h"
#include "nadi/diff/row_keys.h"
#include "nadi/diff/short_name.h"
#include "nadi/emit/chakra_attributes.h"
#include "nadi/emit/chakra_reader.h"

namespace nadi {
namespace {

using ChakraProtoMsg::Node;

struct Lane {
  bool is_device = false;
  std::int64_t place = -1, device = -1;  ///< tid, or stream and device
  friend bool operator==(const Lane&, const Lane&) = default;
};

Lane lane_of(const Node& node) {
  const bool is_device = find_attribute(node, "stream") != nullptr;
  if (!is_device) return {false, number_of(node, "tid", -1), -1};
  return {true, number_of(node, "stream", -1), number_of(node, "device", -1)};
}

Ns duration_of(const Node& node) {
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<Ns>::max() / 1000);
  const auto micros = static_cast<Ns>(std::min<std::uint64_t>(node.duration_micros(), most));
  return std::max<Ns>(0, number_of(node, "duration_ns", micros * 1000));
}

bool is_delay(const Node& node) {
  return node.name() == "delay" && find_attribute(node, "start_ns") != nullptr;
}

/// "ALL_REDUCE, 4096 bytes, group 0"; empty = no communication.
std::string communication_of(const Node& node) {
  std::string kind;
  if (node.type() == ChakraProtoMsg::COMM_SEND_NODE) kind = "SEND";
  if (node.type() == ChakraProtoMsg::COMM_RECV_NODE) kind = "RECV";
  if (node.type() == ChakraProtoMsg::COMM_COLL_NODE) {
    const auto type = std::clamp<std::int64_t>(number_of(node, "comm_type", -1), -1, 1000);
    kind = ChakraProtoMsg::CollectiveCommType_Name(static_cast<int>(type));
    if (kind.empty()) kind = fmt::format("comm_type {}", type);
  }
  if (kind.empty()) return kind;
  kind += fmt::format(", {} bytes", number_of(node, "comm_size", 0));
  if (const auto group = text_of(node, "pg_name"); !group.empty())
    kind += fmt::format(", group {}", group);
  return kind;
}

std::string_view edge_kind(const Lane& from, const Lane& to) {
  if (from == to) return to.is_device ? "stream order" : "thread order";
  if (from.is_device) return to.is_device ? "event wait" : "synchronisation";
  return to.is_device ? "launch" : "thread hand-off";
}

/// The key of a node; false: it is not compared.
bool key_of(const Node& node, const Lane& lane, DiffBy by, std::string& key) {
  switch (by) {
    case DiffBy::kStream:
      key = fmt::format("stream {}", lane.place);
      return lane.is_device;
    case DiffBy::kCollective:
      key = communication_of(node);
      return !key.empty();
    case DiffBy::kKernelFamily:
      key = kernel_family_of("kernel", node.name());
      return lane.is_device;
    case DiffBy::kShortName:
      key = short_name_of(node.name());
      return true;
    default:
      key = node.name();
      return true;
  }
}

class GraphSums {
 public:
  GraphSums(const DiffChoice& choice, SideSummary& side)
      : choice_(choice), side_(side), filter_(choice, side.rows.keys) {}

  void add(const Node& node) {
    const Lane lane = lane_of(node);
    add_edges(node, lane);
    lanes_.emplace(node.id(), lane);
    if (is_delay(node)) return;
    const bool is_any = choice_.device == DiffDevice::kAll || choice_.by == DiffBy::kCollective;
    std::string key;
    if (!is_any && lane.is_device != (choice_.device == DiffDevice::kDevice)) return;
    if (!key_of(node, lane, choice_.by, key)) return;
    const StringId id = side_.rows.keys.intern(key);
    if (!filter_.keeps(id)) return;
    rows_.add(id, duration_of(node));
    ++count_;
    duration_ = add_times(duration_, duration_of(node));
  }

  void finish() {
    rows_.fold_into(side_.rows);
    edges_.fold_into(side_.edges);
    side_.total.add_sample(count_, duration_);
  }

 private:
  void add_edges(const Node& node, const Lane& lane) {
    StringTable& keys = side_.edges.keys;
    for (const std::uint64_t source : node.data_deps()) {
      const auto from = lanes_.find(source);
      edges_.add(
          keys.intern(from == lanes_.end() ? "to a later node" : edge_kind(from->second, lane)), 0);
    }
    if (node.ctrl_deps_size() > 0)
      edges_.add(keys.intern("nesting"), 0, static_cast<std::uint64_t>(node.ctrl_deps_size()));
  }

  const DiffChoice& choice_;
  SideSummary& side_;
  KeyFilter filter_;
  std::unordered_map<std::uint64_t, Lane> lanes_;
  SampleSums rows_, edges_;
  std::uint64_t count_ = 0;
  Ns duration_ = 0;
};

}  // namespace

bool is_chakra_file(const std::string& path) {
  return path != "-" && peek_trace(path).type == TraceType::kChakra;
}

void add_chakra_file(const std::string& path, std::int64_t rank, const DiffChoice& choice,
                     SideSummary& side) {
  if (choice.by == DiffBy::kCallPath)
    throw Error(ErrorCode::kUsage, path, "a Chakra graph is not compared by call path",
                "Choose name, short-name, stream, collective or kernel-family");
  if (choice.iterations.kind == IterationChoice::Kind::kListed)
    throw Error(ErrorCode::kUsage, path, "iterations of a Chakra graph cannot be chosen",
                "Compare whole graphs, or convert with --steps");
  ChakraReader reader(path, ChakraReader::MissingMetadata::kAccept);
  GraphSums sums(choice, side);
  Node node;
  while (reader.next(node)) sums.add(node);
  sums.finish();
  side.samples.push_back({rank, -1});
}

}  // namespace nadi
