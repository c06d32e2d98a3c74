// Chooses the iterations whose rows a table keeps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/events/event_table.h"
#include "nadi/events/number_ranges.h"

namespace nadi {

struct IterationChoice {
  enum class Kind : std::uint8_t { kAll, kFirst, kListed } kind = Kind::kAll;
  std::vector<NumberRange> ranges;  ///< kListed only
};

/// "all", "first", or numbers and ranges: "3,5-7". Throws Error(kUsage).
IterationChoice parse_iterations(std::string_view text);

/// Drops the other rows. Throws Error(kUsage) that lists the table's iterations where a part of the
/// choice names none of them; `where` is for the message.
void keep_iterations(EventTable& table, const IterationChoice& choice, const std::string& where);

}  // namespace nadi
