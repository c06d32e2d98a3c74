// Small Chakra files written by hand, for tests of what reads them.
#pragma once

#include <string>
#include <vector>

#include "et_def.pb.h"
#include "nadi/base/time.h"
#include "nadi/chakra/load_chakra_graph.h"
#include "nadi/chakra/wire_writer.h"
#include "tests/temporary_folder.h"

namespace nadi {

using Ids = std::vector<std::uint64_t>;

/// One rank's graph. Times are µs; every node says where it stands.
class EtFile {
 public:
  explicit EtFile(std::int64_t rank = 0) {
    metadata.set_version("0.0.4");
    attribute(metadata, "rank").set_int64_val(rank);
    attribute(metadata, "base_time_ns").set_int64_val(0);
  }

  EtFile& world(std::int64_t size, const std::string& groups) {
    attribute(metadata, "world_size").set_int64_val(size);
    attribute(metadata, "process_groups").set_string_val(groups);
    return *this;
  }

  ChakraProtoMsg::Node& host(std::uint64_t id, Ns start, Ns duration, const Ids& on = {}) {
    auto& node = make(id, "op", NodeType::kCompute, start, duration, on);
    attribute(node, "is_cpu_op").set_bool_val(true);
    attribute(node, "tid").set_int64_val(1);
    attribute(node, "exclusive_ns").set_int64_val(duration * 1000);
    return node;
  }
  ChakraProtoMsg::Node& device(std::uint64_t id, Ns start, Ns duration, const Ids& on = {}) {
    return on_device(id, "kernel", NodeType::kCompute, start, duration, on);
  }
  ChakraProtoMsg::Node& collective(std::uint64_t id, std::int64_t type, std::int64_t bytes,
                                   const std::string& group, Ns start, Ns duration,
                                   const Ids& on = {}) {
    auto& node = on_device(id, "coll", NodeType::kCollective, start, duration, on);
    attribute(node, "comm_type").set_int64_val(type);
    attribute(node, "comm_size").set_int64_val(bytes);
    attribute(node, "pg_name").set_string_val(group);
    return node;
  }
  /// A send where `type` is NodeType::kSend, else a receive.
  ChakraProtoMsg::Node& message(std::uint64_t id, NodeType type, int src, int dst, int tag,
                                std::int64_t bytes, Ns start, const Ids& on = {}) {
    auto& node = on_device(id, "message", type, start, 5, on);
    attribute(node, "comm_size").set_int64_val(bytes);
    attribute(node, "comm_src").set_int32_val(src);
    attribute(node, "comm_dst").set_int32_val(dst);
    attribute(node, "comm_tag").set_int32_val(tag);
    return node;
  }

  std::string bytes() const {
    std::string out;
    if (has_metadata) append_framed(metadata, out);
    for (const auto& node : nodes) append_framed(node, out);
    return out;
  }
  Graph load(const TemporaryFolder& folder) const {
    GraphColumns options;
    options.shapes = true;
    return load_chakra_graph(folder.write("graph.et", bytes()), options);
  }

  /// The attribute of this name, of a node or of the metadata. Where it has none, one is added.
  static ChakraProtoMsg::AttributeProto& attribute(auto& message, const std::string& name) {
    for (auto& given : *message.mutable_attr())
      if (given.name() == name) return given;
    auto& added = *message.add_attr();
    added.set_name(name);
    return added;
  }

  ChakraProtoMsg::GlobalMetadata metadata;
  std::vector<ChakraProtoMsg::Node> nodes;
  bool has_metadata = true;

 private:
  ChakraProtoMsg::Node& on_device(std::uint64_t id, const char* name, NodeType type, Ns start,
                                  Ns duration, const Ids& on) {
    auto& node = make(id, name, type, start, duration, on);
    attribute(node, "is_cpu_op").set_bool_val(false);
    attribute(node, "stream").set_int64_val(7);
    attribute(node, "device").set_int64_val(0);
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
    attribute(node, "start_ns").set_int64_val(start * 1000);
    attribute(node, "duration_ns").set_int64_val(duration * 1000);
    return node;
  }
};

}  // namespace nadi
