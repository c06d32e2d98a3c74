// PREFIX.<rank>.et, as simulators name the graphs of a job.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace nadi {

struct RankName {
  std::string_view prefix;  ///< into the name given
  std::int64_t rank = 0;    ///< 0 or more
};

/// Nothing where a file's name or path is another; ranks with padding are another.
std::optional<RankName> parse_rank_name(std::string_view name);

}  // namespace nadi
