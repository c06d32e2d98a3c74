#include "nadi/graph/device_reasons.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "nadi/base/busy_times.h"
#include "nadi/base/mix.h"
#include "nadi/model/call_names.h"
#include "nadi/model/op_relations.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// Inside a launch rows follow each other at once; outside of it latencies and waits that were not
/// found leave more.
constexpr Ns kLeastInLaunch = 50'000, kLeastOfBusy = 200'000;
/// Times that recur differ by no more than this part of them.
constexpr Ns kDiffersPart = 10;
/// Of a hundred parts of a time so many in which kernels ran make it one without room.
constexpr Ns kLeastBusy = 90;

class ReasonsOfDevice {
 public:
  ReasonsOfDevice(const GraphDraft& draft, const ValuesByNode<DraftEdgeIndex>& in)
      : draft_(draft), linked_(draft.linked), in_(in) {}

  ByRow<Node, Evidence> find() {
    for (const NodeIndex node : rows_of(draft_.nodes))
      if (draft_.nodes[node].kind == NodeKind::kDeviceRow) look_at(node);
    if (!late_.empty()) {
      add_recurring();
      add_busy();
    }
    return std::move(found_);
  }

 private:
  /// A row that started so long after all that is known of what it waited for.
  struct Late {
    NodeIndex node;
    Ns since, length;
  };

  void look_at(NodeIndex node) {
    const DeviceRowIndex row = draft_.nodes[node].device_row();
    Ns since = kNoTime;
    bool follows_in_launch = false;
    for (const DraftEdgeIndex in : in_.of(node.value)) {
      const DraftEdge& edge = draft_.edges[in];
      since = std::max(since, draft_.end_ns(edge.source));
      follows_in_launch |= is_of_launch(edge.source, row);
    }
    if (since == kNoTime) return;
    const Ns length = draft_.start_ns(node) - since;
    if (length < kLeastInLaunch) return;
    if (follows_in_launch)
      add(node, Evidence::kUnrecordedWork);
    else if (length >= kLeastOfBusy &&
             draft_.submitted_ns(row) != kNoTime)  // else the host may be the cause
      late_.push_back({node, since, length});
  }

  bool is_of_launch(NodeIndex node, DeviceRowIndex row) const {
    const std::int64_t launch = linked_.device.rows.correlation[row];
    return launch >= 0 && draft_.nodes[node].kind == NodeKind::kDeviceRow &&
           draft_.nodes[node].device_row() != row &&
           linked_.device.rows.correlation[draft_.nodes[node].device_row()] == launch;
  }

  void add(NodeIndex node, Evidence reason) {
    if (found_.empty()) found_.assign(draft_.nodes.size(), Evidence::kDelay);
    if (found_[node] == Evidence::kDelay) found_[node] = reason;
  }

  void add_recurring() {
    find_stream_waits();
    std::set<std::int32_t> iterations;
    for (const std::int32_t step : linked_.rows.step)
      if (step >= 0) iterations.insert(step);
    const auto paths = paths_of_ops(linked_);
    std::unordered_map<std::uint64_t, std::vector<Late>> by_place;
    for (const Late& late : late_) {
      if (late.length < info(Hypothesis::kRecurringWork).evident_ns) continue;
      const DeviceRowIndex row = draft_.nodes[late.node].device_row();
      const LinkedOpIndex op = linked_.rows.parent[row];
      std::uint64_t place = mixed(linked_.rows.lane[row].value, op ? paths[op] : 0);
      place = mixed(place, static_cast<std::uint64_t>(linked_.device.rows.name[row]));
      by_place[place].push_back(late);
    }
    for (auto& [place, late] : by_place) add_recurring(late, iterations.size());
  }

