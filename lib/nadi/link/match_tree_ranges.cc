#include "nadi/link/match_tree_ranges.h"

#include <algorithm>
#include <optional>
#include <set>

namespace nadi {

std::vector<std::uint32_t> names_at(const CallTree& tree, std::span<const std::uint32_t> places) {
  std::vector<std::uint32_t> names;
  for (std::uint32_t place : places) names.push_back(tree.name[place]);
  return names;
}

namespace {

/// An op by its name and autograd's sequence number.
using Numbered = std::pair<std::uint32_t, std::int64_t>;

/// The outermost profiler ops from the first to the last that have or enclose an op the host trace
/// has too, by name and sequence number; nothing where these are too far apart to be one iteration.
std::optional<PlaceRange> recorded_range(const CallTree& host, const CallTree& profiler) {
  std::set<Numbered> on_host;
  for (std::uint32_t place = 0; place < host.size(); ++place)
    if (host.seq_id[place] >= 0) on_host.emplace(host.name[place], host.seq_id[place]);
  if (on_host.empty()) return std::nullopt;
  const auto outermost = profiler.children_of(profiler.size());
  std::uint32_t first = kNoIndex, last = 0;
  std::uint32_t inside = 0;  // of the outermost ops
  for (std::uint32_t place = 0; place < profiler.size(); ++place) {
    while (inside + 1 < outermost.size() && outermost[inside + 1] <= place) ++inside;
    if (!on_host.contains({profiler.name[place], profiler.seq_id[place]})) continue;
    first = std::min(first, inside);
    last = inside;
  }
  const auto few = 2 * host.children_of(host.size()).size() + 2;
  if (first == kNoIndex || last - first >= few) return std::nullopt;
  return PlaceRange{first, last + 1};
}

/// Puts the range in place of those that overlap it, unless one of them holds it.
void put_first(std::optional<PlaceRange> range, std::vector<PlaceRange>& ranges) {
  if (!range) return;
  const auto overlaps = [&](const PlaceRange& r) {
    return r.first < range->second && range->first < r.second;
  };
  for (const PlaceRange& r : ranges)
    if (r.first <= range->first && range->second <= r.second) return;
  std::erase_if(ranges, overlaps);
  ranges.push_back(*range);
}

}  // namespace

std::vector<PlaceRange> iteration_ranges(const CallTree& host, const CallTree& profiler,
                                         AlignBudget& budget) {
  const auto of_host = host.children_of(host.size());
  const auto of_profiler = profiler.children_of(profiler.size());
  const std::vector<PlaceRange> all = {{0, static_cast<std::uint32_t>(of_profiler.size())}};
  if (2 * of_profiler.size() < 3 * of_host.size()) return all;
  const auto on_host = names_at(host, of_host), on_profiler = names_at(profiler, of_profiler);
  auto likely = likely_ranges(on_host, on_profiler, budget);
  if (likely.empty()) likely = voted_ranges(on_host, on_profiler);
  put_first(recorded_range(host, profiler), likely);
  std::sort(likely.begin(), likely.end());
  const bool are_few = 2 * of_profiler.size() < 3 * of_host.size() + 6;
  return likely.empty() && are_few ? all : likely;
}

}  // namespace nadi
