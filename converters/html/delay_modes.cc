#include "nadi/converters/html/delay_modes.h"

#include <algorithm>

#include "nadi/base/id_map.h"
#include "nadi/model/last_sources.h"
#include "nadi/sim_bridge/replay/critical_path.h"

namespace nadi::html {
namespace {

enum class DelayOf : std::uint8_t { kNobody, kHost, kDevice };

/// A device's delay that the host's work comes before: the latency of a launch.
bool is_after_host(const Graph& graph, std::uint32_t delay) {
  const auto sources = graph.dependencies(delay);
  return graph.kind[delay] == NodeKind::kDelay &&
         std::any_of(sources.begin(), sources.end(),
                     [&](std::uint32_t source) { return !graph.is_device(source); });
}

/// Device rows whose launch is known: they, or another row of the same launch, depend on the host,
/// be it through a delay.
std::vector<bool> find_launched_rows(const Graph& graph) {
  std::vector<bool> is_launched(graph.size());
  IdSet<std::int64_t> launches;
  for (std::uint32_t row = 0; row < graph.size(); ++row) {
    if (!graph.is_device(row)) continue;
    for (const std::uint32_t source : graph.dependencies(row))
      if (!graph.is_device(source) || is_after_host(graph, source)) is_launched[row] = true;
    if (is_launched[row] && graph.correlation[row] >= 0) launches.insert(graph.correlation[row]);
  }
  for (std::uint32_t row = 0; row < graph.size(); ++row)
    if (graph.is_device(row) && launches.contains(graph.correlation[row])) is_launched[row] = true;
  return is_launched;
}

/// Whom each node is a delay of. As the host's count those delays of a stream that --delays host
/// makes too: the first, which makes the stream begin, those before rows of which no launch is
/// known, and those in which the device itself was at work.
std::vector<DelayOf> delays_of(const Graph& graph) {
  std::vector<DelayOf> delays(graph.size(), DelayOf::kNobody);
  const std::vector<bool> is_launched = find_launched_rows(graph);
  std::vector<bool> has_begun(graph.lanes.size());
  for (std::uint32_t row = 0; row < graph.size(); ++row) {
    const std::uint32_t lane = graph.lane[row];
    if (graph.kind[row] == NodeKind::kDelay) {
      delays[row] = DelayOf::kHost;
      continue;
    }
    if (graph.is_device(row) && has_begun[lane] && is_launched[row])
      for (const std::uint32_t source : graph.dependencies(row))
        if (graph.kind[source] == NodeKind::kDelay && graph.lane[source] == lane &&
            !is_of_device(graph, source))
          delays[source] = DelayOf::kDevice;
    has_begun[lane] = true;
  }
  return delays;
}

/// Durations of all graphs, put back at the end.
class KeptDurations {
 public:
  explicit KeptDurations(std::vector<Graph>& graphs) : graphs_(graphs) {
    kept_.reserve(graphs.size());
    for (const Graph& graph : graphs) kept_.push_back(graph.duration_ns);
  }
  ~KeptDurations() {
    for (std::size_t of = 0; of < graphs_.size(); ++of) graphs_[of].duration_ns.swap(kept_[of]);
  }
  KeptDurations(const KeptDurations&) = delete;
  KeptDurations& operator=(const KeptDurations&) = delete;

 private:
  std::vector<Graph>& graphs_;
  std::vector<std::vector<Ns>> kept_;
};

/// True where there were such delays.
bool clear_delays(std::vector<Graph>& graphs, DelayOf whose) {
  bool is_any = false;
  for (Graph& graph : graphs) {
    const std::vector<DelayOf> delays = delays_of(graph);
    for (std::size_t row = 0; row < graph.size(); ++row) {
      if (delays[row] != whose) continue;
      graph.duration_ns[row] = 0;
      is_any = true;
    }
  }
  return is_any;
}

}  // namespace

std::vector<DelayModeTime> replay_by_delay_mode(std::vector<Graph>& graphs, const ReplayJob& job,
                                                ReplayLanes lanes, Ns replayed_ns) {
  const KeptDurations kept(graphs);
  const auto span = [&] { return span_of(job, replay(job, {lanes, {}})).length(); };
  std::vector<DelayModeTime> modes;
  const bool has_device = clear_delays(graphs, DelayOf::kDevice);
  if (has_device) modes = {{"all", replayed_ns}, {"host", span()}};
  const bool has_host = clear_delays(graphs, DelayOf::kHost);
  if (!has_host && !has_device) return {};
  if (!has_device) modes.push_back({"host", replayed_ns});
  modes.push_back({"none", span()});
  return modes;
}

}  // namespace nadi::html
