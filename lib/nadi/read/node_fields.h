// One node of a host trace as raw JSON tokens: flat form and Chakra form end in the same places.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "nadi/read/field_walk.h"

namespace nadi {

enum class NodeField : std::uint8_t {
  kName,
  kId,
  kParent,
  kRfId,
  kForwardParent,
  kSeqId,
  kScope,
  kTid,
  kForwardTid,
  kOpSchema,
  kKernelBackend,
  kKernelFile,
  kInputValues,
  kInputShapes,
  kInputTypes,
  kInputStrides,
  kOutputValues,
  kOutputShapes,
  kOutputTypes,
  kOutputStrides,
  kCollective,
  kDtype,
  kInNelems,
  kOutNelems,
  kInSplit,
  kOutSplit,
  kRankStart,
  kRankStride,
  kGroupName,
  kGroupDescription,
  kGroupSize,
  kCount,
};

class NodeFields {
 public:
  /// Gives the slot of a key, from NodeField::kCount on and below kSlots; kNoSlot = it is none.
  using FindKey = std::uint8_t (*)(std::string_view key);
  static constexpr std::size_t kSlots = 64;

  /// `find_more`: of keys beside those of a host trace; tokens are asked for by their slots.
  explicit NodeFields(FindKey find_more = nullptr) : find_more_(find_more) {}

  /// Parses `node` (Window::kPadding readable bytes behind it); false = broken JSON. The tokens
  /// point into it.
  bool parse(JsonParser& parser, std::string_view node);

  template <class Field>
  bool has(Field field) const {
    return (present_ >> static_cast<unsigned>(field) & 1) != 0;
  }
  /// The raw token, strings with their quotes; empty = absent or null.
  template <class Field>
  std::string_view token(Field field) const {
    return has(field) ? tokens_[static_cast<std::size_t>(field)] : std::string_view{};
  }

  /// The token as a natural number; 0 = it is none.
  template <class Field>
  std::uint64_t natural(Field field) const {
    return unsigned_of(token(field)).value_or(0);
  }

 private:
  bool keep(std::uint8_t slot, std::string_view token, JsonValue& value);
  bool parse_tensors(JsonValue& value, NodeField first);
  bool parse_attributes(JsonValue& value);

  FindKey find_more_;
  std::uint64_t present_ = 0;  // one bit per slot
  std::array<std::string_view, kSlots> tokens_;
};

}  // namespace nadi
