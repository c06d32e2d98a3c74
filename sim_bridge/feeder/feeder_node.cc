#include "nadi/sim_bridge/feeder/feeder_node.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <limits>

#include "nadi/base/error.h"
#include "nadi/base/utf8.h"
#include "nadi/base/wire_reader.h"
#include "nadi/chakra/attribute_value.h"

namespace nadi {

using ChakraProtoMsg::AttributeProto;
using ChakraProtoMsg::Node;

struct FeederNode::Content {
  std::string message;
  std::shared_ptr<const std::string> file;
  std::uint64_t id = 0, type = 0, start_micros = 0, duration_micros = 0;
  std::string_view name, inputs, outputs;
  std::vector<AttributeValue> attributes;

  bool read();
};

namespace {

using Wire = WireReader::Type;

NodeIo read_io(std::string_view message) {
  NodeIo io;
  std::string_view* const parts[] = {&io.values, &io.shapes, &io.types};
  for (WireReader reader(message); reader.next();)
    if (reader.type() == Wire::kBytes && reader.field() >= 1 && reader.field() <= 3)
      *parts[reader.field() - 1] = reader.bytes();
  return io;
}

std::vector<std::uint64_t> read_ids(std::string_view message, std::uint64_t field) {
  std::vector<std::uint64_t> ids;
  for (WireReader reader(message); reader.next();)
    if (reader.field() == field) reader.each_number([&](std::uint64_t id) { ids.push_back(id); });
  return ids;
}

}  // namespace

// Fills the other members from the message; false where it is none.
bool FeederNode::Content::read() {
  attributes.reserve(16);
  WireReader reader(message);
  while (reader.next()) {
    const std::uint64_t tag = reader.tag();
    if (tag == number_tag(Node::kIdFieldNumber)) id = reader.number();
    if (tag == number_tag(Node::kTypeFieldNumber)) type = reader.number();
    if (tag == number_tag(Node::kStartTimeMicrosFieldNumber)) start_micros = reader.number();
    if (tag == number_tag(Node::kDurationMicrosFieldNumber)) duration_micros = reader.number();
    if (tag == bytes_tag(Node::kNameFieldNumber)) name = reader.bytes();
    if (tag == bytes_tag(Node::kInputsFieldNumber)) inputs = reader.bytes();
    if (tag == bytes_tag(Node::kOutputsFieldNumber)) outputs = reader.bytes();
    if (tag == bytes_tag(Node::kAttrFieldNumber) &&
        !read_attribute_value(reader.bytes(), attributes.emplace_back()))
      return false;
  }
  return !reader.is_broken();
}

FeederNode::FeederNode(std::string message, std::shared_ptr<const std::string> file) {
  const auto content = std::make_shared<Content>();
  content_ = content;
  content->message = std::move(message);
  content->file = std::move(file);
  if (!content->read())
    fail("its bytes are no Chakra node", "Write the file again; see: nadi check");
}

std::uint64_t FeederNode::id() const { return content_->id; }
std::string_view FeederNode::name() const { return content_->name; }
ChakraProtoMsg::NodeType FeederNode::type() const {
  return static_cast<ChakraProtoMsg::NodeType>(content_->type);
}
std::uint64_t FeederNode::start_micros() const { return content_->start_micros; }
std::uint64_t FeederNode::duration_micros() const { return content_->duration_micros; }
std::vector<std::uint64_t> FeederNode::data_deps() const {
  return read_ids(bytes(), Node::kDataDepsFieldNumber);
}
std::vector<std::uint64_t> FeederNode::ctrl_deps() const {
  return read_ids(bytes(), Node::kCtrlDepsFieldNumber);
}
NodeIo FeederNode::inputs() const { return read_io(content_->inputs); }
NodeIo FeederNode::outputs() const { return read_io(content_->outputs); }
std::string_view FeederNode::bytes() const { return content_->message; }

const AttributeValue* FeederNode::find(std::string_view name) const {
  const AttributeValue* found = nullptr;
  for (const AttributeValue& attribute : content_->attributes)
    if (attribute.name == name) found = &attribute;
  return found;
}

bool FeederNode::has_attribute(std::string_view name) const { return find(name) != nullptr; }

std::size_t FeederNode::attribute_count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::count_if(content_->attributes.begin(), content_->attributes.end(),
                    [&](const AttributeValue& attribute) { return attribute.name == name; }));
}

std::vector<std::string_view> FeederNode::attribute_names() const {
  std::vector<std::string_view> names;
  names.reserve(content_->attributes.size());
  for (const AttributeValue& attribute : content_->attributes) names.push_back(attribute.name);
  return names;
}

const AttributeValue& FeederNode::require(std::string_view name) const {
  if (const AttributeValue* attribute = find(name)) return *attribute;
  std::string has;
  for (const AttributeValue& attribute : content_->attributes) {
    if (has.size() > 400) {
      has += ", ...";
      break;
    }
    has += (has.empty() ? "It has " : ", ") + std::string(attribute.name);
  }
  fail("has no attribute " + std::string(name), has.empty() ? "It has none" : has);
}

std::int64_t FeederNode::whole_number(const AttributeValue& attribute) const {
  const auto value = whole_number_of(attribute);
  if (!value) fail_type(attribute, "a whole number");
  if (*value < 0 && is_unsigned_64(attribute))
    fail("attribute " + std::string(attribute.name) + " is " + std::to_string(attribute.number) +
             ", more than a signed number holds",
         "Read it with attribute_uint");
  return *value;
}

