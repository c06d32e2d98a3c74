#include "nadi/chakra/wire_writer.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message_lite.h>

#include <array>
#include <cassert>
#include <cstring>

namespace nadi {
namespace {

using google::protobuf::io::CodedOutputStream;

enum WireType : unsigned { kVarint = 0, kLengthDelimited = 2 };

void append_tag(unsigned field, WireType type, std::string& out) {
  append_varint(field << 3U | type, out);
}

}  // namespace

void append_long_varint(std::uint64_t value, std::string& out) {
  std::uint8_t bytes[10];
  const std::uint8_t* end = CodedOutputStream::WriteVarint64ToArray(value, bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(end - bytes));
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

void append_text(unsigned field, std::string_view text, std::string& out) {
  if (text.empty()) return;
  append_tag(field, kLengthDelimited, out);
  append_framed(text, out);
}

void append_packed(unsigned field, const std::vector<std::uint64_t>& values, std::string& out) {
  if (values.empty()) return;
  std::size_t size = 0;
  for (const std::uint64_t value : values) size += varint_size(value);
  append_tag(field, kLengthDelimited, out);
  append_varint(size, out);
  for (const std::uint64_t value : values) append_varint(value, out);
}

namespace {

/// All of an entry but its value, ready to be copied.
struct AttributeHead {
  std::array<char, 48> bytes{};  // tag and length of attr, name, tag of the value member
  std::size_t size = 0;
};

AttributeHead head_of(const NumberAttributeRow& row) {
  std::string bytes;
  append_tag(static_cast<unsigned>(ChakraField::kAttr), kLengthDelimited, bytes);
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

void append_attribute(WireNumber attribute, std::uint64_t value, std::string& out) {
  const AttributeHead& head = head_of(attribute);
  std::uint8_t bytes[sizeof head.bytes + 10];
  std::memcpy(bytes, head.bytes.data(), sizeof head.bytes);
  const std::uint8_t* end = CodedOutputStream::WriteVarint64ToArray(value, bytes + head.size);
  bytes[1] = static_cast<std::uint8_t>(end - bytes - 2);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(end - bytes));
}

void append_attribute(std::string_view name, std::string_view value, std::string& out) {
  // Each text has a tag of one byte, or two for string_val, and its length.
  const std::size_t size =
      1 + varint_size(name.size()) + name.size() + 2 + varint_size(value.size()) + value.size();
  append_tag(static_cast<unsigned>(ChakraField::kAttr), kLengthDelimited, out);
  append_varint(size, out);
  append_text(1, name, out);
  append_tag(static_cast<unsigned>(ValueField::kString), kLengthDelimited, out);
  append_framed(value, out);
}

}  // namespace nadi
