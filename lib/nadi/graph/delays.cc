#include "nadi/graph/delays.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "nadi/base/lane_sweep.h"
#include "nadi/base/sort_rows.h"
#include "nadi/graph/device_reasons.h"
#include "nadi/graph/hand_off_times.h"
#include "nadi/graph/lost_rows.h"
#include "nadi/model/call_names.h"

namespace nadi {
namespace {

/// What a node waits for, summed up from its incoming edges.
struct Waited {
  Ns end_ns = kNoTime;  ///< latest end of a predecessor; kNoTime = it has none
  NodeIndex binding;    ///< the predecessor that ends then
  /// It was handed over by another thread, as is so again and again: the node's thread may also
  /// come too late to wait for it.
  bool is_repeated_hand_off = false;
};

/// When the loops of queries began whose last queries are nodes.
std::unordered_map<CallIndex, Ns> begins_of_loops(const GraphDraft& draft) {
  const RuntimeCalls& calls = draft.linked.device.calls;
  const auto& parent = draft.linked.calls.parent;
  const auto is_node = [&](CallIndex call) {
    return draft.call_node[call] &&
           call_effect(draft.linked.strings[calls.name[call]]) == CallEffect::kQueryEvent;
  };
  std::unordered_map<CallIndex, Ns> begins;
  const auto all = rows_of(calls);
  if (std::none_of(all.begin(), all.end(), is_node)) return begins;
  ByRow<Lane, std::vector<CallIndex>> of_lane(draft.linked.lanes.size());
  for (const CallIndex call : all) of_lane[draft.linked.calls.lane[call]].push_back(call);
  for (auto& lane : of_lane) {
    std::sort(lane.begin(), lane.end(), [&](CallIndex a, CallIndex b) {
      return std::pair(calls.start_ns[a], a) < std::pair(calls.start_ns[b], b);
    });
    Ns since = 0;
    for (std::size_t i = 0; i < lane.size(); ++i) {
      const bool goes_on = i > 0 && calls.name[lane[i]] == calls.name[lane[i - 1]] &&
                           parent[lane[i]] == parent[lane[i - 1]] && !draft.call_node[lane[i - 1]];
      if (!goes_on) since = calls.start_ns[lane[i]];
      if (is_node(lane[i])) begins[lane[i]] = since;
    }
  }
  return begins;
}

/// Measures and adds delays. New nodes and edges go behind the draft's own, which keep their
/// places.
class DelayMaker {
 public:
  DelayMaker(GraphDraft& draft, Delays delays, BuiltGraph& graph)
      : draft_(draft),
        linked_(draft.linked),
        delays_(delays),
        graph_(graph),
        in_(in_edges(draft)),
        own_nodes_(rows_of(draft.nodes)),
        reasons_of_device_(delays == Delays::kNone ? ByRow<Node, Evidence>()
                                                   : reasons_of_device(draft, in_)),
        delay_of_call_(draft.call_node.size()),
        asked_since_(begins_of_loops(draft)) {
    graph_.lane_unexplained_ns.assign(linked_.lanes.size(), 0);
  }

  void run() {
    measure();
    if (delays_ == Delays::kNone) return;
    find_first_rows();
    find_least_latencies();
    find_hand_off_times();
    // Calls first: what they launch starts after the delay before the call.
    for (const NodeIndex node : own_nodes_)
      if (draft_.nodes[node].kind != NodeKind::kDeviceRow) visit_host(node);
    for (const NodeIndex node : own_nodes_)
      if (draft_.nodes[node].kind == NodeKind::kDeviceRow) visit_row(node);
  }

 private:
  /// Why the device itself kept the node's stream idle before it; kDelay = it did not.
  Evidence reason_of_device(NodeIndex node) const {
    return reasons_of_device_.empty() ? Evidence::kDelay : reasons_of_device_[node];
  }

  static bool is_repeated_hand_off(const DraftEdge& edge) {
    return edge.evidence == Evidence::kThreadHandOff && edge.inferred == Inference::kPlace;
  }

  Waited waited(NodeIndex node, std::optional<Evidence> without = {}) const {
    return waited_for_last(node, [&](const DraftEdge& edge) { return edge.evidence != without; });
  }

