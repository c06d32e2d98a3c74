// A table of JSON keys that is searched by one hash and one compare, built by the compiler.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace nadi {

struct Key {
  std::string_view name;
  std::uint8_t slot;
};

inline constexpr std::uint8_t kNoSlot = 0xff;

/// Length, first, middle and last byte of a key that is not empty: they tell most keys apart, once
/// a multiplier has spread them.
constexpr std::uint32_t key_marks(std::string_view key) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(key[i]));
  };
  const std::uint32_t ends = byte(0) | byte(key.size() - 1) << 8 | byte(key.size() / 2) << 16;
  return ends ^ static_cast<std::uint32_t>(key.size()) << 24;
}
/// As ==, but for hot loops: compilers leave that a call where much is inlined around it.
constexpr bool is_key(std::string_view key, std::string_view name) {
  return key.size() == name.size() &&
         std::char_traits<char>::compare(key.data(), name.data(), name.size()) == 0;
}

/// Keys without collisions for some multiplier, which the compiler finds; find() gives the slot or
/// kNoSlot.
template <std::size_t count>
class KeyTable {
 public:
  constexpr explicit KeyTable(const std::array<Key, count>& keys) : keys_(keys) {
    for (multiplier_ = 0x9e3779b1U; !fill(); multiplier_ = multiplier_ * 0x01000193U + 2) {
    }
  }

  constexpr std::uint8_t find(std::string_view key) const {
    if (key.empty()) return kNoSlot;
    const std::uint8_t index = places_[place_of(key)];
    return index < count && is_key(key, keys_[index].name) ? keys_[index].slot : kNoSlot;
  }

 private:
  static constexpr std::size_t kPlaces = 512;
  static_assert(count < 128, "a byte names a key, and places_ must stay sparse");

  constexpr std::size_t place_of(std::string_view key) const {
    return (key_marks(key) * multiplier_) >> 23;
  }

  constexpr bool fill() {
    places_.fill(kNoSlot);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint8_t& index = places_[place_of(keys_[i].name)];
      if (index != kNoSlot) return false;
      index = static_cast<std::uint8_t>(i);
    }
    return true;
  }

  std::array<Key, count> keys_;
  std::array<std::uint8_t, kPlaces> places_{};
  std::uint32_t multiplier_ = 0;
};

template <std::size_t count>
KeyTable(const std::array<Key, count>&) -> KeyTable<count>;

}  // namespace nadi
