// Chakra files for tests, written with protobuf's own classes: bytes another program would write.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "et_def.pb.h"

namespace nadi::test {

/// One message with its length before it.
std::string framed(const google::protobuf::Message& message);

/// A node with whole numbers as int64_val attributes.
ChakraProtoMsg::Node node(std::uint64_t id, std::vector<std::uint64_t> data_deps = {},
                          std::vector<std::pair<std::string, std::int64_t>> attributes = {});

/// Metadata and the nodes, framed.
std::string graph_bytes(const std::vector<ChakraProtoMsg::Node>& nodes);

/// The bytes as gzip.
std::string gzipped(const std::string& bytes);

}  // namespace nadi::test