  /// Of the edges into the node that counts(edge) accepts, the one whose source ended last.
  template <class Counts>
  Waited waited_for_last(NodeIndex node, const Counts& counts) const {
    Waited result;
    for (const DraftEdgeIndex in : in_.of(node.value)) {
      const DraftEdge& edge = draft_.edges[in];
      if (!counts(edge)) continue;
      const Ns end = draft_.end_ns(edge.source);
      const bool later = !result.binding || end > result.end_ns ||
                         (end == result.end_ns && edge.source > result.binding);
      if (later) result = {end, edge.source, is_repeated_hand_off(edge)};
    }
    return result;
  }

  /// Idle time of lanes that no predecessor explains, and what of it is the device's own.
  void measure() {
    struct Start {
      NodeIndex node;
      Ns start_ns, explained_until;
    };
    std::vector<Start> starts;
    starts.reserve(draft_.nodes.size());
    for (const NodeIndex node : own_nodes_) {
      const Waited before = waited(node);
      starts.push_back(
          {node, draft_.start_ns(node), !before.binding ? graph_.origin_ns : before.end_ns});
    }
    sort_rows(starts, [](const Start& a, const Start& b) {
      return std::tie(a.start_ns, a.explained_until, a.node) <
             std::tie(b.start_ns, b.explained_until, b.node);
    });
    ByRow<Lane, LaneSweep> lanes(linked_.lanes.size(), LaneSweep(graph_.origin_ns));
    for (const auto& [node, start, explained_until] : starts) {
      LaneSweep& lane = lanes[draft_.nodes[node].lane];
      const LaneStretch added = lane.next(start, draft_.end_ns(node), explained_until);
      count_unexplained(node, added.unexplained_ns());
    }
  }

  void count_unexplained(NodeIndex node, Ns time) {
    const auto add = [&](Ns& sum) { sum = saturated_sum(sum, time); };
    const Evidence reason = reason_of_device(node);
    if (reason == Evidence::kUnrecordedWork) {
      ++graph_.unrecorded_works;
      add(graph_.unrecorded_work_ns);
    }
    if (reason != Evidence::kDelay) return;
    add(graph_.unexplained_ns);
    add(graph_.lane_unexplained_ns[draft_.nodes[node].lane]);
  }

  /// A delay before `node` that begins at `start` after `sources`; none where it has no length.
  NodeIndex add_delay(NodeIndex node, Ns start, Ns length, std::span<const NodeIndex> sources) {
    const NodeIndex added = make_delay(node, start, length, sources);
    if (added) draft_.edges.push_back({added, node, Evidence::kDelay});
    return added;
  }

  /// The same without its edge to the node.
  NodeIndex make_delay(NodeIndex node, Ns start, Ns length, std::span<const NodeIndex> sources) {
    if (length <= 0) return {};
    Node delay;
    delay.start_ns = start;
    delay.duration_ns = length;
    delay.lane = draft_.nodes[node].lane;
    delay.set_delayed_node(node);
    delay.step = draft_.nodes[node].step;
    const NodeIndex added(draft_.nodes.size());
    draft_.nodes.push_back(delay);
    for (const NodeIndex source : sources)
      draft_.edges.push_back({source, added, reason_of_device(node)});
    return added;
  }

  NodeIndex add_delay_after(NodeIndex node, const Waited& waited) {
    return add_delay_after(node, waited, draft_.start_ns(node));
  }

  NodeIndex add_delay_after(NodeIndex node, const Waited& waited, Ns end) {
    const Ns start = !waited.binding ? graph_.origin_ns : waited.end_ns;
    const std::span<const NodeIndex> sources(&waited.binding, !waited.binding ? 0 : 1);
    return add_delay(node, start, end - start, sources);
  }

  /// When the thread called. In a loop of queries `node` is the last one, and the first came long
  /// before.
  Ns called_ns(NodeIndex node, const Waited& before) const {
    const Ns start = draft_.start_ns(node);
    const CallIndex call = draft_.nodes[node].call();
    const auto asked = asked_since_.find(call);
    if (asked != asked_since_.end()) return asked->second;
    const bool is_explained = before.binding && before.end_ns >= start;
    return is_explained ? linked_.device.calls.start_ns[call] : start;
  }

