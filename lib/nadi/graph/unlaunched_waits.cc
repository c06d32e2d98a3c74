#include "nadi/graph/unlaunched_waits.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "nadi/base/sort_unique.h"
#include "nadi/graph/wait_edges.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// Where all rows of a class wait for more kinds of work than this, nothing is inferred: each is
/// looked up for each row.
constexpr std::size_t kMostWorks = 16;

/// What runs on a lane, right behind what, by name.
struct Succession {
  LaneIndex lane;
  StringId name, before;
  auto operator<=>(const Succession&) const = default;
};

/// Rows of one name on one lane.
using Work = std::pair<LaneIndex, StringId>;

/// What the launched rows of one succession waited for. The call that made the first of them wait
/// may lie before the trace, so its waits are not counted.
struct Seen {
  std::uint32_t launched = 0;
  std::map<Work, std::uint32_t> waited_for;
};

class UnlaunchedWaits {
  static constexpr auto kWhy = Hypothesis::kUnlaunchedWaits;

 public:
  UnlaunchedWaits(const GraphDraft& draft, EdgeList& edges)
      : draft_(draft), linked_(draft.linked), edges_(edges) {
    const RuntimeCalls& calls = linked_.device.calls;
    for (const CallIndex call : rows_of(calls)) {
      first_launch_ns_ = std::min(first_launch_ns_, calls.start_ns[call]);
      if (calls.correlation[call] >= 0)
        first_correlation_ = std::min(first_correlation_, calls.correlation[call]);
    }
    for (const Ns launch : linked_.rows.launch_ns)
      if (launch != kNoTime) first_launch_ns_ = std::min(first_launch_ns_, launch);
  }

  void run() {
    for_each_succession([&](DeviceRowIndex row, DeviceRowIndex, const Succession& succession) {
      if (was_launched_before(row)) seen_.try_emplace(succession);
    });
    if (seen_.empty()) return;
    find_successions_of_launched();
    find_work();
    count_waits();
    keep_what_all_waited_for();
    for_each_succession(
        [&](DeviceRowIndex row, DeviceRowIndex before, const Succession& succession) {
          if (was_launched_before(row)) add_waits_of(row, before, seen_.at(succession));
        });
  }

 private:
  bool is_unlaunched(DeviceRowIndex row) const {
    return linked_.rows.evidence[row] == LinkEvidence::kUnlaunched;
  }

  /// Launched before all calls of the trace, by its correlation where these grow with time, else
  /// since it ran before them. Of other rows the call is lost, but maybe not that of their wait.
  bool was_launched_before(DeviceRowIndex row) const {
    if (!is_unlaunched(row)) return false;
    return linked_.rows.launched_after_ns[row] != kNoTime
               ? linked_.device.rows.correlation[row] < first_correlation_
               : row_start_ns(linked_, row) < first_launch_ns_;
  }

  /// Visits rows, each with the row before it on its lane.
  template <class Visit>
  void for_each_succession(const Visit& visit) const {
    const auto& names = linked_.device.rows.name;
    for (const auto& lane : linked_.rows_by_lane)
      for (std::size_t i = 1; i < lane.size(); ++i)
        visit(lane[i], lane[i - 1],
              {linked_.rows.lane[lane[i]], names[lane[i]], names[lane[i - 1]]});
  }

  Work work_of(DeviceRowIndex row) const {
    return {linked_.rows.lane[row], linked_.device.rows.name[row]};
  }

  void find_successions_of_launched() {
    seen_of_row_.assign(linked_.rows.lane.size(), nullptr);
    for_each_succession([&](DeviceRowIndex row, DeviceRowIndex, const Succession& succession) {
      const auto known = seen_.find(succession);
      if (is_unlaunched(row) || known == seen_.end()) return;
      if (known->second.launched++ > 0) seen_of_row_[row] = &known->second;
    });
  }

