#include "nadi/graph/wait_edges.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "nadi/graph/stream_order.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// Work somebody waits for: what a lane was given so far, or a single row. Stream order implies all
/// units but the last; where stamps contradict API order, which damaged ones do, two may be that.
struct Source {
  LaneIndex lane;
  DeviceRowIndex row;        ///< set: only this row, and no units
  StreamUnitIndex started;   ///< the unit that starts last; none = there is no unit
  StreamUnitIndex enqueued;  ///< the unit that the lane was given last
  ApiPosition position{0};   ///< of `enqueued`
  Inference inferred = Inference::kNone;
};
/// By lane, one for each lane.
using Sources = std::vector<Source>;
/// A state that nobody changes any more; null = nothing.
using SharedSources = std::shared_ptr<const Sources>;

/// A row or call waits for at most so many rows that are the last of their streams: for those that
/// end last. This bounds the cost of a wait, however many streams there are.
constexpr std::size_t kMostRows = 256;

bool is_on_lower_lane(const Source& a, const Source& b) { return a.lane < b.lane; }

/// Joins two states of one lane, of different times.
void join(Source& known, const Source& source) {
  if (source.position >= known.position) {
    known.enqueued = source.enqueued;
    known.position = source.position;
  }
  if (source.started == known.started) {
    known.inferred = std::min(known.inferred, source.inferred);
  } else if (source.started > known.started) {
    known.started = source.started;
    known.inferred = source.inferred;
  }
}

/// Joins neighbours of one lane.
void join_lanes(Sources& sources) {
  std::size_t size = 0;
  for (const Source& source : sources)
    if (size > 0 && sources[size - 1].lane == source.lane)
      join(sources[size - 1], source);
    else
      sources[size++] = source;
  sources.resize(size);
}

Sources merged(const Sources& a, const Sources& b) {
  Sources all;
  all.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all), is_on_lower_lane);
  join_lanes(all);
  return all;
}

/// The sources without those of the lane, each marked as at least as uncertain as `inferred`.
SharedSources seen_from(const SharedSources& sources, LaneIndex lane, Inference inferred) {
  const auto stays = [&](const Source& source) {
    return source.lane != lane && source.inferred >= inferred;
  };
  if (!sources || std::all_of(sources->begin(), sources->end(), stays)) return sources;
  Sources changed = *sources;
  std::erase_if(changed, [&](const Source& source) { return source.lane == lane; });
  for (Source& source : changed) source.inferred = std::max(source.inferred, inferred);
  return std::make_shared<const Sources>(std::move(changed));
}

/// Replays launches, event records and waits in API order. A stream's state is its last enqueued
/// unit and the foreign work that its next unit must wait for; a record keeps the state, a wait
/// adds a recorded state to a stream, a host wait makes a call depend on a state.
class WaitReplay {
 public:
  WaitReplay(GraphDraft& draft, EdgeList& edges, Diagnostics& diagnostics)
      : draft_(draft),
        linked_(draft.linked),
        edges_(edges),
        diagnostics_(diagnostics),
        given_(linked_.lanes.size()),
        given_before_(draft.units.size()),
        pending_(linked_.lanes.size()),
        state_(linked_.lanes.size()),
        recorded_(linked_.actions.size()),
        last_use_(linked_.actions.size()),
        is_unlisted_(linked_.lanes.size(), false),
        listed_end_(linked_.lanes.size(), kNoTime) {
    for (const StreamActionIndex i : rows_of(linked_.actions))
      if (const StreamAction& action = linked_.actions[i]; uses_record(action))
        last_use_[action.record] = i;
    unit_end_.reserve(draft_.units.size());
    for (const StreamUnitIndex unit : rows_of(draft_.units)) {
      Ns end = kNoTime;
      for_each_last(unit, [&](NodeIndex node) { end = std::max(end, draft_.end_ns(node)); });
      unit_end_.push_back(end);
    }
  }

