#include "nadi/emit/node_stream.h"

#include <algorithm>

#include "nadi/chakra/attribute_value.h"
#include "nadi/chakra/wire_writer.h"

namespace nadi {
namespace {

using namespace ChakraProtoMsg;

constexpr std::size_t kFlushBytes = 1 << 20;

enum Stream : std::size_t { kComputeStream, kCommunicationStream, kReceiveStream };

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
  const std::size_t stream = stream_of(node.type);
  body_.clear();
  append_number(number(ChakraField::kId), ++count_, body_);
  append_text(number(ChakraField::kName), node.name, body_);
  append_number(number(ChakraField::kType), static_cast<std::uint64_t>(node.type), body_);
  append_dependencies(node);
  append_number(number(ChakraField::kDurationMicros),
                micros_[stream].take(std::max<Ns>(node.duration_ns, 0)), body_);
  append_attributes(node, stream);
  take_body();
  return count_;
}

std::uint64_t NodeStream::append(ChakraProtoMsg::Node node) {
  node.set_id(++count_);
  body_ = node.SerializeAsString();
  take_body();
  return count_;
}

void NodeStream::take_body() {
  append_framed(body_, buffer_);
  if (buffer_.size() >= kFlushBytes) finish();
}

void NodeStream::finish() {
  sink_(buffer_);
  buffer_.clear();
}

void NodeStream::append_dependencies(const SyntheticNode& node) {
  after_ = node.after;
  std::sort(after_.begin(), after_.end());
  after_.erase(std::unique(after_.begin(), after_.end()), after_.end());
  if (!after_.empty() && after_.front() == 0) after_.erase(after_.begin());
  append_packed(number(ChakraField::kDataDeps), after_, body_);
}

void NodeStream::append_attributes(const SyntheticNode& node, std::size_t stream) {
  append_attribute(WireNumber::kIsCpuOp, std::int64_t{0}, body_);
  append_attribute(WireNumber::kStream, std::uint64_t{stream}, body_);
  append_attribute(WireNumber::kDevice, std::int64_t{0}, body_);
  append_attribute(WireNumber::kDurationNs, node.duration_ns, body_);
  if (node.num_ops > 0) append_attribute(WireNumber::kNumOps, node.num_ops, body_);
  if (node.tensor_size > 0) append_attribute(WireNumber::kTensorSize, node.tensor_size, body_);
  if (stream != kComputeStream) append_communication(node);
}

void NodeStream::append_communication(const SyntheticNode& node) {
  append_attribute(WireNumber::kCommSize, node.comm_size, body_);
  if (node.type == NodeType::kCollective) {
    append_attribute(WireNumber::kCommType, node.comm_type, body_);
    append_attribute("pg_name", node.group, body_);
    const auto [smallest, is_new] = collectives_.try_emplace(
        std::pair(std::int64_t{node.comm_type}, std::string(node.group)), node.comm_size);
    smallest->second = std::min(smallest->second, node.comm_size);
    return;
  }
  const bool is_send = node.type == NodeType::kSend;
  append_attribute(WireNumber::kCommSrc, is_send ? rank_ : node.peer, body_);
  append_attribute(WireNumber::kCommDst, is_send ? node.peer : rank_, body_);
  append_attribute(WireNumber::kCommTag, std::int64_t{node.tag}, body_);
}

}  // namespace nadi
