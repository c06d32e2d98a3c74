#include "nadi/sim_bridge/astra_sim/host_delays.h"

#include <algorithm>

#include "nadi/base/time.h"
#include "nadi/sim_bridge/job/prepare.h"

namespace nadi::astra_sim {

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
      saved_ += std::max<Ns>(rank_.start_ns[n] - explained, 0);
      // Less than the schema's microsecond waits for more.
      if (saved_ >= kNsPerMicro) add_delay(n, explained);
      const Ns end = rank_.end_ns(n);
      if (!rank_.is_host[n]) {
        if (end > device_busy_until_ || last_row_ == kNoIndex) last_row_ = n;
        device_busy_until_ = std::max(device_busy_until_, end);
      } else if (end > host_busy_until_ || last_ == kNoIndex) {
        host_busy_until_ = std::max(host_busy_until_, end);
        last_ = n;
      }
    }
    if (begin_ != kNoIndex) hold_first();
  }

 private:
  /// Nothing runs before a rank that begins later than others does.
  void hold_first() {
    for (std::uint32_t n = 0; n < begin_; ++n)
      if (!rank_.is_dropped[n] && dependencies_.of(n).empty())
        rank_.dependencies.push_back({n, begin_});
  }

  /// What held the node up: host threads at work, and what it waits for; for a device row any row
  /// at work, which it may have waited for though the trace does not show it.
  Ns explained_until(std::uint32_t n) {
    Ns explained = host_busy_until_;
    if (!rank_.is_host[n]) explained = std::max(explained, device_busy_until_);
    for (const std::uint32_t on : dependencies_.of(n))
      explained = std::max(explained, rank_.end_ns(on));
    return explained;
  }

  /// From then on the delay counts as host work: idle time is not reported twice.
  void add_delay(std::uint32_t n, Ns explained) {
    const Ns duration = saved_ - saved_ % kNsPerMicro;
    const std::uint32_t delay = rank_.add(AddedNode::kDelay);
    rank_.is_delay[delay] = rank_.is_host[delay] = true;
    rank_.duration_ns[delay] = duration;
    rank_.start_ns[delay] = std::max(explained, rank_.start_ns[n] - duration);
    const bool is_host = rank_.is_host[n];
    if (const std::uint32_t like = is_host ? n : last_; like != kNoIndex)
      rank_.lane[delay] = rank_.lane[like];
    saved_ -= duration;
    host_busy_until_ = std::max(host_busy_until_, rank_.start_ns[n]);
    const bool is_first = last_ == kNoIndex && last_row_ == kNoIndex;
    if (rank_.begins_ns > 0 && is_first && dependencies_.of(n).empty()) begin_ = delay;
    for (const std::uint32_t on : dependencies_.of(n)) rank_.dependencies.push_back({delay, on});
    if (last_ != kNoIndex) rank_.dependencies.push_back({delay, last_});
    if (!is_host && last_row_ != kNoIndex) rank_.dependencies.push_back({delay, last_row_});
    rank_.dependencies.push_back({n, delay});
    last_ = delay;
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
