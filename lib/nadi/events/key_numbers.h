// Finds the number of a key of `args`; keys are added while reading.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nadi {

class KeyNumbers {
 public:
  static constexpr std::uint16_t kNone = 0xffff;

  KeyNumbers() : slots_(kFirstSlots, kNone) {}

  std::uint16_t find(std::string_view key) const { return slots_[slot_of(key)]; }

  /// The number of a key, a new one if it has none. At most kNone keys.
  std::uint16_t add(std::string_view key) {
    const std::size_t slot = slot_of(key);
    if (slots_[slot] != kNone) return slots_[slot];
    keys_.emplace_back(key);
    slots_[slot] = static_cast<std::uint16_t>(keys_.size() - 1);
    if (keys_.size() * 4 > slots_.size()) grow();
    return static_cast<std::uint16_t>(keys_.size() - 1);
  }

  std::size_t size() const { return keys_.size(); }

 private:
  static constexpr std::size_t kFirstSlots = 512;

  // Length, first, middle and last byte tell most keys apart (as read/key_table.h).
  std::size_t slot_of(std::string_view key) const {
    const auto byte = [&](std::size_t i) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(key[i]));
    };
    std::uint32_t ends = static_cast<std::uint32_t>(key.size()) << 24;
    if (!key.empty()) ends ^= byte(0) | byte(key.size() - 1) << 8 | byte(key.size() / 2) << 16;
    std::size_t slot = static_cast<std::size_t>((ends * 0x9e3779b1U) >> 12) & (slots_.size() - 1);
    while (slots_[slot] != kNone && keys_[slots_[slot]] != key)
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  void grow() {
    slots_.assign(slots_.size() * 2, kNone);
    for (std::size_t i = 0; i < keys_.size(); ++i)
      slots_[slot_of(keys_[i])] = static_cast<std::uint16_t>(i);
  }

  std::vector<std::uint16_t> slots_;  // size is a power of two
  std::vector<std::string> keys_;
};

}  // namespace nadi
