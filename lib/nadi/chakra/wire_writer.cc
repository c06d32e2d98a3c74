#include "nadi/chakra/wire_writer.h"

#include <google/protobuf/io/coded_stream.h>

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

void append_varint(std::uint64_t value, std::string& out) {
  if (value < 0x80) {
    out.push_back(static_cast<char>(value));
    return;
  }
  std::uint8_t bytes[10];
  const std::uint8_t* end = CodedOutputStream::WriteVarint64ToArray(value, bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(end - bytes));
}

std::size_t varint_size(std::uint64_t value) { return CodedOutputStream::VarintSize64(value); }

void append_number(unsigned field, std::uint64_t value, std::string& out) {
  if (value == 0) return;
  append_tag(field, kVarint, out);
  append_varint(value, out);
}

void append_text(unsigned field, std::string_view text, std::string& out) {
  if (text.empty()) return;
  append_tag(field, kLengthDelimited, out);
  append_varint(text.size(), out);
  out += text;
}

void append_packed(unsigned field, const std::vector<std::uint64_t>& values, std::string& out) {
  if (values.empty()) return;
  std::size_t size = 0;
  for (const std::uint64_t value : values) size += varint_size(value);
  append_tag(field, kLengthDelimited, out);
  append_varint(size, out);
  for (const std::uint64_t value : values) append_varint(value, out);
}

NumberAttribute::NumberAttribute(WireNumber number) {
  const NumberAttributeRow& row = row_of(number);
  std::string head;
  append_tag(static_cast<unsigned>(ChakraField::kAttr), kLengthDelimited, head);
  head.push_back(0);  // length, put in with the value
  append_text(1, row.name, head);
  append_tag(static_cast<unsigned>(row.member), kVarint, head);
  assert(head.size() <= head_.size());
  size_ = head.size();
  std::memcpy(head_.data(), head.data(), size_);
}

void NumberAttribute::append(std::uint64_t value, std::string& out) const {
  std::uint8_t bytes[sizeof head_ + 10];
  std::memcpy(bytes, head_.data(), sizeof head_);
  const std::uint8_t* end = CodedOutputStream::WriteVarint64ToArray(value, bytes + size_);
  bytes[1] = static_cast<std::uint8_t>(end - bytes - 2);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(end - bytes));
}

TextAttribute::TextAttribute(std::string_view name) {
  append_text(1, name, head_);
  append_tag(static_cast<unsigned>(ValueField::kString), kLengthDelimited, head_);
}

void TextAttribute::append(std::string_view value, std::string& out) const {
  append_tag(static_cast<unsigned>(ChakraField::kAttr), kLengthDelimited, out);
  append_varint(head_.size() + varint_size(value.size()) + value.size(), out);
  out += head_;
  append_varint(value.size(), out);
  out += value;
}

}  // namespace nadi
