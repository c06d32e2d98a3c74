#include "nadi/sim_bridge/feeder/compat/feeder_v3/et_feeder_node.h"

#include "nadi/base/error.h"
#include "nadi/base/utf8.h"
#include "nadi/chakra/attribute_value.h"
#include "nadi/sim_bridge/feeder/compat/feeder_v3/et_feeder.h"
#include "nadi/sim_bridge/feeder/feeder.h"

namespace Chakra::FeederV3 {

ETFeederNode::ETFeederNode(ETFeeder& feeder, NodeId id) : feeder_(&feeder), id_(id) {
  const nadi::FeederNode node = feeder.feeder_->lookup(id);
  type_ = node.type();
  runtime_ = node.duration_micros();
  const std::size_t count = node.attribute_count("is_cpu_op");
  if (count == 0) return;
  is_cpu_op_ = kUnclear;
  if (count > 1) return;  // is_cpu_op() looks at the message, where the first counts
  const auto value = nadi::whole_number_of(*node.attribute("is_cpu_op"));
  if (value) is_cpu_op_ = *value != 0 ? kTrue : kFalse;
}

const ChakraNode& ETFeederNode::message() const {
  if (!message_)
    message_ = std::make_shared<const ChakraNode>(feeder_->feeder_->lookup(id_).message());
  return *message_;
}

std::shared_ptr<const ChakraNode> ETFeederNode::get_chakra_node() const {
  message();
  return message_;
}

std::string ETFeederNode::name() const { return message().name(); }

bool ETFeederNode::has_attr(const std::string& name) const {
  const ChakraAttr* attr = nullptr;
  return get_attr_msg(name, &attr);
}

const ChakraAttr ETFeederNode::get_attr_msg(const std::string& name) const { return require(name); }

bool ETFeederNode::get_attr_msg(const std::string& name, const ChakraAttr** attr) const {
  for (const ChakraAttr& each : message().attr()) {
    if (each.name() != name) continue;
    *attr = &each;
    return true;
  }
  return false;
}

const ChakraAttr& ETFeederNode::require(const std::string& name) const {
  const ChakraAttr* attr = nullptr;
  if (!get_attr_msg(name, &attr)) fail("has no attribute " + name);
  return *attr;
}

std::int64_t ETFeederNode::whole_number(const ChakraAttr& attr) const {
  const auto value = nadi::whole_number_of(attr);
  if (!value) fail_type(attr, "a whole number");
  return *value;
}

double ETFeederNode::real_number(const ChakraAttr& attr) const {
  const auto value = nadi::real_number_of(attr);
  if (!value) fail_type(attr, "a number");
  return *value;
}

const std::string& ETFeederNode::text(const ChakraAttr& attr) const {
  if (attr.has_string_val()) return attr.string_val();
  if (attr.has_bytes_val()) return attr.bytes_val();
  fail_type(attr, "a text");
}

std::string ETFeederNode::get_inputs_values(const std::string& absent) const {
  return message().has_inputs() ? message().inputs().values() : absent;
}
std::string ETFeederNode::get_inputs_shapes(const std::string& absent) const {
  return message().has_inputs() ? message().inputs().shapes() : absent;
}
std::string ETFeederNode::get_inputs_types(const std::string& absent) const {
  return message().has_inputs() ? message().inputs().types() : absent;
}
std::string ETFeederNode::get_outputs_values(const std::string& absent) const {
  return message().has_outputs() ? message().outputs().values() : absent;
}
std::string ETFeederNode::get_outputs_shapes(const std::string& absent) const {
  return message().has_outputs() ? message().outputs().shapes() : absent;
}
std::string ETFeederNode::get_outputs_types(const std::string& absent) const {
  return message().has_outputs() ? message().outputs().types() : absent;
}

void ETFeederNode::fail(const std::string& what) const {
  const std::string shown(nadi::whole_prefix(message().name(), 200));
  throw nadi::Error(nadi::ErrorCode::kInput,
                    feeder_->feeder_->name() + ", node " + std::to_string(id_) + " (" + shown + ")",
                    what, "See what simulators want: nadi check");
}

void ETFeederNode::fail_type(const ChakraAttr& attr, const char* wanted) const {
  fail("attribute " + attr.name() + " has " + nadi::member_name(attr.value_case()) + ", and " +
       wanted + " is wanted");
}

}  // namespace Chakra::FeederV3
