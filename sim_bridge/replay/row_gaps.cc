#include "nadi/sim_bridge/replay/row_gaps.h"

#include <algorithm>
#include <map>
#include <utility>

namespace nadi {
namespace {

/// Streams of recorded traces take 1 to 3 us, old devices up to 5.
constexpr Ns kLongestGap = 5'000;
/// A launch reaches its stream so long after it was called, at the latest.
constexpr Ns kLaunchTakes = 10'000;
/// The usual gap must be shown by so many rows, and by one in so many: behind rows that were lost a
/// few look as if they showed one.
constexpr std::size_t kLeastShown = 5, kMostForOneShown = 50;

class RowGaps {
 public:
  explicit RowGaps(const Graph& graph) : graph_(graph), gaps_(graph.size(), 0) {
    for (std::uint32_t row = 0; row < graph.size(); ++row) look_at(row);
    std::map<Kind, std::size_t> hidden;
    for (const auto& [row, kind] : hidden_) ++hidden[kind];
    for (auto& [kind, shown] : shown_)
      if (shown.size() >= std::max(kLeastShown, hidden[kind] / kMostForOneShown))
        usual_[kind] = median(shown);
    for (const auto& [row, kind] : hidden_) gaps_[row] = std::min(gaps_[row], usual_[kind]);
  }

  std::vector<std::uint16_t> take() { return std::move(gaps_); }

 private:
  /// Gaps that are alike: of a device, inside or outside of launches of its graphs.
  using Kind = std::pair<std::int64_t, bool>;

  /// The latest ends of what a row waited for.
  struct Waits {
    Ns before = kNoTime;  ///< rows of its stream
    Ns other = kNoTime;
    bool is_in_launch = false;  ///< the row before it is of the same launch
    bool is_launched = false;   ///< by a call that is there

    void add(const RowGaps& gaps, std::uint32_t row, std::uint32_t source) {
      const Graph& graph = gaps.graph_;
      if (graph.kind[source] == NodeKind::kDelay) return;
      is_launched = is_launched || !graph.is_device(source);
      const bool is_before = gaps.is_row(source) && graph.lane[source] == graph.lane[row];
      Ns& end = is_before ? before : other;
      const Ns ready = graph.end_ns(source) + (graph.is_device(source) ? 0 : kLaunchTakes);
      if (ready <= end) return;
      end = ready;
      if (is_before)
        is_in_launch =
            graph.correlation[row] >= 0 && graph.correlation[source] == graph.correlation[row];
    }
  };

  bool is_row(std::uint32_t row) const { return graph_.kind[row] == NodeKind::kDeviceRow; }

  void look_at(std::uint32_t row) {
    if (!is_row(row)) return;
    Waits waits;
    for (const std::uint32_t source : graph_.dependencies(row)) {
      waits.add(*this, row, source);
      // A delay stands for what it waits for.
      if (graph_.kind[source] != NodeKind::kDelay) continue;
      for (const std::uint32_t before : graph_.dependencies(source)) waits.add(*this, row, before);
    }
    if (waits.before == kNoTime) return;
    const Ns idle = std::max<Ns>(graph_.start_ns[row] - waits.before, 0);
    const bool is_known = waits.is_launched || waits.is_in_launch;
    const bool is_shown = is_known && waits.other <= waits.before && idle <= kLongestGap;
    gaps_[row] = static_cast<std::uint16_t>(std::min(idle, kLongestGap));
    const Kind kind{graph_.lanes[graph_.lane[row]].device, waits.is_in_launch};
    if (is_shown)
      shown_[kind].push_back(gaps_[row]);
    else
      hidden_.emplace_back(row, kind);
  }

  static std::uint16_t median(std::vector<std::uint16_t>& of) {
    const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
    std::nth_element(of.begin(), middle, of.end());
    return *middle;
  }

  const Graph& graph_;
  std::vector<std::uint16_t> gaps_;
  std::map<Kind, std::vector<std::uint16_t>> shown_;
  std::map<Kind, std::uint16_t> usual_;
  std::vector<std::pair<std::uint32_t, Kind>> hidden_;  // that may have waited for something else
};

}  // namespace

std::vector<std::uint16_t> row_gaps(const Graph& graph) {
  return graph.tells_starts ? RowGaps(graph).take() : std::vector<std::uint16_t>();
}

}  // namespace nadi
