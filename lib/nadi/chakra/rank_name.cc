#include "nadi/chakra/rank_name.h"

#include <string>

#include "nadi/base/compression.h"
#include "nadi/base/number_text.h"

namespace nadi {

std::optional<RankName> parse_rank_name(std::string_view name) {
  constexpr std::string_view kEnding = ".et";
  if (!name.ends_with(kEnding)) return std::nullopt;
  name.remove_suffix(kEnding.size());
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view digits = name.substr(dot + 1);
  const auto rank = number_of_text<std::int64_t>(digits);
  const bool is_plain = rank && *rank >= 0 && std::to_string(*rank) == digits;
  if (!is_plain) return std::nullopt;
  return RankName{name.substr(0, dot), *rank};
}

std::optional<RankName> rank_name_of_graph(std::string_view name) {
  return parse_rank_name(without_compression(name));
}

}  // namespace nadi
