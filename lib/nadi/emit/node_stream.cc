#include "nadi/emit/node_stream.h"

#include <algorithm>

#include "nadi/base/sort_unique.h"
#include "nadi/chakra/attribute_value.h"
#include "nadi/chakra/wire_writer.h"

namespace nadi {
namespace {

using namespace ChakraProtoMsg;

constexpr std::size_t kFlushBytes = 1 << 20;

enum Stream : std::uint8_t { kComputeStream, kCommunicationStream, kReceiveStream };

Stream stream_of(NodeType type) {
  if (type == NodeType::kReceive) return kReceiveStream;
  return type == NodeType::kSend || type == NodeType::kCollective ? kCommunicationStream
                                                                  : kComputeStream;
}

std::string framed_metadata(const SyntheticGraph& graph) {
  GlobalMetadata metadata;
  metadata.set_version(kSchemaVersion);
  add_attribute(metadata, "schema")->set_string_val(graph.schema);
  add_attribute(metadata, "rank")->set_int64_val(graph.rank);
  add_attribute(metadata, "world_size")->set_int64_val(graph.world_size);
  if (!graph.process_groups.empty())
    add_attribute(metadata, "process_groups")->set_string_val(graph.process_groups);
  add_attribute(metadata, "nadi_version")->set_string_val(NADI_VERSION);
  std::string framed;
  append_framed(metadata, framed);
  return framed;
}

}  // namespace

NodeStream::NodeStream(const SyntheticGraph& graph, const ByteSink& sink)
    : rank_(graph.rank), sink_(sink), buffer_(framed_metadata(graph)) {}

std::uint64_t NodeStream::append(const SyntheticNode& node) {
  const Stream stream = stream_of(node.type);
  node_.clear();
  node_.id = ++count_;
  node_.name = node.name;
  node_.type = static_cast<std::uint64_t>(node.type);
  for (const std::uint64_t id : node.after)
    if (id != 0) node_.data_deps.push_back(id);
  sort_unique(node_.data_deps);
  set_duration(node.duration_ns, micros_[stream].take(std::max<Ns>(node.duration_ns, 0)), node_);
  node_.set(WireNumber::kIsCpuOp, 0);
  set_lane({.is_device = true, .device = 0, .stream = stream}, node_);
  if (node.num_ops > 0) node_.set(WireNumber::kNumOps, node.num_ops);
  if (node.tensor_size > 0) node_.set(WireNumber::kTensorSize, node.tensor_size);
  if (stream != kComputeStream) fill_communication(node);
  writer_.append(node_, buffer_);
  flush_if_full();
  return count_;
}

std::uint64_t NodeStream::append(ChakraProtoMsg::Node node) {
  node.set_id(++count_);
  append_framed(node, buffer_);
  flush_if_full();
  return count_;
}

void NodeStream::flush_if_full() {
  if (buffer_.size() >= kFlushBytes) finish();
}

void NodeStream::finish() {
  sink_(buffer_);
  buffer_.clear();
}

void NodeStream::fill_communication(const SyntheticNode& node) {
  GraphCommunication communication;
  communication.bytes = node.comm_size;
  if (node.type == NodeType::kCollective) {
    communication.type = node.comm_type;
    node_.pg_name = node.group;
    const auto [smallest, is_new] = collectives_.try_emplace(
        std::pair(std::int64_t{node.comm_type}, std::string(node.group)), node.comm_size);
    smallest->second = std::min(smallest->second, node.comm_size);
  } else {
    const bool is_send = node.type == NodeType::kSend;
    communication.src = is_send ? rank_ : node.peer;
    communication.dst = is_send ? node.peer : rank_;
    communication.tag = node.tag;
  }
  set_communication(communication, node_);
}

}  // namespace nadi
