#include "nadi/events/iteration_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "nadi/base/error.h"

namespace nadi {
namespace {

constexpr std::size_t kMostListed = 20;

std::string listed(const std::vector<std::int32_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i == kMostListed)
      return text + fmt::format(", … {} ({} in all)", numbers.back(), numbers.size());
    text += fmt::format("{}{}", i > 0 ? ", " : "", numbers[i]);
  }
  return text;
}

/// Throws where a part of the choice names no iteration there is.
void require_iterations(const IterationChoice& choice, const std::vector<std::int32_t>& there,
                        const std::string& where) {
  if (there.empty())
    throw Error(ErrorCode::kUsage, where, "holds no iterations (ProfilerStep#N)",
                "Choose all, or record with torch.profiler's step()");
  for (const NumberRange& range : choice.ranges) {
    const auto found = std::lower_bound(there.begin(), there.end(), range.first);
    if (found == there.end() || *found > range.last)
      throw Error(ErrorCode::kUsage, where, "holds no iteration " + range.text(),
                  "There are " + listed(there));
  }
}

}  // namespace

IterationChoice parse_iterations(std::string_view text) {
  using Kind = IterationChoice::Kind;
  if (text == "all") return {};
  if (text == "first") return {Kind::kFirst, {}};
  auto ranges = parse_number_ranges(text);
  if (!ranges)
    throw Error(ErrorCode::kUsage, "iterations '" + std::string(text) + "'", "are none",
                "Write all, first, or numbers and ranges: 3,5-7");
  return {Kind::kListed, std::move(*ranges)};
}

void keep_iterations(EventTable& table, const IterationChoice& choice, const std::string& where) {
  if (choice.kind == IterationChoice::Kind::kAll) return;
  require_iterations(choice, table.iterations, where);
  auto ranges = choice.ranges;
  if (choice.kind == IterationChoice::Kind::kFirst)
    ranges.push_back({table.iterations.front(), table.iterations.front()});
  table.keep_rows([&](EventRowIndex row) { return holds(ranges, table.iteration[row]); });
}

}  // namespace nadi
