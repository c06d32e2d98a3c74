#include "nadi/graph/device_reasons.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "nadi/base/mix.h"
#include "nadi/model/op_relations.h"

namespace nadi {
namespace {

/// Inside a launch rows follow each other at once; outside of it latencies and waits that were not
/// found leave more.
constexpr Ns kLeastInLaunch = 50'000, kLeastOfBusy = 200'000, kLeastRecurring = 500'000;
/// Times that recur differ by no more than this part of them, and recur so often.
constexpr Ns kDiffersPart = 10;
constexpr std::size_t kLeastRecurrences = 3;
/// Of a hundred parts of a time so many in which kernels ran make it one without room.
constexpr Ns kLeastBusy = 90;

class ReasonsOfDevice {
 public:
  ReasonsOfDevice(const GraphDraft& draft, const ValuesByNode<DraftEdgeIndex>& in)
      : draft_(draft), linked_(draft.linked), in_(in) {}

  ByRow<Node, Evidence> find() {
    for (const NodeIndex node : rows_of(draft_.nodes))
      if (draft_.nodes[node].kind == NodeKind::kDeviceRow) look_at(node);
    if (late_.empty()) return std::move(found_);
    add_recurring();
    add_busy();
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
    std::set<std::int32_t> steps;
    for (const std::int32_t step : linked_.rows.step)
      if (step >= 0) steps.insert(step);
    const std::size_t least = std::max(kLeastRecurrences, steps.size());
    const auto paths = paths_of_ops(linked_);
    std::unordered_map<std::uint64_t, std::vector<Late>> by_place;
    for (const Late& late : late_) {
      if (late.length < kLeastRecurring) continue;
      const DeviceRowIndex row = draft_.nodes[late.node].device_row();
      const LinkedOpIndex op = linked_.rows.parent[row];
      std::uint64_t place = mixed(linked_.rows.lane[row].value, op ? paths[op] : 0);
      place = mixed(place, static_cast<std::uint64_t>(linked_.device.rows.name[row]));
      by_place[place].push_back(late);
    }
    for (auto& [place, late] : by_place) {
      std::sort(late.begin(), late.end(),
                [](const Late& a, const Late& b) { return a.length < b.length; });
      for (auto first = late.begin(); first != late.end();) {
        const auto last = std::find_if(first, late.end(), [&](const Late& one) {
          return one.length - first->length > first->length / kDiffersPart;
        });
        if (static_cast<std::size_t>(last - first) >= least &&
            std::none_of(first, last, [&](const Late& one) { return may_have_waited(one.node); }))
          for (auto one = first; one != last; ++one) add(one->node, Evidence::kUnrecordedWork);
        first = last;
      }
    }
  }

  /// By device the times in which kernels run, with how long they had run before each.
  struct Busy {
    Ns begin, end, before;
  };

  void add_busy() {
    std::map<std::int64_t, std::vector<Busy>> busy_of_device;
    for (const Late& late : late_) {
      const std::int64_t device = linked_.lanes[draft_.row_lane(late.node)].device;
      auto [busy, is_new] = busy_of_device.try_emplace(device);
      if (is_new) busy->second = busy_times(device);
      const Ns ran =
          busy_until(busy->second, late.since + late.length) - busy_until(busy->second, late.since);
      if (ran >= late.length / 100 * kLeastBusy) add(late.node, Evidence::kBusyDevice);
    }
  }

  /// Communication leaves room.
  std::vector<Busy> busy_times(std::int64_t device) const {
    std::vector<Busy> times;
    for (const NodeIndex node : rows_of(draft_.nodes)) {
      const Node& one = draft_.nodes[node];
      if (one.kind != NodeKind::kDeviceRow || one.communication ||
          one.is_unrecorded_communication || linked_.lanes[one.lane].device != device ||
          linked_.device.rows.kind[one.device_row()] != DeviceRowKind::kKernel)
        continue;
      times.push_back({one.start_ns, draft_.end_ns(node), 0});
    }
    std::sort(times.begin(), times.end(),
              [](const Busy& a, const Busy& b) { return a.begin < b.begin; });
    std::size_t kept = 0;
    for (const Busy& one : times)
      if (kept > 0 && one.begin <= times[kept - 1].end)
        times[kept - 1].end = std::max(times[kept - 1].end, one.end);
      else
        times[kept++] = one;
    times.resize(kept);
    for (std::size_t i = 1; i < kept; ++i)
      times[i].before = times[i - 1].before + times[i - 1].end - times[i - 1].begin;
    return times;
  }

  static Ns busy_until(const std::vector<Busy>& times, Ns time) {
    const auto after = std::partition_point(times.begin(), times.end(),
                                            [=](const Busy& one) { return one.begin < time; });
    if (after == times.begin()) return 0;
    const Busy& last = *std::prev(after);
    return last.before + std::min(time, last.end) - last.begin;
  }

  /// Of whatever stream: which one waits is not always known.
  void find_stream_waits() {
    const RuntimeCalls& calls = linked_.device.calls;
    for (const CallIndex call : rows_of(calls))
      if (linked_.strings[calls.name[call]].find("StreamWaitEvent") != std::string_view::npos)
        stream_waits_.push_back(calls.start_ns[call]);
    std::sort(stream_waits_.begin(), stream_waits_.end());
  }

  /// A stream was told to wait after the lane's last row and before the row was given to it.
  bool may_have_waited(NodeIndex node) const {
    const DeviceRowIndex row = draft_.nodes[node].device_row();
    const auto& lane = linked_.rows_by_lane[linked_.rows.lane[row]];
    const auto at =
        std::lower_bound(lane.begin(), lane.end(), row, [&](DeviceRowIndex a, DeviceRowIndex b) {
          return linked_.device.rows.start_ns[a] < linked_.device.rows.start_ns[b];
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