  void run() {
    const ByRow<InApiOrder, DeviceRowIndex>& rows = linked_.rows_in_api_order;
    ApiPosition next(0);
    const ApiPosition end(rows.size());
    for (const StreamActionIndex i : rows_of(linked_.actions)) {
      const StreamAction& action = linked_.actions[i];
      for (; next < end && is_before(rows[next], action); ++next) enqueue(rows[next], next);
      apply(i);
      if (uses_record(action) && last_use_[action.record] == i) recorded_[action.record].reset();
    }
    for (; next < end; ++next) enqueue(rows[next], next);
  }

 private:
  /// The lanes of one device, or of all.
  struct DeviceLanes {
    std::set<std::pair<Ns, LaneIndex>> by_end;  ///< those that were given work, by its end
    std::set<LaneIndex> across;  ///< those whose next unit waits for another device's work
  };
  static constexpr std::int64_t kAllDevices = -1;

  static bool uses_record(const StreamAction& action) {
    return action.kind == StreamActionKind::kStreamWaitEvent ||
           action.kind == StreamActionKind::kHostWaitEvent;
  }

  bool is_before(DeviceRowIndex row, const StreamAction& action) const {
    const Ns time = enqueue_ns(linked_, row);
    if (time != action.time_ns) return time < action.time_ns;
    // A blocking copy is enqueued by the call that then waits for it.
    return linked_.device.rows.correlation[row] <= action.correlation;
  }

  void enqueue(DeviceRowIndex row, ApiPosition position) {
    const LaneIndex lane = linked_.rows.lane[row];
    const StreamUnitIndex unit = draft_.unit_of_row[row];
    give(lane, unit, position);
    if (!pending_[lane]) return;
    for (const Source& source : *pending_[lane])
      for (const NodeIndex node : draft_.first_nodes(unit)) {
        const Ns start = draft_.start_ns(node) + linked_.clock_resolution_ns;
        for_each_node(source, start, [&](NodeIndex work) {
          edges_.add_recorded({work, node, Evidence::kEventWait, inferred(source, work)},
                              linked_.clock_resolution_ns);
        });
      }
    pending_[lane].reset();
    device_lanes_[linked_.lanes[lane].device].across.erase(lane);
  }

  void give(LaneIndex lane, StreamUnitIndex unit, ApiPosition position) {
    const Source given{lane, {}, unit, unit, position};
    if (!was_given(lane)) {
      given_[lane] = given;
    } else {
      if (given_[lane].enqueued != unit) given_before_[unit] = given_[lane].enqueued;
      join(given_[lane], given);
    }
    if (!is_unlisted_[lane]) unlisted_.push_back(lane);
    is_unlisted_[lane] = true;
    state_[lane].reset();
  }

  /// Lists by its end what lanes were given since this was asked for last.
  void list_ends() {
    for (const LaneIndex lane : unlisted_) {
      const Ns end = end_of(given_[lane]);
      for (const std::int64_t device : {kAllDevices, linked_.lanes[lane].device}) {
        auto& by_end = device_lanes_[device].by_end;
        by_end.erase({listed_end_[lane], lane});
        by_end.insert({end, lane});
      }
      listed_end_[lane] = end;
      is_unlisted_[lane] = false;
    }
    unlisted_.clear();
  }

  Ns end_of(const Source& source) const {
    return std::max(unit_end_[source.started], unit_end_[source.enqueued]);
  }

  /// Visits the work that whoever goes on at the time has waited for: what ends last, and if that
  /// seems to end later, as a damaged row does, what the lane was given before it.
  template <class Visit>
  void for_each_node(const Source& source, Ns time, const Visit& visit) {
    if (source.row) {
      for (const NodeIndex node : draft_.nodes_of(source.row)) visit(node);
      return;
    }
    for_each_last(source.started, visit);
    StreamUnitIndex unit = source.enqueued;
    if (unit != source.started) for_each_last(unit, visit);
    if (is_guess(source.inferred) || ended_by(unit, time)) return;
    for (int i = 0; i < kMostDamaged && unit && !ended_by(unit, time); ++i)
      unit = given_before_[unit];
    if (unit) for_each_last(unit, visit);
  }

