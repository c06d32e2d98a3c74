#include "nadi/sim_bridge/astra_sim/host_delays.h"

#include <algorithm>

#include "nadi/base/time.h"
#include "nadi/sim_bridge/job/prepare.h"

namespace nadi::astra_sim {

std::vector<std::uint32_t> nodes_by_start(const JobRank& rank) {
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t n = 0; n < rank.nodes.size(); ++n)
    if (!rank.nodes[n].is_dropped) nodes.push_back(n);
  std::stable_sort(nodes.begin(), nodes.end(), [&](std::uint32_t a, std::uint32_t b) {
    return rank.nodes[a].start_ns < rank.nodes[b].start_ns;
  });
  return nodes;
}

namespace {

/// Walks a rank's nodes by start and keeps what was busy until when.
class IdleTime {
 public:
  IdleTime(JobRank& rank, Diagnostics& diagnostics)
      : rank_(rank), diagnostics_(diagnostics), dependencies_(dependencies_by_node(rank)) {}

  void run() {
    saved_ = std::max<Ns>(rank_.begins_ns, 0);
    for (const std::uint32_t n : nodes_by_start(rank_)) {
      const Ns explained = explained_until(n);
      saved_ += std::max<Ns>(rank_.nodes[n].start_ns - explained, 0);
      // Less than the schema's microsecond waits for more.
      if (saved_ >= kNsPerMicro) add_delay(n, explained);
      if (!rank_.nodes[n].is_host) {
        if (end_of(rank_.nodes[n]) > device_busy_until_ || last_row_ == kNoIndex) last_row_ = n;
        device_busy_until_ = std::max(device_busy_until_, end_of(rank_.nodes[n]));
      } else if (end_of(rank_.nodes[n]) > host_busy_until_ || last_ == kNoIndex) {
        host_busy_until_ = std::max(host_busy_until_, end_of(rank_.nodes[n]));
        last_ = n;
      }
    }
    if (begin_ != kNoIndex) hold_first();
  }

 private:
  /// Nothing runs before a rank that begins later than others does.
  void hold_first() {
    for (std::uint32_t n = 0; n < begin_; ++n)
      if (!rank_.nodes[n].is_dropped && dependencies_.of(n).empty())
        rank_.dependencies.push_back({n, begin_});
  }

  /// What held the node up: host threads at work, and what it waits for; for a device row any row
  /// at work, which it may have waited for though the trace does not tell.
  Ns explained_until(std::uint32_t n) {
    Ns explained = host_busy_until_;
    if (!rank_.nodes[n].is_host) explained = std::max(explained, device_busy_until_);
    for (const std::uint32_t on : dependencies_.of(n))
      explained = std::max(explained, end_of(rank_.nodes[on]));
    return explained;
  }

  /// From then on the delay counts as host work: idle time is not told twice.
  void add_delay(std::uint32_t n, Ns explained) {
    const JobNode& before = rank_.nodes[n];
    JobNode delay;
    delay.synthetic_name = "delay";
    delay.is_delay = true;
    delay.is_host = true;
    delay.duration_ns = saved_ - saved_ % kNsPerMicro;
    delay.start_ns = std::max(explained, before.start_ns - delay.duration_ns);
    if (before.is_host)
      delay.lane = before.lane;
    else if (last_ != kNoIndex)
      delay.lane = rank_.nodes[last_].lane;
    saved_ -= delay.duration_ns;
    host_busy_until_ = std::max(host_busy_until_, before.start_ns);
    const auto number = static_cast<std::uint32_t>(rank_.nodes.size());
    const bool is_first = last_ == kNoIndex && last_row_ == kNoIndex;
    if (rank_.begins_ns > 0 && is_first && dependencies_.of(n).empty()) begin_ = number;
    for (const std::uint32_t on : dependencies_.of(n)) rank_.dependencies.push_back({number, on});
    if (last_ != kNoIndex) rank_.dependencies.push_back({number, last_});
    if (!before.is_host && last_row_ != kNoIndex) rank_.dependencies.push_back({number, last_row_});
    rank_.dependencies.push_back({n, number});
    rank_.nodes.push_back(delay);
    last_ = number;
    diagnostics_.report(Finding::kHostDelay, "rank " + std::to_string(rank_.recorded_rank));
  }

  JobRank& rank_;
  Diagnostics& diagnostics_;
  const Adjacency dependencies_;
  Ns host_busy_until_ = 0, device_busy_until_ = 0, saved_ = 0;
  std::uint32_t last_ = kNoIndex;      // the host node that ended at host_busy_until_
  std::uint32_t last_row_ = kNoIndex;  // the device row that ended at device_busy_until_
  std::uint32_t begin_ = kNoIndex;     // the delay before all others
};

}  // namespace

void add_host_delays(JobRank& rank, Diagnostics& diagnostics) { IdleTime(rank, diagnostics).run(); }

}  // namespace nadi::astra_sim
