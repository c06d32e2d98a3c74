// Writes small Chakra files for tests: nodes with ids and dependencies, and what a test adds.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "et_def.pb.h"

namespace nadi::test {

using ChakraProtoMsg::Node;

struct NodeSpec {
  std::uint64_t id = 0;
  std::vector<std::uint64_t> data_deps = {}, ctrl_deps = {};
  std::function<void(Node&)> fill = nullptr;
};

inline std::string framed(const google::protobuf::Message& message) {
  const std::string bytes = message.SerializeAsString();
  std::string frame;
  for (std::size_t rest = bytes.size(); true; rest >>= 7) {
    frame += static_cast<char>(rest < 128 ? rest : (rest & 127) | 128);
    if (rest < 128) break;
  }
  return frame + bytes;
}

inline std::string graph_bytes(const std::vector<NodeSpec>& nodes) {
  ChakraProtoMsg::GlobalMetadata metadata;
  metadata.set_version("0.0.4");
  std::string bytes = framed(metadata);
  for (const NodeSpec& spec : nodes) {
    Node node;
    node.set_id(spec.id);
    node.set_name("node" + std::to_string(spec.id));
    node.set_type(ChakraProtoMsg::COMP_NODE);
    for (const std::uint64_t id : spec.data_deps) node.add_data_deps(id);
    for (const std::uint64_t id : spec.ctrl_deps) node.add_ctrl_deps(id);
    if (spec.fill) spec.fill(node);
    bytes += framed(node);
  }
  return bytes;
}

/// A folder of the test's own that goes away with the object.
class Folder {
 public:
  Folder() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(::testing::TempDir()) /
            (std::string("nadi-") + test->test_suite_name() + "-" + test->name());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return (path_ / name).string();
  }
  std::string write(const std::vector<NodeSpec>& nodes) const {
    return write("graph.0.et", graph_bytes(nodes));
  }

 private:
  std::filesystem::path path_;
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

/// The message of the exception that `run` throws; empty = none.
inline std::string error_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace nadi::test
