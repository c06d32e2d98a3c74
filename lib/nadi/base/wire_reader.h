// Walks the fields of a protobuf message's bytes without building it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace nadi {

/// The tag, which is number and wire type, of a field that holds a varint, and of one that holds a
/// string, bytes, a message or packed numbers. To protobuf a field of another type than its message
/// declares is an unknown one.
constexpr std::uint64_t number_tag(std::uint64_t field) { return field << 3; }
constexpr std::uint64_t bytes_tag(std::uint64_t field) { return field << 3 | 2; }

/// take_varint() of a number that may have more than one byte.
inline bool take_long_varint(std::string_view& bytes, std::uint64_t& number) {
  constexpr std::size_t kMostBytes = 10;
  number = 0;
  for (std::size_t at = 0; at < bytes.size() && at < kMostBytes; ++at) {
    const auto byte = static_cast<unsigned char>(bytes[at]);
    number |= std::uint64_t{byte & 0x7fU} << (7 * at);
    if (byte < 0x80) {
      bytes.remove_prefix(at + 1);
      return true;
    }
  }
  return false;
}

/// Takes a base-128 varint off the front of `bytes`; false = it is not whole there, or is none.
inline bool take_varint(std::string_view& bytes, std::uint64_t& number) {
  if (bytes.empty() || static_cast<unsigned char>(bytes.front()) >= 0x80)
    return take_long_varint(bytes, number);
  number = static_cast<unsigned char>(bytes.front());
  bytes.remove_prefix(1);
  return true;
}

/// One field after the other; unknown wire types and cut fields end the walk with is_broken().
/// Groups, which no message of ours has, are passed over, as protobuf does.
/// Wire format: protobuf.dev, "Encoding". Several times faster than filling the generated classes,
/// whose attributes are an allocation each.
class WireReader {
 public:
  enum class Type : std::uint8_t {
    kVarint = 0,
    kFixed64 = 1,
    kBytes = 2,
    kGroupBegin = 3,
    kGroupEnd = 4,
    kFixed32 = 5
  };

  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  /// Moves to the next field; false at the end and where the bytes are no message.
  bool next() {
    while (!rest_.empty()) {
      if (!take_tag()) return false;
      if (type() != Type::kGroupBegin) return take_value();
      if (!skip_group()) return false;
    }
    return false;
  }

  /// Returns the tag of the field, also where next() has found that its content is cut.
  std::uint64_t tag() const { return tag_; }
  std::uint64_t field() const { return tag_ >> 3; }
  Type type() const { return static_cast<Type>(tag_ & 7); }
  /// Returns the bits of a varint or fixed field.
  std::uint64_t number() const { return number_; }
  /// Returns the content of a string, bytes, message or packed field.
  std::string_view bytes() const { return bytes_; }
  bool is_broken() const { return is_broken_; }

  /// Calls take(number) for each value of the repeated varint field the reader is at, packed or
  /// not.
  template <class Take>
  void each_number(Take take) {
    if (type() == Type::kVarint) return take(number_);
    if (type() != Type::kBytes) return;
    std::string_view values = bytes_;
    for (std::uint64_t value = 0; !values.empty(); take(value)) {
      if (!take_varint(values, value)) {
        is_broken_ = true;
        return;
      }
    }
  }

 private:
  bool fail() {
    is_broken_ = true;
    return false;
  }
  bool take_tag() { return (take_varint(rest_, tag_) && tag_ >> 3 != 0) || fail(); }
  bool take_value() {
    switch (type()) {
      case Type::kVarint:
        return take_varint(rest_, number_) || fail();
      case Type::kFixed64:
        return take_fixed(8);
      case Type::kFixed32:
        return take_fixed(4);
      case Type::kBytes: {
        std::uint64_t size = 0;
        if (!take_varint(rest_, size) || size > rest_.size()) return fail();
        bytes_ = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return true;
      }
      default:
        return fail();
    }
  }
  /// From behind the begin of a group to behind its end; of so many inside each other, at most, as
  /// protobuf reads.
  bool skip_group() {
    std::array<std::uint64_t, 100> open;
    std::size_t depth = 0;
    open[depth++] = field();
    while (depth > 0) {
      if (rest_.empty() || !take_tag()) return fail();
      if (type() == Type::kGroupBegin) {
        if (depth == open.size()) return fail();
        open[depth++] = field();
      } else if (type() == Type::kGroupEnd) {
        if (open[--depth] != field()) return fail();
      } else if (!take_value()) {
        return false;
      }
    }
    return true;
  }
  bool take_fixed(std::size_t size) {
    if (rest_.size() < size) return fail();
    number_ = 0;
    for (std::size_t i = 0; i < size; ++i)
      number_ |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest_, bytes_;
  std::uint64_t tag_ = 0, number_ = 0;
  bool is_broken_ = false;
};

}  // namespace nadi
