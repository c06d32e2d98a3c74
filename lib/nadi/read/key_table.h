// A table of JSON keys that is searched by one hash and one compare, built by the compiler.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace nadi {

struct Key {
  std::string_view name;
  std::uint8_t slot;
};

inline constexpr std::uint8_t kNoSlot = 0xff;

/// Keys without collisions for the given multipliers; find() gives the slot or kNoSlot.
template <std::size_t count>
class KeyTable {
 public:
  static constexpr std::size_t kPlaces = 1024;

  constexpr explicit KeyTable(const std::array<Key, count>& keys) {
    for (multiplier_ = 1; !fill(keys); multiplier_ += 2) {
    }
  }

  constexpr std::uint8_t find(std::string_view key) const {
    if (key.empty()) return kNoSlot;
    const Key& place = places_[place_of(key)];
    return place.name == key ? place.slot : kNoSlot;
  }

 private:
  // Length, first, last and middle byte tell all keys apart; the multiplier spreads them.
  constexpr std::size_t place_of(std::string_view key) const {
    const auto byte = [&](std::size_t i) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(key[i]));
    };
    std::uint32_t hash = byte(0) | byte(key.size() - 1) << 8 | byte(key.size() / 2) << 16;
    hash = (hash ^ static_cast<std::uint32_t>(key.size()) * 0x01000193U) * 0x9e3779b1U;
    return (hash * multiplier_) >> 22;
  }

  constexpr bool fill(const std::array<Key, count>& keys) {
    places_ = {};
    for (const Key& key : keys) {
      Key& place = places_[place_of(key.name)];
      if (!place.name.empty()) return false;
      place = key;
    }
    return true;
  }

  std::array<Key, kPlaces> places_{};
  std::uint32_t multiplier_ = 1;
};

template <std::size_t count>
KeyTable(const std::array<Key, count>&) -> KeyTable<count>;

}  // namespace nadi
