// The node of Chakra's FeederV3 interface, as ASTRA-sim compiles against it, fed by nadi::Feeder.
// C++17, as its users are.
#pragma once

#include <cstdint>
// Chakra's own header includes these three, and simulators use them without including them.
#include <fstream>
#include <list>
#include <memory>
#include <queue>
#include <string>
#include <type_traits>

#include "et_def.pb.h"

namespace Chakra {
namespace FeederV3 {

using NodeId = std::uint64_t;
using ChakraNode = ChakraProtoMsg::Node;
using ChakraAttr = ChakraProtoMsg::AttributeProto;
using ChakraGlobalMetadata = ChakraProtoMsg::GlobalMetadata;

class ETFeeder;

/// Must not outlive its feeder. An absent attribute without a default, and one of another type,
/// throws nadi::Error (a std::runtime_error) that names file, node, attribute and member. Of
/// several attributes of one name the first counts, as in Chakra's own node.
class ETFeederNode {
 public:
  ETFeederNode(ETFeeder& feeder, NodeId id);

  NodeId id() const { return id_; }
  /// The whole message; it lives as long as the node, and longer where it is held.
  std::shared_ptr<const ChakraNode> get_chakra_node() const;
  std::string name() const;
  ChakraProtoMsg::NodeType type() const { return type_; }
  /// µs.
  std::uint64_t runtime() const { return runtime_; }

  bool has_attr(const std::string& name) const;
  const ChakraAttr get_attr_msg(const std::string& name) const;
  /// False = absent; the message lives as long as the node.
  bool get_attr_msg(const std::string& name, const ChakraAttr** attr) const;

  /// Whole numbers and enumerations from any integer or bool member, cut to T's width; floating
  /// point numbers from any number; texts from string_val and bytes_val.
  template <typename T>
  T get_attr(const ChakraAttr& attr) const {
    if constexpr (std::is_same_v<T, ChakraAttr>)
      return attr;
    else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
      return static_cast<T>(whole_number(attr));
    else if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(real_number(attr));
    else
      return T(text(attr));
  }
  template <typename T>
  T get_attr(const std::string& name) const {
    return get_attr<T>(require(name));
  }
  template <typename T>
  T get_attr(const std::string& name, const T& absent) const {
    const ChakraAttr* attr = nullptr;
    return get_attr_msg(name, &attr) ? get_attr<T>(*attr) : absent;
  }

#define NADI_ATTRIBUTE(attribute)                \
  template <typename T>                          \
  T attribute() const {                          \
    return get_attr<T>(std::string(#attribute)); \
  }                                              \
  template <typename T>                          \
  T attribute(const T& absent) const {           \
    return get_attr<T>(#attribute, absent);      \
  }
#define NADI_ATTRIBUTE_OR(attribute, otherwise)       \
  template <typename T>                               \
  T attribute(const T& absent = T(otherwise)) const { \
    return get_attr<T>(#attribute, absent);           \
  }
  NADI_ATTRIBUTE_OR(comm_priority, 0)
  NADI_ATTRIBUTE(num_ops)
  NADI_ATTRIBUTE(tensor_size)
  NADI_ATTRIBUTE(comm_type)
  NADI_ATTRIBUTE(comm_size)
  NADI_ATTRIBUTE(comm_src)
  NADI_ATTRIBUTE(comm_dst)
  NADI_ATTRIBUTE(comm_tag)
  NADI_ATTRIBUTE(pg_name)
#undef NADI_ATTRIBUTE
#undef NADI_ATTRIBUTE_OR

  template <typename T>
  T is_cpu_op(const T& absent = T(false)) const {
    return is_cpu_op_ == kAbsent ? absent : static_cast<T>(is_cpu_op());
  }
  /// Asked of every ready node at every event: kept apart from the message.
  bool is_cpu_op() const {
    return is_cpu_op_ == kUnclear ? get_attr<bool>("is_cpu_op") : is_cpu_op_ == kTrue;
  }
  std::uint64_t num_ops() const { return num_ops<std::uint64_t>(); }
  std::uint32_t tensor_loc() const { return get_attr<std::uint32_t>("tensor_loc"); }
  std::uint64_t tensor_size() const { return tensor_size<std::uint64_t>(); }
  ChakraProtoMsg::CollectiveCommType comm_type() const {
    return comm_type<ChakraProtoMsg::CollectiveCommType>();
  }
  std::uint32_t comm_priority() const { return comm_priority<std::uint32_t>(); }
  std::uint64_t comm_size() const { return comm_size<std::uint64_t>(); }
  std::uint32_t comm_src() const { return comm_src<std::uint32_t>(); }
  std::uint32_t comm_dst() const { return comm_dst<std::uint32_t>(); }
  std::uint32_t comm_tag() const { return comm_tag<std::uint32_t>(); }

  /// The argument where the node has no inputs (outputs) at all.
  std::string get_inputs_values(const std::string& absent = "") const;
  std::string get_inputs_shapes(const std::string& absent = "") const;
  std::string get_inputs_types(const std::string& absent = "") const;
  std::string get_outputs_values(const std::string& absent = "") const;
  std::string get_outputs_shapes(const std::string& absent = "") const;
  std::string get_outputs_types(const std::string& absent = "") const;

 private:
  enum Flag : std::uint8_t { kFalse, kTrue, kAbsent, kUnclear };

  const ChakraNode& message() const;
  const ChakraAttr& require(const std::string& name) const;
  std::int64_t whole_number(const ChakraAttr& attr) const;
  double real_number(const ChakraAttr& attr) const;
  const std::string& text(const ChakraAttr& attr) const;
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_type(const ChakraAttr& attr, const char* wanted) const;

  ETFeeder* feeder_;
  NodeId id_;
  std::uint64_t runtime_ = 0;
  ChakraProtoMsg::NodeType type_ = ChakraProtoMsg::INVALID_NODE;
  Flag is_cpu_op_ = kAbsent;
  mutable std::shared_ptr<const ChakraNode> message_;  // read when first asked for
};

}  // namespace FeederV3
using ETFeederNode = FeederV3::ETFeederNode;
}  // namespace Chakra
