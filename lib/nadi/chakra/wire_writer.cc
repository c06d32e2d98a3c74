#include "nadi/chakra/wire_writer.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message_lite.h>

#include <array>
#include <cassert>
#include <cstring>

#include "et_def.pb.h"

namespace nadi {

using ChakraProtoMsg::Node;
namespace {

using google::protobuf::io::CodedOutputStream;

enum WireType : unsigned { kVarint = 0, kLengthDelimited = 2 };

void append_tag(unsigned field, WireType type, std::string& out) {
  append_varint(field << 3U | type, out);
}

/// Puts a varint at `to`; returns its end.
char* put_varint(std::uint64_t value, char* to) {
  auto* bytes = reinterpret_cast<std::uint8_t*>(to);
  return to + (CodedOutputStream::WriteVarint64ToArray(value, bytes) - bytes);
}

}  // namespace

void append_long_varint(std::uint64_t value, std::string& out) {
  char bytes[kMostVarintBytes];
  out.append(bytes, static_cast<std::size_t>(put_varint(value, bytes) - bytes));
}

std::size_t varint_size(std::uint64_t value) { return CodedOutputStream::VarintSize64(value); }

void append_framed(std::string_view message, std::string& out) {
  append_varint(message.size(), out);
  out += message;
}

void append_framed(const google::protobuf::MessageLite& message, std::string& out) {
  append_varint(message.ByteSizeLong(), out);
  message.AppendToString(&out);
}

void append_number(unsigned field, std::uint64_t value, std::string& out) {
  if (value == 0) return;
  append_tag(field, kVarint, out);
  append_varint(value, out);
}

void append_text_head(unsigned field, std::size_t size, std::string& out) {
  append_tag(field, kLengthDelimited, out);
  append_varint(size, out);
}

void append_text(unsigned field, std::string_view text, std::string& out) {
  if (text.empty()) return;
  append_text_head(field, text.size(), out);
  out += text;
}

std::size_t text_size(std::string_view text) {
  return text.empty() ? 0 : 1 + varint_size(text.size()) + text.size();
}

void append_packed(unsigned field, const std::vector<std::uint64_t>& values, std::string& out) {
  if (values.empty()) return;
  std::size_t size = 0;
  for (const std::uint64_t value : values) size += varint_size(value);
  append_text_head(field, size, out);
  for (const std::uint64_t value : values) append_varint(value, out);
}

namespace {

/// All of an entry but its value, ready to be copied.
struct AttributeHead {
  std::array<char, kMostNumberBytes - kMostVarintBytes> bytes{};  // up to the value member's tag
  std::size_t size = 0;
};

AttributeHead head_of(const NumberAttributeRow& row) {
  std::string bytes;
  append_tag(Node::kAttrFieldNumber, kLengthDelimited, bytes);
  bytes.push_back(0);  // length, put in with the value
  append_text(1, row.name, bytes);
  append_tag(static_cast<unsigned>(row.member), kVarint, bytes);
  AttributeHead head;
  assert(bytes.size() <= head.bytes.size());
  head.size = bytes.size();
  std::memcpy(head.bytes.data(), bytes.data(), bytes.size());
  return head;
}

const AttributeHead& head_of(WireNumber attribute) {
  static const auto heads = [] {
    std::array<AttributeHead, kWireNumberCount> all;
    for (const NumberAttributeRow& row : kNumberAttributes)
      all[static_cast<std::size_t>(row.number)] = head_of(row);
    return all;
  }();
  return heads[static_cast<std::size_t>(attribute)];
}

}  // namespace

char* put_attribute(WireNumber attribute, std::uint64_t value, char* to) {
  const AttributeHead& head = head_of(attribute);
  std::memcpy(to, head.bytes.data(), sizeof head.bytes);  // a size that is known is fast
  char* end = put_varint(value, to + head.size);
  to[1] = static_cast<char>(end - to - 2);
  return end;
}

void append_attribute(std::string_view name, std::string_view value, std::string& out) {
  // Each text has a tag of one byte, or two for string_val, and its length.
  const std::size_t size = text_size(name) + 2 + varint_size(value.size()) + value.size();
  append_text_head(Node::kAttrFieldNumber, size, out);
  append_text(1, name, out);
  append_text_head(static_cast<unsigned>(ValueField::kString), value.size(), out);
  out += value;
}

}  // namespace nadi
