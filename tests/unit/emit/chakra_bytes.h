// What the tests ask of a written Chakra graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "et_def.pb.h"
#include "nadi/emit/chakra_writer.h"
#include "trace_builder.h"

namespace nadi {

struct ChakraFile {
  ChakraProtoMsg::GlobalMetadata metadata;
  std::vector<ChakraProtoMsg::Node> nodes;
};

std::string write_bytes(const TraceBuilder& builder, unsigned threads = 1);
/// Framed messages, metadata first.
std::string frame(const ChakraFile& file);
ChakraFile read_bytes(const std::string& bytes);
ChakraFile write_and_read(const TraceBuilder& builder);

/// The attribute of that name, which must be there exactly once.
const ChakraProtoMsg::AttributeProto& attribute(const ChakraProtoMsg::Node& node,
                                                const std::string& name);
bool has_attribute(const ChakraProtoMsg::Node& node, const std::string& name);
/// The value of an int64_val attribute; fails the test if it uses another member.
std::int64_t int64_of(const ChakraProtoMsg::Node& node, const std::string& name);

/// A node of the given id, type and data dependencies.
ChakraProtoMsg::Node make_node(std::uint64_t id, ChakraProtoMsg::NodeType type,
                               const std::vector<std::uint64_t>& data_deps = {},
                               const std::vector<std::uint64_t>& ctrl_deps = {});

}  // namespace nadi
