#include "nadi/link/match_close.h"

#include <algorithm>
#include <cstdlib>

namespace nadi {
namespace {

/// (1,400 + 1)^2 places of 4 bytes are 8 MB.
constexpr std::uint32_t kMostBandDifferences = 1400;

/// How far an alignment with d differences gets on each diagonal (profiler place - host place): E.
/// Ukkonen, "Algorithms for Approximate String Matching", Information and Control 1985.
class CloseAlignment {
 public:
  CloseAlignment(Names host, Names profiler, AlignBudget& budget)
      : host_(host), profiler_(profiler), budget_(budget) {}

  std::optional<std::vector<NamePair>> run(std::uint32_t most) {
    const std::int32_t corner = size(profiler_) - size(host_);
    const auto last = static_cast<std::int32_t>(std::min(most, kMostBandDifferences));
    if (std::abs(corner) > last) return std::nullopt;
    for (std::int32_t d = 0; d <= last; ++d)
      for (std::int32_t diagonal = -d; diagonal <= d; ++diagonal) {
        reached_.push_back(follow(step_to(d, diagonal).host, diagonal));
        if (budget_.steps == 0) return std::nullopt;
        if (diagonal == corner && reached_.back() == size(host_)) return trace_back(d, corner);
      }
    return std::nullopt;
  }

 private:
  /// Where d differences lead to on a diagonal, before equal names are followed, and the diagonal
  /// left by the last of them; host -1 = nowhere.
  struct Step {
    std::int32_t host, from;
  };
  Step step_to(std::int32_t d, std::int32_t diagonal) const {
    if (d == 0) return {0, 0};
    Step best{-1, 0};
    const auto consider = [&](std::int32_t from, std::int32_t hosts) {
      const std::int32_t before = reached(d - 1, from);
      const std::int32_t to = before < 0 ? -1 : before + hosts;
      if (to > best.host && to <= size(host_) && to + diagonal <= size(profiler_))
        best = {to, from};
    };
    consider(diagonal, 1);      // replaced
    consider(diagonal + 1, 1);  // the host's only
    consider(diagonal - 1, 0);  // the profiler's only
    return best;
  }
  std::int32_t reached(std::int32_t d, std::int32_t diagonal) const {
    if (diagonal < -d || diagonal > d) return -1;
    return reached_[static_cast<std::size_t>(d * d + d + diagonal)];
  }
  std::int32_t follow(std::int32_t host, std::int32_t diagonal) {
    if (host < 0) return host;
    while (host < size(host_) && host + diagonal < size(profiler_) &&
           host_[at(host)] == profiler_[at(host + diagonal)] && budget_.steps > 0)
      ++host, --budget_.steps;
    if (budget_.steps > 0) --budget_.steps;
    return host;
  }
  std::vector<NamePair> trace_back(std::int32_t d, std::int32_t diagonal) const {
    std::vector<NamePair> pairs;
    for (; d >= 0; --d) {
      const Step step = step_to(d, diagonal);
      for (std::int32_t host = reached(d, diagonal); host-- > step.host;)
        pairs.push_back(
            {static_cast<std::uint32_t>(host), static_cast<std::uint32_t>(host + diagonal)});
      diagonal = step.from;
    }
    std::reverse(pairs.begin(), pairs.end());
    return pairs;
  }

  static std::int32_t size(Names names) { return static_cast<std::int32_t>(names.size()); }
  static std::size_t at(std::int32_t place) { return static_cast<std::size_t>(place); }

  Names host_, profiler_;
  AlignBudget& budget_;
  std::vector<std::int32_t> reached_;  ///< host places: of d differences 2 d + 1 entries
};

}  // namespace

std::optional<std::vector<NamePair>> align_closely(Names host, Names profiler, std::uint32_t most,
                                                   AlignBudget& budget) {
  return CloseAlignment(host, profiler, budget).run(most);
}

}  // namespace nadi