  template <class Visit>
  void for_each_last(StreamUnitIndex unit, const Visit& visit) {
    std::span<const NodeIndex> last = draft_.last_nodes(unit);
    if (last.size() > kMostOfManyNodes && ++waits_for_many_[unit] > kMostOfManyNodes)
      last = last.first(kMostOfManyNodes);
    for (const NodeIndex node : last) visit(node);
  }

  /// Work of a graph launch on another lane counts for the stream that it seems launched on.
  Inference inferred(const Source& source, NodeIndex work) const {
    const bool is_of_lane = source.row || draft_.row_lane(work) == source.lane;
    return is_of_lane ? source.inferred : std::max(source.inferred, Inference::kPattern);
  }

  bool ended_by(StreamUnitIndex unit, Ns time) const { return unit_end_[unit] <= time; }

  /// All work of the lane so far.
  SharedSources state_of(LaneIndex lane, Inference inferred) {
    if (!state_[lane]) {
      Sources given;
      if (was_given(lane)) given.push_back(given_[lane]);
      state_[lane] = pending_[lane] ? shared(merged(*pending_[lane], given)) : shared(given);
    }
    return seen_from(state_[lane], LaneIndex(), inferred);
  }

  SharedSources shared(Sources sources) {
    keep_last_to_end(sources);
    return std::make_shared<const Sources>(std::move(sources));
  }

  /// How many rows of it may end last.
  std::size_t last_rows(const Source& source) const {
    const std::size_t started = draft_.last_nodes(source.started).size();
    return source.enqueued == source.started ? started
                                             : started + draft_.last_nodes(source.enqueued).size();
  }

  void keep_last_to_end(Sources& sources) {
    std::size_t rows = 0;
    for (const Source& source : sources) rows += last_rows(source);
    if (rows <= kMostRows) return;
    std::sort(sources.begin(), sources.end(), [&](const Source& a, const Source& b) {
      return std::pair(end_of(a), a.lane) > std::pair(end_of(b), b.lane);
    });
    std::size_t kept = 1;
    rows = last_rows(sources.front());
    while (kept < sources.size() && (rows += last_rows(sources[kept])) <= kMostRows) ++kept;
    report_left_out(sources.size() - kept);
    sources.resize(kept);
    std::sort(sources.begin(), sources.end(), is_on_lower_lane);
  }

  void report_left_out(std::size_t count) {
    diagnostics_.report(Finding::kWaitsForTooManyStreams, {}, count);
  }

  /// The lane's next unit waits for them, too.
  void wait_for(LaneIndex lane, const SharedSources& sources) {
    if (!sources || sources->empty()) return;
    SharedSources& pending = pending_[lane];
    pending = pending ? shared(merged(*pending, *sources)) : sources;
    state_[lane].reset();
    const std::int64_t device = linked_.lanes[lane].device;
    const bool is_across = std::any_of(pending->begin(), pending->end(), [&](const Source& source) {
      return linked_.lanes[source.lane].device != device;
    });
    if (is_across) device_lanes_[device].across.insert(lane);
  }

  void apply(StreamActionIndex i) {
    const StreamAction& action = linked_.actions[i];
    switch (action.kind) {
      case StreamActionKind::kEventRecord:
        if (last_use_[i]) recorded_[i] = state_of(action.lane, action.inferred);
        return;
      case StreamActionKind::kStreamWaitEvent:
        return wait_for(action.lane,
                        seen_from(recorded_[action.record], action.lane, action.inferred));
      case StreamActionKind::kHostWaitEvent:
        if (recorded_[action.record]) block(action, *recorded_[action.record]);
        return;
      case StreamActionKind::kHostWaitStream:
        return block(action, *state_of(action.lane, action.inferred));
      case StreamActionKind::kHostWaitDevice:
        return block(action, state_of_device(action));
      case StreamActionKind::kHostWaitRow: {
        const DeviceRowIndex row = action.row;
        return block(action,
                     {{linked_.rows.lane[row], row, {}, {}, ApiPosition(0), action.inferred}});
      }
    }
  }

