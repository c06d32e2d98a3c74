#include "nadi/converters/html/delay_modes.h"

#include "nadi/sim_bridge/replay/critical_path.h"

namespace nadi::html {
namespace {

enum class DelayOf : std::uint8_t { kNobody, kHost, kDevice };

/// Whom each node is a delay of; the first delay of a stream counts as the host's, which is the one
/// that makes the stream begin.
std::vector<DelayOf> delays_of(const SimGraph& graph) {
  std::vector<DelayOf> delays(graph.size(), DelayOf::kNobody);
  std::vector<bool> has_begun(graph.lanes.size());
  for (std::size_t row = 0; row < graph.size(); ++row) {
    const std::uint32_t lane = graph.lane[row];
    if (graph.kind[row] != SimNodeKind::kDelay)
      has_begun[lane] = true;
    else
      delays[row] = graph.is_device(row) && has_begun[lane] ? DelayOf::kDevice : DelayOf::kHost;
  }
  return delays;
}

/// Durations of all graphs, put back at the end.
class KeptDurations {
 public:
  explicit KeptDurations(std::vector<SimGraph>& graphs) : graphs_(graphs) {
    kept_.reserve(graphs.size());
    for (const SimGraph& graph : graphs) kept_.push_back(graph.duration_ns);
  }
  ~KeptDurations() {
    for (std::size_t of = 0; of < graphs_.size(); ++of) graphs_[of].duration_ns.swap(kept_[of]);
  }
  KeptDurations(const KeptDurations&) = delete;
  KeptDurations& operator=(const KeptDurations&) = delete;

 private:
  std::vector<SimGraph>& graphs_;
  std::vector<std::vector<Ns>> kept_;
};

/// True where there were such delays.
bool clear_delays(std::vector<SimGraph>& graphs, DelayOf whose) {
  bool is_any = false;
  for (SimGraph& graph : graphs) {
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

std::vector<DelayModeTime> replay_by_delay_mode(std::vector<SimGraph>& graphs, const ReplayJob& job,
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
