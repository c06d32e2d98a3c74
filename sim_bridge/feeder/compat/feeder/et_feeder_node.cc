#include "nadi/sim_bridge/feeder/compat/feeder/et_feeder_node.h"

#include <algorithm>

#include "nadi/base/error.h"
#include "nadi/base/utf8.h"
#include "nadi/chakra/attribute_value.h"
#include "nadi/sim_bridge/feeder/compat/feeder/et_feeder.h"
#include "nadi/sim_bridge/feeder/feeder.h"

namespace Chakra {

using ChakraProtoMsg::AttributeProto;

namespace {

[[noreturn]] void fail(const ChakraProtoMsg::Node& node, const std::string& what) {
  const std::string name(nadi::whole_prefix(node.name(), 200));
  throw nadi::Error(nadi::ErrorCode::kInput,
                    "node " + std::to_string(node.id()) + " (" + name + ")", what,
                    "See what simulators want: nadi check");
}

}  // namespace

ETFeederNode::ETFeederNode(std::shared_ptr<ChakraProtoMsg::Node> node) : node_(std::move(node)) {}

std::shared_ptr<ChakraProtoMsg::Node> ETFeederNode::getChakraNode() { return node_; }

void ETFeederNode::addChild(std::shared_ptr<ETFeederNode> node) {
  if (std::find(added_children_.begin(), added_children_.end(), node) == added_children_.end())
    added_children_.push_back(std::move(node));
}

std::vector<std::shared_ptr<ETFeederNode>> ETFeederNode::getChildren() {
  std::vector<std::shared_ptr<ETFeederNode>> children;
  if (feeder_ != nullptr)
    for (const std::uint32_t row : feeder_->feeder_->dependent_rows(id()))
      children.push_back(feeder_->node_of_file(feeder_->feeder_->id_of_row(row)));
  children.insert(children.end(), added_children_.begin(), added_children_.end());
  return children;
}

void ETFeederNode::addDepUnresolvedParentID(std::uint64_t node_id) {
  unresolved_parents_.push_back(node_id);
}
std::vector<std::uint64_t> ETFeederNode::getDepUnresolvedParentIDs() { return unresolved_parents_; }
void ETFeederNode::setDepUnresolvedParentIDs(
    const std::vector<std::uint64_t>& dep_unresolved_parent_ids) {
  unresolved_parents_ = dep_unresolved_parent_ids;
}

const AttributeProto& ETFeederNode::get_other_attr(const std::string& attr_name) const {
  const AttributeProto* attribute = nadi::find_attribute(*node_, attr_name);
  if (attribute == nullptr) fail(*node_, "has no attribute " + attr_name);
  return *attribute;
}
bool ETFeederNode::has_other_attr(const std::string& attr_name) const {
  return nadi::find_attribute(*node_, attr_name) != nullptr;
}

std::int64_t ETFeederNode::number(const char* name, std::int64_t absent) const {
  const AttributeProto* attribute = nadi::find_attribute(*node_, name);
  if (attribute == nullptr) return absent;
  const auto value = nadi::whole_number_of(*attribute);
  if (!value)
    fail(*node_, std::string("attribute ") + name + " has " +
                     nadi::member_name(attribute->value_case()) + ", and a whole number is wanted");
  return *value;
}

std::uint64_t ETFeederNode::id() const { return node_->id(); }
std::string ETFeederNode::name() const { return node_->name(); }
bool ETFeederNode::is_cpu_op() const { return number("is_cpu_op", 1) != 0; }
ChakraProtoMsg::NodeType ETFeederNode::type() const { return node_->type(); }
std::uint64_t ETFeederNode::runtime() const { return node_->duration_micros(); }
std::uint64_t ETFeederNode::num_ops() const {
  return static_cast<std::uint64_t>(number("num_ops"));
}
std::uint32_t ETFeederNode::tensor_loc() const {
  return static_cast<std::uint32_t>(number("tensor_loc"));
}
std::uint64_t ETFeederNode::tensor_size() const {
  return static_cast<std::uint64_t>(number("tensor_size"));
}
ChakraProtoMsg::CollectiveCommType ETFeederNode::comm_type() const {
  return static_cast<ChakraProtoMsg::CollectiveCommType>(number("comm_type"));
}
std::uint32_t ETFeederNode::comm_priority() const {
  return static_cast<std::uint32_t>(number("comm_priority"));
}
std::uint64_t ETFeederNode::comm_size() const {
  return static_cast<std::uint64_t>(number("comm_size"));
}
std::uint32_t ETFeederNode::comm_src() const {
  return static_cast<std::uint32_t>(number("comm_src"));
}
std::uint32_t ETFeederNode::comm_dst() const {
  return static_cast<std::uint32_t>(number("comm_dst"));
}
std::uint32_t ETFeederNode::comm_tag() const {
  return static_cast<std::uint32_t>(number("comm_tag"));
}
std::string ETFeederNode::pg_name() const {
  const AttributeProto* attribute = nadi::find_attribute(*node_, "pg_name");
  if (attribute != nullptr && !attribute->has_string_val())
    fail(*node_, "attribute pg_name has " + nadi::member_name(attribute->value_case()) +
                     ", and a text is wanted");
  return attribute != nullptr ? attribute->string_val() : std::string();
}

std::string ETFeederNode::get_inputs_values() const { return node_->inputs().values(); }
std::string ETFeederNode::get_inputs_shapes() const { return node_->inputs().shapes(); }
std::string ETFeederNode::get_inputs_types() const { return node_->inputs().types(); }
std::string ETFeederNode::get_outputs_values() const { return node_->outputs().values(); }
std::string ETFeederNode::get_outputs_shapes() const { return node_->outputs().shapes(); }
std::string ETFeederNode::get_outputs_types() const { return node_->outputs().types(); }

}  // namespace Chakra
