// Protobuf's wire format for the few shapes a Chakra node is made of, appended to a byte string.
// Written by hand: filling and writing the generated classes took two to three times as long as all
// that the writer does. Tests compare the bytes of both.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/chakra/number_attributes.h"

namespace google::protobuf {
class MessageLite;
}

namespace nadi {

/// Version of the messages, as MLCommons counts.
inline constexpr const char* kSchemaVersion = "0.0.4";

/// The most bytes that a base-128 varint takes.
inline constexpr std::size_t kMostVarintBytes = 10;
/// Base-128 varint of two bytes and more.
void append_long_varint(std::uint64_t value, std::string& out);
/// Base-128 varint.
inline void append_varint(std::uint64_t value, std::string& out) {
  if (value < 0x80) return out.push_back(static_cast<char>(value));
  append_long_varint(value, out);
}
/// Bytes append_varint takes.
std::size_t varint_size(std::uint64_t value);
/// A message as files hold it: its length, a varint, and its bytes.
void append_framed(std::string_view message, std::string& out);
void append_framed(const google::protobuf::MessageLite& message, std::string& out);
/// A varint field; nothing for 0, as proto3 has it.
void append_number(unsigned field, std::uint64_t value, std::string& out);
/// A string, bytes or message field; nothing for an empty one.
void append_text(unsigned field, std::string_view text, std::string& out);
/// Appends tag and length of such a field, whose `size` bytes are to follow.
void append_text_head(unsigned field, std::size_t size, std::string& out);
/// Returns how many bytes append_text appends, for a field of a number up to 15.
std::size_t text_size(std::string_view text);
/// A packed repeated varint field; nothing if empty.
void append_packed(unsigned field, const std::vector<std::uint64_t>& values, std::string& out);

/// The most bytes that an entry of Node's `attr` with a number or bool takes.
inline constexpr std::size_t kMostNumberBytes = 48 + kMostVarintBytes;
/// Puts such an entry at `to`, in the member that the table of attributes says; returns its end.
/// Negative numbers are written sign-extended to 64 bits. `to` has room for kMostNumberBytes.
char* put_attribute(WireNumber attribute, std::uint64_t value, char* to);
/// An entry with a string_val.
void append_attribute(std::string_view name, std::string_view value, std::string& out);

}  // namespace nadi
