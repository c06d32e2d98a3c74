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

/// Parses a file's name or path; nothing where it has another form, such as a rank with padding.
std::optional<RankName> parse_rank_name(std::string_view name);

/// The same of a graph that may be packed, which simulators do not read: PREFIX.<rank>.et.gz.
std::optional<RankName> rank_name_of_graph(std::string_view name);

}  // namespace nadi
