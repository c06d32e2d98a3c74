#include "nadi/sim_bridge/replay/row_gaps.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "nadi/base/median.h"
#include "nadi/model/last_sources.h"

namespace nadi {
namespace {

/// Streams of recorded traces take 1 to 3 us, those of old devices up to 5.
constexpr Ns kLongestGap = 5'000;
/// A row may have waited for its launch where that was called later than so long before, or than
/// what launches usually take and what this varies by.
constexpr Ns kLaunchTakes = 10'000, kLaunchVaries = 2'000;
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
  std::uint32_t row = 0;
  Ns before = kNoTime;        ///< end of the row before it on its stream
  Ns other = kNoTime;         ///< when all else on devices was over
  Ns launch = kNoTime;        ///< when it was launched, by a call that is in the graph
  bool is_in_launch = false;  ///< the row before it is of the same launch
  bool was_busy = false;      ///< the device worked on something else before it
};

void add_source(const Graph& graph, std::uint32_t source, Waits& waits) {
  if (is_delay_of_stream(graph, source)) return;
  const std::uint32_t row = waits.row;
  const bool is_before = is_row(graph, source) && graph.lane[source] == graph.lane[row];
  Ns& last = !graph.is_device(source) ? waits.launch : is_before ? waits.before : waits.other;
  if (graph.end_ns(source) <= last) return;
  last = graph.end_ns(source);
  if (is_before)
    waits.is_in_launch =
        graph.correlation[row] >= 0 && graph.correlation[source] == graph.correlation[row];
}

Waits waits_of(const Graph& graph, std::uint32_t row) {
  Waits waits;
  waits.row = row;
  for (const std::uint32_t source : graph.dependencies(row)) {
    add_source(graph, source, waits);
    if (!is_delay_of_stream(graph, source)) continue;
    if (is_of_device(graph, source)) waits.was_busy = true;
    for (const std::uint32_t before : graph.dependencies(source)) add_source(graph, before, waits);
  }
  return waits;
}

/// Returns the median time from a launch to its row, of rows that waited for nothing else by then;
/// 0 where too few show it.
Ns usual_launch(const Graph& graph, const std::vector<Waits>& rows) {
  std::vector<Ns> took;
  for (const Waits& waits : rows)
    if (waits.launch >= std::max(waits.before, waits.other) && waits.launch != kNoTime)
      took.push_back(graph.start_ns[waits.row] - waits.launch);
  return took.size() < kLeastShown ? 0 : upper_median(took);
}

}  // namespace

std::vector<std::uint16_t> row_gaps(const Graph& graph) {
  if (!graph.tells_starts) return {};
  std::vector<std::uint16_t> gaps(graph.size(), 0);
  std::map<Kind, std::vector<std::uint16_t>> shown;
  std::map<Kind, std::vector<std::uint32_t>> others;  // rows that hide theirs
  std::vector<Waits> rows;
  for (std::uint32_t row = 0; row < graph.size(); ++row) {
    if (!is_row(graph, row)) continue;
    const Waits waits = waits_of(graph, row);
    if (waits.before != kNoTime && !waits.was_busy) rows.push_back(waits);
  }
  const Ns launch_takes = std::max(kLaunchTakes, usual_launch(graph, rows) + kLaunchVaries);
  for (const Waits& waits : rows) {
    const std::uint32_t row = waits.row;
    const Ns measured = std::max<Ns>(graph.start_ns[row] - waits.before, 0);
    gaps[row] = static_cast<std::uint16_t>(std::min(measured, kLongestGap));
    const bool is_launched = waits.launch != kNoTime;
    const Ns ready = std::max(waits.other, is_launched ? waits.launch + launch_takes : kNoTime);
    const bool is_shown =
        (is_launched || waits.is_in_launch) && ready <= waits.before && measured <= kLongestGap;
    const Kind kind{graph.lanes[graph.lane[row]].device, waits.is_in_launch};
    if (is_shown)
      shown[kind].push_back(gaps[row]);
    else
      others[kind].push_back(row);
  }
  for (const auto& [kind, hidden] : others) {
    std::vector<std::uint16_t>& known = shown[kind];
    const bool is_usual = known.size() >= std::max(kLeastShown, hidden.size() / kMostForOneShown);
    const std::uint16_t usual = is_usual ? upper_median(known) : 0;
    for (const std::uint32_t row : hidden) gaps[row] = std::min(gaps[row], usual);
  }
  return gaps;
}

}  // namespace nadi
