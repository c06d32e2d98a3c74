// Bytes of protocol buffers, written by field number.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace nadi::vm {

class WireMessage {
 public:
  void number(int field, std::uint64_t value) {
    tag(field, 0);
    varint(value);
  }
  void real(int field, double value) {
    tag(field, 1);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>((bits >> (8 * byte)) & 0xff);
  }
  void text(int field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    bytes_ += value;
  }
  void message(int field, const WireMessage& value) { text(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  void tag(int field, unsigned type) { varint((static_cast<std::uint64_t>(field) << 3) | type); }
  void varint(std::uint64_t value) {
    for (; value > 0x7f; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace nadi::vm
