#include <algorithm>

#include "nadi/graph/stages.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// Work somebody waits for: what a lane was given so far, or a single row. Stream order implies all
/// units but the last; where stamps contradict API order, which damaged ones do, two may be that.
struct Source {
  std::uint32_t lane = kNoIndex;
  std::uint32_t row = kNoIndex;       ///< set: only this row, and no units
  std::uint32_t started = kNoIndex;   ///< the unit that starts last; kNoIndex = none
  std::uint32_t enqueued = kNoIndex;  ///< the unit that the lane was given last
  std::uint32_t place = 0;            ///< of `enqueued`, in API order
  Inference inferred = Inference::kNone;
};
using Sources = std::vector<Source>;

/// Joins what the same lane was given by two times.
void join(Source& known, const Source& source) {
  if (source.place >= known.place) {
    known.enqueued = source.enqueued;
    known.place = source.place;
  }
  if (source.started == known.started) {
    known.inferred = std::min(known.inferred, source.inferred);
  } else if (source.started > known.started) {
    known.started = source.started;
    known.inferred = source.inferred;
  }
}

void add_source(Sources& sources, const Source& source) {
  for (Source& known : sources)
    if (known.lane == source.lane && known.row == kNoIndex && source.row == kNoIndex)
      return join(known, source);
  sources.push_back(source);
}

/// Replays launches, event records and waits in API order. A stream's state is its last enqueued
/// unit and the foreign work that its next unit must wait for; a record copies the state, a wait
/// adds a recorded state to a stream, a host wait makes a call depend on a state.
class WaitReplay {
 public:
  WaitReplay(Draft& draft, Diagnostics& diagnostics)
      : draft_(draft),
        linked_(draft.linked),
        diagnostics_(diagnostics),
        given_(linked_.lanes.size()),
        given_before_(draft.units.size(), kNoIndex),
        pending_(linked_.lanes.size()),
        recorded_(linked_.actions.size()) {}

  void run() {
    const std::vector<std::uint32_t>& rows = linked_.rows.in_api_order;
    std::uint32_t next = 0;
    for (std::uint32_t i = 0; i < linked_.actions.size(); ++i) {
      const StreamAction& action = linked_.actions[i];
      for (; next < rows.size() && is_before(rows[next], action); ++next) enqueue(rows[next], next);
      apply(action, i);
    }
    for (; next < rows.size(); ++next) enqueue(rows[next], next);
  }

 private:
  bool is_before(std::uint32_t row, const StreamAction& action) const {
    const Ns time = enqueue_ns(linked_, row);
    if (time != action.time_ns) return time < action.time_ns;
    // A blocking copy is enqueued by the call that then waits for it.
    return linked_.device.rows.correlation[row] <= action.correlation;
  }

  void enqueue(std::uint32_t row, std::uint32_t place) {
    const std::uint32_t lane = linked_.rows.lane[row].value;
    const std::uint32_t unit = draft_.unit_of_row[row];
    give(lane, unit, place);
    const StreamUnit& waiting = draft_.units[unit];
    for (const Source& source : pending_[lane])
      for (std::uint32_t i = waiting.first_begin; i < waiting.first_end; ++i) {
        const std::uint32_t node = draft_.unit_nodes[i];
        const Ns start = draft_.start_ns(node) + linked_.clock_resolution_ns;
        for_each_node(source, start, [&](std::uint32_t work) {
          draft_.add_recorded_edge({work, node, Evidence::kEventWait, source.inferred},
                                   linked_.clock_resolution_ns, diagnostics_);
        });
      }
    pending_[lane].clear();
  }

  void give(std::uint32_t lane, std::uint32_t unit, std::uint32_t place) {
    const Source given{lane, kNoIndex, unit, unit, place};
    if (!was_given(lane)) {
      given_[lane] = given;
      return;
    }
    if (given_[lane].enqueued != unit) given_before_[unit] = given_[lane].enqueued;
    join(given_[lane], given);
  }

  /// Visits the work that whoever goes on at the time has waited for: what ends last, and if that
  /// seems to end later, as a damaged row does, what the lane was given before it.
  template <class Visit>
  void for_each_node(const Source& source, Ns time, const Visit& visit) const {
    if (source.row != kNoIndex) {
      for (std::uint32_t node = draft_.row_node[source.row]; node < draft_.row_node[source.row + 1];
           ++node)
        visit(node);
      return;
    }
    for_each_last(source.started, visit);
    std::uint32_t unit = source.enqueued;
    if (unit != source.started) for_each_last(unit, visit);
    if (is_guess(source.inferred) || ended_by(unit, time)) return;
    for (int i = 0; i < kMostDamaged && unit != kNoIndex && !ended_by(unit, time); ++i)
      unit = given_before_[unit];
    if (unit != kNoIndex) for_each_last(unit, visit);
  }

