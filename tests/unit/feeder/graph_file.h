// Writes small Chakra files for tests: nodes with ids and dependencies, and what a test adds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "et_def.pb.h"
#include "nadi/chakra/wire_writer.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"

namespace nadi::test {

using ChakraProtoMsg::Node;

struct NodeSpec {
  std::uint64_t id = 0;
  std::vector<std::uint64_t> data_deps = {}, ctrl_deps = {};
  std::function<void(Node&)> fill = nullptr;
};

inline std::string graph_bytes(const std::vector<NodeSpec>& nodes) {
  ChakraProtoMsg::GlobalMetadata metadata;
  metadata.set_version("0.0.4");
  std::string bytes;
  append_framed(metadata, bytes);
  for (const NodeSpec& spec : nodes) {
    Node node;
    node.set_id(spec.id);
    node.set_name("node" + std::to_string(spec.id));
    node.set_type(ChakraProtoMsg::COMP_NODE);
    for (const std::uint64_t id : spec.data_deps) node.add_data_deps(id);
    for (const std::uint64_t id : spec.ctrl_deps) node.add_ctrl_deps(id);
    if (spec.fill) spec.fill(node);
    append_framed(node, bytes);
  }
  return bytes;
}

/// A folder of the test's own, for graphs.
struct Folder : TemporaryFolder {
  using TemporaryFolder::write;
  std::string write(const std::vector<NodeSpec>& nodes) const {
    return write("graph.0.et", graph_bytes(nodes));
  }
};

inline ChakraProtoMsg::AttributeProto& add_attribute(Node& node, const std::string& name) {
  auto& attribute = *node.add_attr();
  attribute.set_name(name);
  return attribute;
}

/// The error text contains the other text; for EXPECT_PRED2, which shows both.
inline bool says(const std::string& error, const std::string& text) {
  return error.find(text) != std::string::npos;
}

/// Ids, rows or numbers, to be compared.
template <class Values>
std::vector<std::uint64_t> list(const Values& values) {
  return {values.begin(), values.end()};
}
inline std::vector<std::uint64_t> list(std::initializer_list<std::uint64_t> values) {
  return values;
}

}  // namespace nadi::test
