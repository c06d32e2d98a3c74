// The node of MLCommons' older Chakra feeder, fed by nadi::Feeder. C++17, as its users are.
#pragma once

#include <cstdint>
// Chakra's own header includes these three, and simulators use them without including them.
#include <fstream>
#include <list>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "et_def.pb.h"

namespace Chakra {

class ETFeeder;

/// Absent attributes are 0 or empty (is_cpu_op: true), as there; any integer or bool member is
/// read, where MLCommons' node reads one. Of several attributes of one name the last counts, as
/// there. An attribute of another type throws nadi::Error (a std::runtime_error).
class ETFeederNode {
 public:
  ETFeederNode(std::shared_ptr<ChakraProtoMsg::Node> node);
  std::shared_ptr<ChakraProtoMsg::Node> getChakraNode();
  /// The same under the name that it has in FeederV3.
  std::shared_ptr<ChakraProtoMsg::Node> get_chakra_node() { return getChakraNode(); }
  void addChild(std::shared_ptr<ETFeederNode> node);
  /// The nodes that wait for this one; of a node of the file only while its feeder lives.
  std::vector<std::shared_ptr<ETFeederNode>> getChildren();
  /// Kept for the caller: the feeder knows all of the file's nodes from the start.
  void addDepUnresolvedParentID(std::uint64_t node_id);
  std::vector<std::uint64_t> getDepUnresolvedParentIDs();
  void setDepUnresolvedParentIDs(const std::vector<std::uint64_t>& dep_unresolved_parent_ids);

  /// Any attribute of the node; throws nadi::Error where it is absent.
  const ChakraProtoMsg::AttributeProto& get_other_attr(const std::string& attr_name) const;
  bool has_other_attr(const std::string& attr_name) const;

  std::uint64_t id() const;
  std::string name() const;
  bool is_cpu_op() const;
  ChakraProtoMsg::NodeType type() const;
  /// µs.
  std::uint64_t runtime() const;
  std::uint64_t num_ops() const;
  std::uint32_t tensor_loc() const;
  std::uint64_t tensor_size() const;
  ChakraProtoMsg::CollectiveCommType comm_type() const;
  std::uint32_t comm_priority() const;
  std::uint64_t comm_size() const;
  std::uint32_t comm_src() const;
  std::uint32_t comm_dst() const;
  std::uint32_t comm_tag() const;
  std::string pg_name() const;

  std::string get_inputs_values() const;
  std::string get_inputs_shapes() const;
  std::string get_inputs_types() const;
  std::string get_outputs_values() const;
  std::string get_outputs_shapes() const;
  std::string get_outputs_types() const;

 private:
  friend class ETFeeder;

  std::int64_t number(const char* name, std::int64_t absent = 0) const;

  std::shared_ptr<ChakraProtoMsg::Node> node_;
  ETFeeder* feeder_ = nullptr;  // null = no node of a file
  std::vector<std::shared_ptr<ETFeederNode>> added_children_;
  std::vector<std::uint64_t> unresolved_parents_;
};

}  // namespace Chakra