  /// The rows of all work that a row of one of the successions waited for.
  void find_work() {
    for_each_wait([&](DeviceRowIndex source, DeviceRowIndex) { rows_of_[work_of(source)]; });
    for (const auto& lane : linked_.rows_by_lane)
      for (const DeviceRowIndex row : lane)
        if (const auto known = rows_of_.find(work_of(row)); known != rows_of_.end())
          known->second.push_back(row);
  }

  /// A row of several nodes waits once.
  void count_waits() {
    std::vector<std::pair<DeviceRowIndex, Work>> waits;
    for_each_wait([&](DeviceRowIndex source, DeviceRowIndex target) {
      const Work work = work_of(source);
      if (last_by(work, target) == source) waits.emplace_back(target, work);
    });
    sort_unique(waits);
    for (const auto& [target, work] : waits) ++seen_of_row_[target]->waited_for[work];
  }

  template <class Visit>
  void for_each_wait(const Visit& visit) const {
    for (const DraftEdge& edge : edges_.edges()) {
      if (edge.evidence != Evidence::kEventWait) continue;
      const DeviceRowIndex target = draft_.nodes[edge.target].device_row();
      if (seen_of_row_[target] != nullptr) visit(draft_.nodes[edge.source].device_row(), target);
    }
  }

  void keep_what_all_waited_for() {
    for (auto& entry : seen_) {
      Seen& seen = entry.second;
      std::erase_if(seen.waited_for, [&](const auto& wait) {
        return !linked_.hypotheses.hold(kWhy, {seen.launched - std::size_t{1}, wait.second});
      });
      if (seen.waited_for.size() > kMostWorks) seen.waited_for.clear();
    }
  }

  /// The last row of the work that ended by the target's start.
  DeviceRowIndex last_by(const Work& work, DeviceRowIndex target) const {
    const std::vector<DeviceRowIndex>& rows = rows_of_.at(work);
    const Ns start = row_start_ns(linked_, target) + linked_.clock_resolution_ns;
    auto row = std::partition_point(rows.begin(), rows.end(), [&](DeviceRowIndex earlier) {
      return row_start_ns(linked_, earlier) <= start;
    });
    for (int i = 0; i < kMostDamaged && row != rows.begin(); ++i)
      if (--row; row_end_ns(linked_, *row) <= start) return *row;
    return {};
  }

  /// The end of the row explains the start of the other.
  bool follows(DeviceRowIndex row, DeviceRowIndex earlier) const {
    return row_end_ns(linked_, earlier) + kRowFollows >= row_start_ns(linked_, row);
  }

  /// Nothing is added where the row's own lane explains when it started. Of several works that it
  /// may have waited for, the one that ended last is taken.
  void add_waits_of(DeviceRowIndex row, DeviceRowIndex before, const Seen& seen) {
    if (seen.waited_for.empty() || follows(row, before)) return;
    DeviceRowIndex last;
    for (const auto& [work, count] : seen.waited_for) {
      const DeviceRowIndex source = last_by(work, row);
      if (!source || !was_launched_before(source) || !follows(row, source)) continue;
      if (!last || row_end_ns(linked_, source) > row_end_ns(linked_, last)) last = source;
    }
    if (last)
      edges_.add_recorded({draft_.row_node[last + 1] - 1, draft_.row_node[row],
                           Evidence::kEventWait, info(kWhy).inferred},
                          linked_.clock_resolution_ns);
  }

  const GraphDraft& draft_;
  const LinkedTrace& linked_;
  EdgeList& edges_;
  Ns first_launch_ns_ = std::numeric_limits<Ns>::max();
  std::int64_t first_correlation_ = std::numeric_limits<std::int64_t>::max();
  std::map<Succession, Seen> seen_;                      // of unlaunched rows
  ByRow<DeviceRows, Seen*> seen_of_row_;                 // of launched ones; else null
  std::map<Work, std::vector<DeviceRowIndex>> rows_of_;  // in start order
};

}  // namespace

void add_unlaunched_waits(const GraphDraft& draft, EdgeList& edges) {
  UnlaunchedWaits(draft, edges).run();
}

}  // namespace nadi
