#include "chakra_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "nadi/chakra/chakra_reader.h"
#include "nadi/chakra/wire_writer.h"

namespace nadi {

std::string write_bytes(const TraceBuilder& builder, unsigned threads) {
  std::string bytes;
  Diagnostics diagnostics;
  ChakraOptions options;
  options.threads = threads;
  write_chakra(
      builder.trace, builder.graph(), options, [&](std::string_view piece) { bytes += piece; },
      diagnostics);
  EXPECT_TRUE(diagnostics.table().empty());
  return bytes;
}

std::string frame(const ChakraFile& file) {
  std::string bytes;
  append_framed(file.metadata, bytes);
  for (const auto& node : file.nodes) append_framed(node, bytes);
  return bytes;
}

ChakraFile read_bytes(const std::string& bytes) {
  ChakraReader reader(messages_of_bytes(bytes, "test.et"));
  ChakraFile file{reader.metadata(), {}};
  ChakraProtoMsg::Node node;
  while (reader.next(node)) file.nodes.push_back(node);
  return file;
}

ChakraFile write_and_read(const TraceBuilder& builder) { return read_bytes(write_bytes(builder)); }

const ChakraProtoMsg::AttributeProto& attribute(const ChakraProtoMsg::Node& node,
                                                const std::string& name) {
  const auto is_it = [&](const auto& a) { return a.name() == name; };
  EXPECT_EQ(std::count_if(node.attr().begin(), node.attr().end(), is_it), 1) << name;
  const auto found = std::find_if(node.attr().begin(), node.attr().end(), is_it);
  return found == node.attr().end() ? ChakraProtoMsg::AttributeProto::default_instance() : *found;
}

bool has_attribute(const ChakraProtoMsg::Node& node, const std::string& name) {
  return std::any_of(node.attr().begin(), node.attr().end(),
                     [&](const auto& a) { return a.name() == name; });
}

std::int64_t int64_of(const ChakraProtoMsg::Node& node, const std::string& name) {
  const auto& found = attribute(node, name);
  EXPECT_EQ(found.value_case(), ChakraProtoMsg::AttributeProto::kInt64Val) << name;
  return found.int64_val();
}

ChakraProtoMsg::Node make_node(std::uint64_t id, ChakraProtoMsg::NodeType type,
                               const std::vector<std::uint64_t>& data_deps,
                               const std::vector<std::uint64_t>& ctrl_deps) {
  ChakraProtoMsg::Node node;
  node.set_id(id);
  node.set_name("node " + std::to_string(id));
  node.set_type(type);
  for (const auto dep : data_deps) node.add_data_deps(dep);
  for (const auto dep : ctrl_deps) node.add_ctrl_deps(dep);
  return node;
}

}  // namespace nadi