  /// The thread was idle until it called, whatever the call then waited for. From the first query
  /// of a loop on, until shortly after the awaited work had ended, it was asking, not idle.
  NodeIndex add_delay_before_call(NodeIndex node, const Waited& before) {
    const Ns called = called_ns(node, before);
    const NodeIndex idle = add_idle_until(called, node, waited(node, Evidence::kSynchronisation));
    if (asked_since_.contains(draft_.nodes[node].call()) && before.end_ns >= called)
      add_delay_after(node, before);
    return idle;
  }

  HandOffPlace place_of_hand_off(NodeIndex source, NodeIndex node) const {
    return {draft_.nodes[source].lane, draft_.nodes[node].lane, draft_.nodes[node].name};
  }

  /// The hand-off that the thread waited for until it went on at `end`: of what the node waits for
  /// it ended last, or no longer before than hand-offs at that place take. None = there is none.
  Waited handed_over_until(Ns end, NodeIndex node, const Waited& before) const {
    if (before.is_repeated_hand_off) return before;
    return waited_for_last(node, [&](const DraftEdge& edge) {
      return is_repeated_hand_off(edge) &&
             hand_off_times_.may_take(place_of_hand_off(edge.source, node),
                                      end - draft_.end_ns(edge.source));
    });
  }

  /// Idle time of the node's thread behind what it waits for. Behind a hand-off the thread's own
  /// time also follows on what the thread itself did before.
  NodeIndex add_idle_until(Ns end, NodeIndex node, const Waited& before) {
    const Waited handed = handed_over_until(end, node, before);
    if (!handed.binding) return add_delay_after(node, before, end);
    const Ns since = end - handed.end_ns;
    const Ns own =
        std::min(hand_off_times_.own_time(place_of_hand_off(handed.binding, node), since),
                 end - before.end_ns);
    if (own <= 0) return add_delay_after(node, before, end);
    std::vector<NodeIndex> sources{handed.binding};
    if (const NodeIndex handed_over = make_delay(node, handed.end_ns, since - own, sources))
      sources = {handed_over};
    for (const DraftEdgeIndex edge : in_.of(node.value))
      if (draft_.edges[edge].evidence == Evidence::kThreadOrder)
        sources.push_back(draft_.edges[edge].source);
    if (std::find(sources.begin(), sources.end(), before.binding) == sources.end() &&
        before.binding != handed.binding)
      sources.push_back(before.binding);
    return add_delay(node, end - own, own, sources);
  }

  void find_hand_off_times() {
    for (const DraftEdge& edge : draft_.edges) {
      if (!is_repeated_hand_off(edge)) continue;
      const NodeIndex node = edge.target;
      const Waited before = waited(node, Evidence::kSynchronisation);
      if (!before.is_repeated_hand_off || before.binding != edge.source) continue;
      const Ns goes_on = draft_.nodes[node].kind == NodeKind::kCall ? called_ns(node, waited(node))
                                                                    : draft_.start_ns(node);
      if (goes_on >= before.end_ns)
        hand_off_times_.add(place_of_hand_off(before.binding, node), goes_on - before.end_ns);
    }
    hand_off_times_.finish();
  }

  /// Where parts were joined, ends say no more when a lane went idle: the idle time measured
  /// before, after all that the node waits for.
  NodeIndex add_measured_delay(NodeIndex node) {
    const Ns idle = draft_.idle_before[node];
    std::vector<NodeIndex> sources;
    Ns start = draft_.start_ns(node) - idle;
    for (const DraftEdgeIndex edge : in_.of(node.value)) {
      sources.push_back(draft_.edges[edge].source);
      start = std::max(start, draft_.start_ns(sources.back()));
    }
    return add_delay(node, start, idle, sources);
  }

  void visit_host(NodeIndex node) {
    const Waited before = waited(node);
    const bool is_joined = !draft_.idle_before.empty() && before.binding;
    const NodeKind kind = draft_.nodes[node].kind;
    const NodeIndex delay = is_joined ? add_measured_delay(node)
                            : kind == NodeKind::kCall
                                ? add_delay_before_call(node, before)
                                : add_idle_until(draft_.start_ns(node), node, before);
    if (kind != NodeKind::kCall) return;
    const CallIndex call = draft_.nodes[node].call();
    if (draft_.call_node[call] == node) delay_of_call_[call] = delay;
  }