  template <class Visit>
  void for_each_last(std::uint32_t of_unit, const Visit& visit) const {
    const StreamUnit& unit = draft_.units[of_unit];
    for (std::uint32_t i = unit.last_begin; i < unit.last_end; ++i) visit(draft_.unit_nodes[i]);
  }

  bool ended_by(std::uint32_t unit, Ns time) const {
    bool ended = true;
    for_each_last(unit, [&](std::uint32_t node) { ended = ended && draft_.end_ns(node) <= time; });
    return ended;
  }

  /// All work of the lane so far.
  Sources state_of(LaneIndex lane, Inference inferred) const {
    Sources sources = pending_[lane.value];
    if (was_given(lane.value)) add_source(sources, given_[lane.value]);
    for (Source& source : sources) source.inferred = std::max(source.inferred, inferred);
    return sources;
  }

  void apply(const StreamAction& action, std::uint32_t place) {
    switch (action.kind) {
      case StreamActionKind::kEventRecord:
        recorded_[place] = state_of(action.lane, action.inferred);
        return;
      case StreamActionKind::kStreamWaitEvent:
        for (Source source : recorded_[action.record]) {
          source.inferred = std::max(source.inferred, action.inferred);
          if (source.lane != action.lane.value) add_source(pending_[action.lane.value], source);
        }
        return;
      case StreamActionKind::kHostWaitEvent:
        return block(action, recorded_[action.record]);
      case StreamActionKind::kHostWaitStream:
        return block(action, state_of(action.lane, action.inferred));
      case StreamActionKind::kHostWaitDevice:
        return block(action, state_of_device(action));
      case StreamActionKind::kHostWaitRow: {
        const std::uint32_t row = action.row.value;
        return block(action,
                     {{linked_.rows.lane[row].value, row, kNoIndex, kNoIndex, 0, action.inferred}});
      }
    }
  }

  Sources state_of_device(const StreamAction& action) const {
    Sources all;
    const auto is_meant = [&](std::uint32_t lane) {
      return linked_.lanes[lane].is_device &&
             (action.device < 0 || linked_.lanes[lane].device == action.device);
    };
    for (std::uint32_t lane = 0; lane < linked_.lanes.size(); ++lane)
      if (is_meant(lane) && was_given(lane)) all.push_back(given_[lane]);
    for (std::uint32_t lane = 0; lane < linked_.lanes.size(); ++lane)
      if (is_meant(lane))
        for (const Source& source : pending_[lane]) add_source(all, source);
    for (Source& source : all) source.inferred = std::max(source.inferred, action.inferred);
    return all;
  }

  bool was_given(std::uint32_t lane) const { return given_[lane].started != kNoIndex; }

  /// The call worked only after what it waited for had ended, at the latest when it returned; what
  /// ended later, by more than the clock may be off, it did not wait for.
  void block(const StreamAction& action, const Sources& sources) {
    const std::uint32_t call = draft_.call_node[action.call.value];
    Node& node = draft_.nodes[call];
    const Ns returned = node.start_ns + node.duration_ns;
    Ns begin = node.start_ns;
    std::vector<DraftEdge> edges;
    for (const Source& source : sources)
      for_each_node(source, returned + kClockLeeway, [&](std::uint32_t work) {
        edges.push_back({work, call, Evidence::kSynchronisation, source.inferred});
        const Ns end = draft_.end_ns(work);
        const bool may_blur = !is_guess(source.inferred) && draft_.start_ns(work) < returned;
        if (end <= returned + (may_blur ? kClockLeeway : 0)) begin = std::max(begin, end);
      });
    node.start_ns = std::min(begin, returned);
    node.duration_ns = returned - node.start_ns;
    for (const DraftEdge& edge : edges) draft_.add_recorded_edge(edge, kClockLeeway, diagnostics_);
  }

  Draft& draft_;
  const LinkedTrace& linked_;
  Diagnostics& diagnostics_;
  std::vector<Source> given_;                // by lane: all it was given so far
  std::vector<std::uint32_t> given_before_;  // by unit: the unit that its lane was given before
  std::vector<Sources> pending_;             // by lane
  std::vector<Sources> recorded_;            // by action
};

}  // namespace

void add_waits(Draft& draft, Diagnostics& diagnostics) {
  if (!draft.linked.actions.empty()) WaitReplay(draft, diagnostics).run();
}

}  // namespace nadi
