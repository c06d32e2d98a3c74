#include "nadi/input/apple_double.h"

#include <algorithm>
#include <cstdint>

namespace nadi {
namespace {

constexpr std::string_view kMagic{"\x00\x05\x16\x07\x00\x02\x00\x00", 8};
constexpr std::size_t kCountAt = 24, kEntriesAt = 26, kEntryBytes = 12;

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

}  // namespace

std::size_t apple_double_bytes(std::string_view head) {
  if (!head.starts_with(kMagic) || head.size() < kEntriesAt) return 0;
  const std::uint64_t count = big_endian(head.substr(kCountAt, 2));
  std::uint64_t end = kEntriesAt + count * kEntryBytes;
  if (end > head.size()) return 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string_view entry = head.substr(kEntriesAt + i * kEntryBytes, kEntryBytes);
    end = std::max(end, big_endian(entry.substr(4, 4)) + big_endian(entry.substr(8, 4)));
  }
  return end;
}

}  // namespace nadi