  void visit_row(NodeIndex node) {
    const DeviceRowIndex row = draft_.nodes[node].device_row();
    const CallIndex call = linked_.rows.launch[row];
    std::vector<NodeIndex> launch_sources;
    for (const DraftEdgeIndex edge : in_.of(node.value))
      if (draft_.edges[edge].evidence == Evidence::kLaunch)
        launch_sources.push_back(draft_.edges[edge].source);
    // Idle time before a call outside ops holds up what it launches, too.
    const bool is_at_once = call && draft_.launches_at_once(call);
    const NodeIndex idle = is_at_once ? delay_of_call_[call] : NodeIndex();
    const bool has_launch_edge = !launch_sources.empty();
    if (idle && (has_launch_edge || is_first_of_launch_[row])) {
      launch_sources.push_back(idle);
      draft_.edges.push_back({idle, node, Evidence::kLaunch});
    }
    if (delays_ == Delays::kAll) return visit_row_exactly(node, row, launch_sources);
    const bool is_unlaunched = linked_.rows.evidence[row] == LinkEvidence::kUnlaunched;
    Waited before = waited(node);
    for (const NodeIndex source : launch_sources)
      if (draft_.end_ns(source) > before.end_ns) before = {draft_.end_ns(source), source};
    if (!before.binding || is_unlaunched || is_first_on_lane_[row] ||
        reason_of_device(node) != Evidence::kDelay)
      add_delay_after(node, before);
  }

  /// The launch carries its latency; what is left stands on the predecessor that ended last.
  void visit_row_exactly(NodeIndex node, DeviceRowIndex row,
                         const std::vector<NodeIndex>& launch_sources) {
    const Ns start = draft_.nodes[node].start_ns;
    const Waited other = waited(node, Evidence::kLaunch);
    const Ns launched = draft_.submitted_ns(row);
    if (launch_sources.empty() || launched == kNoTime) {
      add_delay_after(node, waited(node));
      return;
    }
    const Ns latency = is_first_of_launch_[row] ? latency_of(row, start - launched) : 0;
    const Ns rest_of = std::max(launched + latency, !other.binding ? kNoTime : other.end_ns);
    const bool launch_binds = !other.binding || launched + latency >= other.end_ns;
    const Ns rest = std::max<Ns>(start - rest_of, 0);
    add_delay(node, launched, latency + (launch_binds ? rest : 0), launch_sources);
    if (!launch_binds && rest > 0) add_delay_after(node, other);
  }

  /// Of the measured time from launch to start what the launch takes; the rest is queueing.
  Ns latency_of(DeviceRowIndex row, Ns measured) const {
    const CallIndex call = linked_.rows.launch[row];
    const bool is_short = call && draft_.launches_at_once(call);
    Ns least = is_short ? work_of_call(call) : least_latency_near(row);
    if (call) {
      const auto known = least_latency_.find(linked_.device.calls.name[call]);
      if (known != least_latency_.end())
        least = is_short ? std::max(least, known->second) : known->second;
    }
    return std::max<Ns>(std::min(measured, least), 0);
  }

  /// A blocking call's own node holds what is left when the wait is taken off.
  Ns work_of_call(CallIndex call) const {
    const NodeIndex node = draft_.call_node[call];
    return node ? draft_.nodes[node].duration_ns : linked_.device.calls.duration_ns[call];
  }

  /// Where nothing is known of the API: the smallest latency of the stream, else of the device; 0
  /// where no launch was binding on either.
  Ns least_latency_near(DeviceRowIndex row) const {
    const LaneIndex lane = linked_.rows.lane[row];
    if (const auto known = least_on_lane_.find(lane); known != least_on_lane_.end())
      return known->second;
    const auto known = least_on_device_.find(linked_.lanes[lane].device);
    return known == least_on_device_.end() ? 0 : known->second;
  }

  void find_first_rows() {
    const std::size_t rows = linked_.rows.lane.size();
    is_first_of_launch_.assign(rows, false);
    is_first_on_lane_.assign(rows, false);
    std::unordered_map<CallIndex, NodeIndex> of_call;
    ByRow<Lane, NodeIndex> on_lane(linked_.lanes.size());
    for (const NodeIndex node : own_nodes_) {
      if (draft_.nodes[node].kind != NodeKind::kDeviceRow) continue;
      const DeviceRowIndex row = draft_.nodes[node].device_row();
      const auto earlier = [&](NodeIndex other) {
        return draft_.start_ns(other) <= draft_.start_ns(node);
      };
      NodeIndex& first = on_lane[draft_.nodes[node].lane];
      if (!first || !earlier(first)) first = node;
      if (const CallIndex call = linked_.rows.launch[row]; call) {
        auto [known, is_new] = of_call.try_emplace(call, node);
        if (!is_new && !earlier(known->second)) known->second = node;
      } else {
        is_first_of_launch_[row] = true;
      }
    }
    for (const auto& [call, node] : of_call)
      is_first_of_launch_[draft_.nodes[node].device_row()] = true;
    for (const NodeIndex node : on_lane)
      if (node) is_first_on_lane_[draft_.nodes[node].device_row()] = true;
  }

