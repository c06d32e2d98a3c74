#include "nadi/chakra/rank_name.h"

#include <charconv>
#include <string>

#include "nadi/base/compression.h"

namespace nadi {

std::optional<RankName> parse_rank_name(std::string_view name) {
  constexpr std::string_view kEnding = ".et";
  if (!name.ends_with(kEnding)) return std::nullopt;
  name.remove_suffix(kEnding.size());
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view digits = name.substr(dot + 1);
  std::int64_t rank = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  const bool is_plain = error == std::errc{} && rank >= 0 && std::to_string(rank) == digits;
  if (!is_plain) return std::nullopt;
  return RankName{name.substr(0, dot), rank};
}

std::optional<RankName> rank_name_of_graph(std::string_view name) {
  return parse_rank_name(without_compression(name));
}

}  // namespace nadi
