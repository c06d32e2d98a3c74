#include "nadi/sim_bridge/replay/row_gaps.h"

#include <algorithm>
#include <map>
#include <utility>

#include "nadi/base/median.h"
#include "nadi/model/last_sources.h"

namespace nadi {
namespace {

/// Streams of recorded traces take 1 to 3 us, those of old devices up to 5.
constexpr Ns kLongestGap = 5'000;
/// A row may have waited for its launch where that was called later than so long before. What
/// launches take is known of the trace, not of a graph.
constexpr Ns kLaunchTakes = 10'000;
/// The usual gap must be shown by so many rows, and by one in so many: behind rows that were lost a
/// few look as if they showed one.
constexpr std::size_t kLeastShown = 5, kMostForOneShown = 50;

/// Gaps that are alike: of a device, inside or outside of launches of its graphs.
using Kind = std::pair<std::int64_t, bool>;

/// A delay of a stream stands for what it waits for; one of a thread ends as the thread launches.
bool is_delay_of_stream(const Graph& graph, std::uint32_t node) {
  return graph.kind[node] == NodeKind::kDelay && graph.is_device(node);
}

bool is_row(const Graph& graph, std::uint32_t node) {
  return graph.kind[node] == NodeKind::kDeviceRow;
}

/// What a row waited for.
struct Waits {
  Ns before = kNoTime;        ///< end of the row before it on its stream
  Ns other = kNoTime;         ///< when all else was ready
  bool is_in_launch = false;  ///< the row before it is of the same launch
  bool is_launched = false;   ///< by a call that is in the graph
  bool was_busy = false;      ///< the device worked on something else before it
};

void add_source(const Graph& graph, std::uint32_t row, std::uint32_t source, Waits& waits) {
  if (is_delay_of_stream(graph, source)) return;
  if (!graph.is_device(source)) waits.is_launched = true;
  const bool is_before = is_row(graph, source) && graph.lane[source] == graph.lane[row];
  const Ns ready = graph.end_ns(source) + (graph.is_device(source) ? 0 : kLaunchTakes);
  Ns& last = is_before ? waits.before : waits.other;
  if (ready <= last) return;
  last = ready;
  if (is_before)
    waits.is_in_launch =
        graph.correlation[row] >= 0 && graph.correlation[source] == graph.correlation[row];
}

Waits waits_of(const Graph& graph, std::uint32_t row) {
  Waits waits;
  for (const std::uint32_t source : graph.dependencies(row)) {
    add_source(graph, row, source, waits);
    if (!is_delay_of_stream(graph, source)) continue;
    if (is_of_device(graph, source)) waits.was_busy = true;
    for (const std::uint32_t before : graph.dependencies(source))
      add_source(graph, row, before, waits);
  }
  return waits;
}

}  // namespace

std::vector<std::uint16_t> row_gaps(const Graph& graph) {
  if (!graph.tells_starts) return {};
  std::vector<std::uint16_t> gaps(graph.size(), 0);
  std::map<Kind, std::vector<std::uint16_t>> shown;
  std::map<Kind, std::vector<std::uint32_t>> others;  // rows that hide theirs
  for (std::uint32_t row = 0; row < graph.size(); ++row) {
    if (!is_row(graph, row)) continue;
    const Waits waits = waits_of(graph, row);
    if (waits.before == kNoTime || waits.was_busy) continue;
    const Ns measured = std::max<Ns>(graph.start_ns[row] - waits.before, 0);
    gaps[row] = static_cast<std::uint16_t>(std::min(measured, kLongestGap));
    const bool is_shown = (waits.is_launched || waits.is_in_launch) &&
                          waits.other <= waits.before && measured <= kLongestGap;
    const Kind kind{graph.lanes[graph.lane[row]].device, waits.is_in_launch};
    if (is_shown)
      shown[kind].push_back(gaps[row]);
    else
      others[kind].push_back(row);
  }
  for (const auto& [kind, rows] : others) {
    std::vector<std::uint16_t>& known = shown[kind];
    const bool is_usual = known.size() >= std::max(kLeastShown, rows.size() / kMostForOneShown);
    const std::uint16_t usual = is_usual ? upper_median(known) : 0;
    for (const std::uint32_t row : rows) gaps[row] = std::min(gaps[row], usual);
  }
  return gaps;
}

}  // namespace nadi