  /// Per API, stream and device the smallest time from launch to start among rows that had nothing
  /// else to wait for by then, as far as that is known.
  void find_least_latencies() {
    const ByRow<DeviceRows, bool> may_have_queued = rows_behind_lost_rows(linked_);
    std::unordered_map<StringId, LaunchCount> counts;  // by API name
    for (const NodeIndex node : own_nodes_) {
      if (draft_.nodes[node].kind != NodeKind::kDeviceRow) continue;
      const DeviceRowIndex row = draft_.nodes[node].device_row();
      const Ns launched = draft_.submitted_ns(row);
      if (launched == kNoTime || !is_first_of_launch_[row]) continue;
      const CallIndex call = linked_.rows.launch[row];
      if (call) ++counts[linked_.device.calls.name[call]].all;
      if (!may_have_queued.empty() && may_have_queued[row]) continue;
      const Waited other = waited(node, Evidence::kLaunch);
      const Ns latency = draft_.start_ns(node) - launched;
      if ((other.binding && other.end_ns > launched) || latency < 0) continue;
      const LaneIndex lane = linked_.rows.lane[row];
      if (call) {
        const StringId api = linked_.device.calls.name[call];
        keep_least(least_latency_, api, latency);
        ++counts[api].unhindered;
      }
      keep_least(least_on_lane_, lane, latency);
      keep_least(least_on_device_, linked_.lanes[lane].device, latency);
    }
    forget_held_up(least_latency_);
    forget_held_up(least_on_lane_);
    // One of many may have waited for work of which no record is left.
    std::erase_if(least_latency_, [&](const auto& entry) {
      const LaunchCount& count = counts.at(entry.first);
      return count.unhindered == 1 && count.all >= kManyLaunches;
    });
  }

  static constexpr std::uint32_t kManyLaunches = 10;
  struct LaunchCount {
    std::uint32_t all = 0, unhindered = 0;
  };

  /// What seems to take so much longer than the quickest launch of all waited for something that
  /// the records lack.
  template <class Key>
  void forget_held_up(std::unordered_map<Key, Ns>& least) const {
    constexpr Ns kLaunchesDiffer = 20'000;
    Ns quickest = std::numeric_limits<Ns>::max() - kLaunchesDiffer;
    for (const auto& [device, latency] : least_on_device_) quickest = std::min(quickest, latency);
    std::erase_if(least,
                  [&](const auto& entry) { return entry.second > quickest + kLaunchesDiffer; });
  }

  template <class Key>
  static void keep_least(std::unordered_map<Key, Ns>& least, Key key, Ns latency) {
    const auto [known, is_new] = least.try_emplace(key, latency);
    if (!is_new) known->second = std::min(known->second, latency);
  }

  GraphDraft& draft_;
  const LinkedTrace& linked_;
  Delays delays_;
  BuiltGraph& graph_;
  ValuesByNode<DraftEdgeIndex> in_;
  RowRange<Node> own_nodes_;
  const ByRow<Node, Evidence> reasons_of_device_;
  ByRow<RuntimeCalls, NodeIndex> delay_of_call_;         // delay before its node
  const std::unordered_map<CallIndex, Ns> asked_since_;  // by the last call of a loop
  ByRow<DeviceRows, bool> is_first_of_launch_, is_first_on_lane_;
  std::unordered_map<StringId, Ns> least_latency_;  // by API name
  std::unordered_map<LaneIndex, Ns> least_on_lane_;
  std::unordered_map<std::int64_t, Ns> least_on_device_;
  HandOffTimes hand_off_times_;
};

}  // namespace

void add_delays(GraphDraft& draft, Delays delays, BuiltGraph& graph) {
  DelayMaker(draft, delays, graph).run();
}

}  // namespace nadi