  Sources state_of_device(const StreamAction& action) {
    list_ends();
    const DeviceLanes& lanes = device_lanes_[std::max(action.device, kAllDevices)];
    Sources all;
    for (auto lane = lanes.by_end.rbegin(); lane != lanes.by_end.rend() && all.size() < kMostRows;
         ++lane)
      all.push_back(given_[lane->second]);
    if (lanes.by_end.size() > kMostRows) report_left_out(lanes.by_end.size() - kMostRows);
    if (action.device >= 0) add_work_of_others(action.device, lanes.across, all);
    std::sort(all.begin(), all.end(), is_on_lower_lane);
    join_lanes(all);
    keep_last_to_end(all);
    for (Source& source : all) source.inferred = std::max(source.inferred, action.inferred);
    return all;
  }

  /// What the lanes of the device wait for of other devices: of its own they have been given more.
  void add_work_of_others(std::int64_t device, const std::set<LaneIndex>& lanes,
                          Sources& all) const {
    const std::size_t most = all.size() + kMostRows;
    for (auto lane = lanes.begin(); lane != lanes.end() && all.size() < most; ++lane)
      for (const Source& source : *pending_[*lane])
        if (linked_.lanes[source.lane].device != device) all.push_back(source);
  }

  bool was_given(LaneIndex lane) const { return static_cast<bool>(given_[lane].started); }

  /// The call worked only after what it waited for had ended, at the latest when it returned; what
  /// ended later, by more than the clock may be off, it did not wait for.
  void block(const StreamAction& action, const Sources& sources) {
    const NodeIndex call = draft_.call_node[action.call];
    Node& node = draft_.nodes[call];
    const Ns returned = node.start_ns + node.duration_ns;
    Ns begin = node.start_ns;
    std::vector<DraftEdge> edges;
    for (const Source& source : sources)
      for_each_node(source, returned + kClockLeeway, [&](NodeIndex work) {
        edges.push_back({work, call, Evidence::kSynchronisation, inferred(source, work)});
        const Ns end = draft_.end_ns(work);
        const bool may_blur = !is_guess(source.inferred) && draft_.start_ns(work) < returned;
        if (end <= returned + (may_blur ? kClockLeeway : 0)) begin = std::max(begin, end);
      });
    node.start_ns = std::min(begin, returned);
    node.duration_ns = returned - node.start_ns;
    for (const DraftEdge& edge : edges) edges_.add_recorded(edge, kClockLeeway);
  }

  GraphDraft& draft_;
  const LinkedTrace& linked_;
  EdgeList& edges_;
  Diagnostics& diagnostics_;
  ByRow<Lane, Source> given_;                        // all it was given so far
  ByRow<StreamUnit, StreamUnitIndex> given_before_;  // the unit that its lane was given before
  ByRow<StreamUnit, Ns> unit_end_;                   // when the last of its nodes ends
  std::unordered_map<StreamUnitIndex, std::size_t> waits_for_many_;  // of units of very many nodes
  ByRow<Lane, SharedSources> pending_;                // what its next unit must wait for
  ByRow<Lane, SharedSources> state_;                  // its state, if asked for since it changed
  ByRow<StreamAction, SharedSources> recorded_;       // up to its last use
  ByRow<StreamAction, StreamActionIndex> last_use_;   // the last action that refers to it
  std::map<std::int64_t, DeviceLanes> device_lanes_;  // as of list_ends
  std::vector<LaneIndex> unlisted_;
  ByRow<Lane, bool> is_unlisted_;
  ByRow<Lane, Ns> listed_end_;
};

}  // namespace

void add_wait_edges(GraphDraft& draft, EdgeList& edges, Diagnostics& diagnostics) {
  if (!draft.linked.actions.empty()) WaitReplay(draft, edges, diagnostics).run();
}

}  // namespace nadi
