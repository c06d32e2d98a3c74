// One event of a device trace as raw JSON tokens: the base columns, and those of the keys wanted.
#pragma once

#include <string_view>
#include <vector>

#include "nadi/events/key_numbers.h"
#include "nadi/read/field_walk.h"

namespace nadi {

struct EventTokens {
  struct Argument {
    std::uint16_t key;  ///< KeyNumbers::kNone: `name` is a key that has no number yet
    std::string_view name, token;
  };

  // Strings with their quotes; empty = absent or null.
  std::string_view name, category, pid, tid, time, duration;
  std::vector<Argument> arguments;  ///< in file order, none null

  /// Parses `event` (Window::kPadding readable bytes behind it); false = broken JSON. The tokens
  /// point into it. Keys without a number are passed over unless `all` are wanted.
  bool parse(JsonParser& parser, std::string_view event, const KeyNumbers& keys, bool all);
};

}  // namespace nadi
