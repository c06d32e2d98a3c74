// One node of a graph, with typed access to its fields and attributes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "et_def.pb.h"

namespace nadi {

struct AttributeValue;

/// Python literals as text; empty = not recorded.
struct NodeIo {
  std::string_view values, shapes, types;
};

/// A read node; cheap to copy, independent of the feeder's life. Views live as long as a copy of
/// the node. What it all means: schema/chakra.md.
///
/// Attribute getters convert as ASTRA-sim does: any integer or bool member gives a whole number,
/// never a float or a text. Without a second argument they throw Error (kInput) where the attribute
/// is absent; with one they return that. An attribute of another type, or a number that does not
/// fit, throws always: file, node, attribute and the member it has are in the message.
class FeederNode {
 public:
  /// message: the bytes of a Node; file: its name for messages. Throws Error (kInput) where they
  /// are none.
  FeederNode(std::string message, std::shared_ptr<const std::string> file);

  std::uint64_t id() const;
  std::string_view name() const;
  ChakraProtoMsg::NodeType type() const;
  std::uint64_t start_micros() const;     ///< µs since the trace's begin
  std::uint64_t duration_micros() const;  ///< µs
  std::vector<std::uint64_t> data_deps() const;
  std::vector<std::uint64_t> ctrl_deps() const;
  NodeIo inputs() const;
  NodeIo outputs() const;

  bool has_attribute(std::string_view name) const;
  /// Of that name; a file may hold several.
  std::size_t attribute_count(std::string_view name) const;
  /// In the file's order.
  std::vector<std::string_view> attribute_names() const;

  std::int64_t attribute_int(std::string_view name) const;
  std::int64_t attribute_int(std::string_view name, std::int64_t absent) const;
  std::uint64_t attribute_uint(std::string_view name) const;
  std::uint64_t attribute_uint(std::string_view name, std::uint64_t absent) const;
  bool attribute_bool(std::string_view name) const;
  bool attribute_bool(std::string_view name, bool absent) const;
  /// A float, double, integer or bool member.
  double attribute_double(std::string_view name) const;
  double attribute_double(std::string_view name, double absent) const;
  /// string_val or bytes_val.
  std::string_view attribute_text(std::string_view name) const;
  std::string_view attribute_text(std::string_view name, std::string_view absent) const;
  /// Any integer or bool list.
  std::vector<std::int64_t> attribute_ints(std::string_view name) const;
  /// A float, double, integer or bool list.
  std::vector<double> attribute_doubles(std::string_view name) const;
  /// string_list or bytes_list.
  std::vector<std::string> attribute_texts(std::string_view name) const;

  /// The last attribute of that name as it stands; nullopt = absent.
  std::optional<ChakraProtoMsg::AttributeProto> attribute(std::string_view name) const;
  /// The whole node.
  ChakraProtoMsg::Node message() const;
  /// Bytes of the message.
  std::string_view bytes() const;

 private:
  struct Content;
  const AttributeValue* find(std::string_view name) const;
  const AttributeValue& require(std::string_view name) const;
  std::int64_t whole_number(const AttributeValue& attribute) const;
  std::uint64_t whole_positive(const AttributeValue& attribute) const;
  double real_number(const AttributeValue& attribute) const;
  std::string_view text(const AttributeValue& attribute) const;
  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const;
  [[noreturn]] void fail_type(const AttributeValue& attribute, const char* wanted) const;

  std::shared_ptr<const Content> content_;
};

}  // namespace nadi