std::uint64_t FeederNode::whole_positive(const AttributeValue& attribute) const {
  const auto value = whole_number_of(attribute);
  if (!value) fail_type(attribute, "a whole number");
  if (*value < 0 && !is_unsigned_64(attribute))
    fail("attribute " + std::string(attribute.name) + " is " + std::to_string(*value) +
             ", and a number that is not negative is wanted",
         "");
  return static_cast<std::uint64_t>(*value);
}

double FeederNode::real_number(const AttributeValue& attribute) const {
  const auto value = real_number_of(attribute);
  if (!value) fail_type(attribute, "a number");
  return *value;
}

std::string_view FeederNode::text(const AttributeValue& attribute) const {
  const auto value = text_of(attribute);
  if (!value) fail_type(attribute, "a text");
  return *value;
}

std::int64_t FeederNode::attribute_int(std::string_view name) const {
  return whole_number(require(name));
}
std::int64_t FeederNode::attribute_int(std::string_view name, std::int64_t absent) const {
  const AttributeValue* attribute = find(name);
  return attribute != nullptr ? whole_number(*attribute) : absent;
}
std::uint64_t FeederNode::attribute_uint(std::string_view name) const {
  return whole_positive(require(name));
}
std::uint64_t FeederNode::attribute_uint(std::string_view name, std::uint64_t absent) const {
  const AttributeValue* attribute = find(name);
  return attribute != nullptr ? whole_positive(*attribute) : absent;
}
bool FeederNode::attribute_bool(std::string_view name) const {
  const auto& attribute = require(name);
  const auto value = whole_number_of(attribute);
  if (!value) fail_type(attribute, "true or false");
  return *value != 0;
}
bool FeederNode::attribute_bool(std::string_view name, bool absent) const {
  return has_attribute(name) ? attribute_bool(name) : absent;
}
double FeederNode::attribute_double(std::string_view name) const {
  return real_number(require(name));
}
double FeederNode::attribute_double(std::string_view name, double absent) const {
  const AttributeValue* attribute = find(name);
  return attribute != nullptr ? real_number(*attribute) : absent;
}
std::string_view FeederNode::attribute_text(std::string_view name) const {
  return text(require(name));
}
std::string_view FeederNode::attribute_text(std::string_view name, std::string_view absent) const {
  const AttributeValue* attribute = find(name);
  return attribute != nullptr ? text(*attribute) : absent;
}

std::vector<std::int64_t> FeederNode::attribute_ints(std::string_view name) const {
  const AttributeValue& attribute = require(name);
  std::vector<std::int64_t> values;
  const bool is_list = each_listed(*this->attribute(name), false, [&](auto value) {
    if (std::is_same_v<decltype(value), std::uint64_t> &&
        static_cast<std::uint64_t>(value) > std::numeric_limits<std::int64_t>::max())
      fail("attribute " + std::string(name) + " holds more than a signed number does", "");
    values.push_back(static_cast<std::int64_t>(value));
  });
  if (!is_list) fail_type(attribute, "a list of whole numbers");
  return values;
}

std::vector<double> FeederNode::attribute_doubles(std::string_view name) const {
  const AttributeValue& attribute = require(name);
  std::vector<double> values;
  if (!each_listed(*this->attribute(name), true,
                   [&](auto value) { values.push_back(static_cast<double>(value)); }))
    fail_type(attribute, "a list of numbers");
  return values;
}

std::vector<std::string> FeederNode::attribute_texts(std::string_view name) const {
  const AttributeValue& attribute = require(name);
  const auto message = *this->attribute(name);
  if (message.has_string_list())
    return {message.string_list().values().begin(), message.string_list().values().end()};
  if (message.has_bytes_list())
    return {message.bytes_list().values().begin(), message.bytes_list().values().end()};
  fail_type(attribute, "a list of texts");
}

std::optional<AttributeProto> FeederNode::attribute(std::string_view name) const {
  const AttributeValue* found = find(name);
  if (found == nullptr) return std::nullopt;
  AttributeProto message;
  const google::protobuf::LogSilencer silence;  // a library prints nothing
  if (!message.ParseFromArray(found->message.data(), static_cast<int>(found->message.size())))
    fail("attribute " + std::string(name) + " is damaged", "Write the file again");
  return message;
}

ChakraProtoMsg::Node FeederNode::message() const {
  ChakraProtoMsg::Node node;
  const google::protobuf::LogSilencer silence;  // a library prints nothing
  if (!node.ParseFromArray(bytes().data(), static_cast<int>(bytes().size())))
    fail("its bytes are no Chakra node", "Write the file again; see: nadi check");
  return node;
}

void FeederNode::fail(const std::string& what, const std::string& remedy) const {
  std::string where = *content_->file + ", node " + std::to_string(id());
  if (!name().empty()) where += " (" + std::string(whole_prefix(name(), 200)) + ")";
  throw Error(ErrorCode::kInput, where, what, remedy);
}

void FeederNode::fail_type(const AttributeValue& attribute, const char* wanted) const {
  fail("attribute " + std::string(attribute.name) + " has " + member_name(attribute.member) +
           ", and " + wanted + " is wanted",
       "Write it as the member that schema/chakra.md names");
}

}  // namespace nadi