  /// late: of one place.
  void add_recurring(std::vector<Late>& late, std::size_t iterations) {
    std::sort(late.begin(), late.end(),
              [](const Late& a, const Late& b) { return a.length < b.length; });
    std::map<std::int32_t, std::size_t> in_iteration;  // of those from `first` to `last`
    std::size_t waited = 0;
    constexpr auto kRecurs = Hypothesis::kRecurringWork;
    for (std::size_t first = 0, last = 0; first < late.size(); ++first) {
      for (; last < late.size() &&
             late[last].length - late[first].length <= late[first].length / kDiffersPart;
           ++last) {
        ++in_iteration[iteration_of(late[last])];
        waited += may_have_waited(late[last].node) ? 1 : 0;
      }
      const std::size_t seen_in = in_iteration.size() - in_iteration.count(-1);
      const bool is_in_all = static_cast<double>(seen_in) >=
                             info(kRecurs).least_share * static_cast<double>(iterations);
      if (is_in_all && linked_.hypotheses.hold(kRecurs, {last - first, last - first, waited}))
        for (std::size_t i = first; i < last; ++i) add(late[i].node, Evidence::kUnrecordedWork);
      waited -= may_have_waited(late[first].node) ? 1 : 0;
      const auto counted = in_iteration.find(iteration_of(late[first]));
      if (--counted->second == 0) in_iteration.erase(counted);
    }
  }

  std::int32_t iteration_of(const Late& late) const {
    return linked_.rows.step[draft_.nodes[late.node].device_row()];
  }

  void add_busy() {
    const std::map<std::int64_t, BusyTimes> busy_of_device = find_busy();
    for (const Late& late : late_) {
      const auto busy = busy_of_device.find(linked_.lanes[draft_.row_lane(late.node)].device);
      if (busy == busy_of_device.end()) continue;
      const Ns ran = busy->second.until(late.since + late.length) - busy->second.until(late.since);
      if (ran >= late.length / 100 * kLeastBusy) add(late.node, Evidence::kBusyDevice);
    }
  }

  /// By device the times in which kernels run. Those that communicate are not counted: others can
  /// run beside them.
  std::map<std::int64_t, BusyTimes> find_busy() const {
    std::map<std::int64_t, std::vector<std::pair<Ns, Ns>>> kernels;
    for (const NodeIndex node : rows_of(draft_.nodes)) {
      const Node& one = draft_.nodes[node];
      if (one.kind == NodeKind::kDeviceRow && !one.communication &&
          !one.is_unrecorded_communication &&
          linked_.device.rows.kind[one.device_row()] == DeviceRowKind::kKernel)
        kernels[linked_.lanes[one.lane].device].emplace_back(one.start_ns, draft_.end_ns(node));
    }
    std::map<std::int64_t, BusyTimes> busy_of_device;
    for (auto& [device, times] : kernels) busy_of_device.emplace(device, std::move(times));
    return busy_of_device;
  }

  /// Of whatever stream: which one waits is not always known.
  void find_stream_waits() {
    const RuntimeCalls& calls = linked_.device.calls;
    const CallEffects effects = call_effects(calls, linked_.strings);
    for (const CallIndex call : calls_in_time_order(calls, effects, {CallEffect::kStreamWaitEvent}))
      stream_waits_.push_back(calls.start_ns[call]);
  }

  /// A call made the stream wait, after the lane's last row and before the row was given to it.
  bool may_have_waited(NodeIndex node) const {
    const DeviceRowIndex row = draft_.nodes[node].device_row();
    const auto& lane = linked_.rows_by_lane[linked_.rows.lane[row]];
    const auto at =
        std::lower_bound(lane.begin(), lane.end(), row, [&](DeviceRowIndex a, DeviceRowIndex b) {
          return row_start_ns(linked_, a) < row_start_ns(linked_, b);
        });
    const Ns from = at == lane.begin() ? kNoTime : linked_.rows.enqueue_ns[*std::prev(at)];
    const auto wait = std::lower_bound(stream_waits_.begin(), stream_waits_.end(), from);
    return wait != stream_waits_.end() && *wait < draft_.submitted_ns(row);
  }

  const GraphDraft& draft_;
  const LinkedTrace& linked_;
  const ValuesByNode<DraftEdgeIndex>& in_;
  ByRow<Node, Evidence> found_;
  std::vector<Late> late_;
  std::vector<Ns> stream_waits_;  // in time order
};

}  // namespace

ByRow<Node, Evidence> reasons_of_device(const GraphDraft& draft,
                                        const ValuesByNode<DraftEdgeIndex>& in) {
  return ReasonsOfDevice(draft, in).find();
}

}  // namespace nadi
