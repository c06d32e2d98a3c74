// Small Chakra files written by hand, for tests of what reads them.
#pragma once

#include <google/protobuf/io/coded_stream.h>

#include <string>
#include <vector>

#include "et_def.pb.h"
#include "nadi/base/time.h"
#include "nadi/chakra/load_chakra_graph.h"
#include "tests/temporary_folder.h"

namespace nadi {

using Ids = std::vector<std::uint64_t>;

/// One rank's graph. Times are µs; every node says where it stands.
class EtFile {
 public:
  explicit EtFile(std::int64_t rank = 0) {
    metadata.set_version("0.0.4");
    add(*metadata.add_attr(), "rank").set_int64_val(rank);
    add(*metadata.add_attr(), "base_time_ns").set_int64_val(0);
  }

  EtFile& world(std::int64_t size, const std::string& groups) {
    add(*metadata.add_attr(), "world_size").set_int64_val(size);
    add(*metadata.add_attr(), "process_groups").set_string_val(groups);
    return *this;
  }

  ChakraProtoMsg::Node& host(std::uint64_t id, Ns start, Ns duration, const Ids& on = {}) {
    auto& node = make(id, "op", NodeType::kCompute, start, duration, on);
    add(*node.add_attr(), "is_cpu_op").set_bool_val(true);
    add(*node.add_attr(), "tid").set_int64_val(1);
    add(*node.add_attr(), "exclusive_ns").set_int64_val(duration * 1000);
    return node;
  }
  ChakraProtoMsg::Node& device(std::uint64_t id, Ns start, Ns duration, const Ids& on = {}) {
    return on_device(id, "kernel", NodeType::kCompute, start, duration, on);
  }
  ChakraProtoMsg::Node& collective(std::uint64_t id, std::int64_t type, std::int64_t bytes,
                                   const std::string& group, Ns start, Ns duration,
                                   const Ids& on = {}) {
    auto& node = on_device(id, "coll", NodeType::kCollective, start, duration, on);
    add(*node.add_attr(), "comm_type").set_int64_val(type);
    add(*node.add_attr(), "comm_size").set_int64_val(bytes);
    add(*node.add_attr(), "pg_name").set_string_val(group);
    return node;
  }
  /// A send where `type` is NodeType::kSend, else a receive.
  ChakraProtoMsg::Node& message(std::uint64_t id, NodeType type, int src, int dst, int tag,
                                std::int64_t bytes, Ns start, const Ids& on = {}) {
    auto& node = on_device(id, "message", type, start, 5, on);
    add(*node.add_attr(), "comm_size").set_int64_val(bytes);
    add(*node.add_attr(), "comm_src").set_int32_val(src);
    add(*node.add_attr(), "comm_dst").set_int32_val(dst);
    add(*node.add_attr(), "comm_tag").set_int32_val(tag);
    return node;
  }

  std::string bytes() const {
    std::string out = has_metadata ? framed(metadata) : "";
    for (const auto& node : nodes) out += framed(node);
    return out;
  }
  Graph load(const TemporaryFolder& folder) const {
    GraphColumns options;
    options.shapes = true;
    return load_chakra_graph(folder.write("graph.et", bytes()), options);
  }

  static ChakraProtoMsg::AttributeProto& add(ChakraProtoMsg::AttributeProto& attribute,
                                             const char* name) {
    attribute.set_name(name);
    return attribute;
  }

  ChakraProtoMsg::GlobalMetadata metadata;
  std::vector<ChakraProtoMsg::Node> nodes;
  bool has_metadata = true;

 private:
  static std::string framed(const google::protobuf::MessageLite& message) {
    std::uint8_t length[10];
    const std::uint8_t* end = google::protobuf::io::CodedOutputStream::WriteVarint64ToArray(
        message.ByteSizeLong(), length);
    return std::string(reinterpret_cast<const char*>(length),
                       static_cast<std::size_t>(end - length)) +
           message.SerializeAsString();
  }

  ChakraProtoMsg::Node& on_device(std::uint64_t id, const char* name, NodeType type, Ns start,
                                  Ns duration, const Ids& on) {
    auto& node = make(id, name, type, start, duration, on);
    add(*node.add_attr(), "is_cpu_op").set_bool_val(false);
    add(*node.add_attr(), "stream").set_int64_val(7);
    add(*node.add_attr(), "device").set_int64_val(0);
    return node;
  }
  ChakraProtoMsg::Node& make(std::uint64_t id, const char* name, NodeType type, Ns start,
                             Ns duration, const Ids& on) {
    auto& node = nodes.emplace_back();
    node.set_id(id);
    node.set_name(name);
    node.set_type(static_cast<ChakraProtoMsg::NodeType>(type));
    node.set_duration_micros(static_cast<std::uint64_t>(duration));
    for (const std::uint64_t dependency : on) node.add_data_deps(dependency);
    add(*node.add_attr(), "start_ns").set_int64_val(start * 1000);
    add(*node.add_attr(), "duration_ns").set_int64_val(duration * 1000);
    return node;
  }
};

}  // namespace nadi
