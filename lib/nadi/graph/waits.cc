#include <algorithm>

#include "nadi/graph/stages.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// Work somebody waits for: a unit of a lane, or a single row.
struct Source {
  std::uint32_t unit = kNoIndex;
  std::uint32_t row = kNoIndex;  ///< set: only this row, not its whole unit
  std::uint32_t lane = kNoIndex;
  bool inferred = false;
};
using Sources = std::vector<Source>;

/// Adds a source; of one lane only the latest counts, since stream order implies the rest.
void add_source(Sources& sources, const Source& source) {
  for (Source& known : sources)
    if (known.lane == source.lane && known.row == kNoIndex && source.row == kNoIndex) {
      if (source.unit > known.unit)
        known = source;
      else if (source.unit == known.unit)
        known.inferred = known.inferred && source.inferred;
      return;
    }
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
        tail_(linked_.lanes.size(), kNoIndex),
        pending_(linked_.lanes.size()),
        recorded_(linked_.actions.size()) {}

  void run() {
    const std::vector<std::uint32_t> rows = rows_in_api_order(linked_);
    std::size_t next = 0;
    for (std::uint32_t i = 0; i < linked_.actions.size(); ++i) {
      const StreamAction& action = linked_.actions[i];
      for (; next < rows.size() && is_before(rows[next], action); ++next) enqueue(rows[next]);
      apply(action, i);
    }
    for (; next < rows.size(); ++next) enqueue(rows[next]);
  }

 private:
  bool is_before(std::uint32_t row, const StreamAction& action) const {
    const Ns time = enqueue_ns(linked_, row);
    if (time != action.time_ns) return time < action.time_ns;
    // A blocking copy is enqueued by the call that then waits for it.
    return linked_.device.rows.correlation[row] <= action.correlation;
  }

  void enqueue(std::uint32_t row) {
    const std::uint32_t lane = linked_.rows.lane[row].value;
    const std::uint32_t unit = draft_.unit_of_row[row];
    if (tail_[lane] == kNoIndex || unit > tail_[lane]) tail_[lane] = unit;
    if (pending_[lane].empty()) return;
    const StreamUnit& waiting = draft_.units[unit];
    for (const Source& source : pending_[lane])
      for_each_node(source, [&](std::uint32_t node) {
        for (std::uint32_t i = waiting.first_begin; i < waiting.first_end; ++i)
          draft_.add_recorded_edge(
              {node, draft_.unit_nodes[i], Evidence::kEventWait, source.inferred},
              linked_.clock_resolution_ns, diagnostics_);
      });
    pending_[lane].clear();
  }

  template <class Visit>
  void for_each_node(const Source& source, Visit visit) const {
    if (source.row != kNoIndex) {
      for (std::uint32_t node = draft_.row_node[source.row]; node < draft_.row_node[source.row + 1];
           ++node)
        visit(node);
      return;
    }
    const StreamUnit& unit = draft_.units[source.unit];
    for (std::uint32_t i = unit.last_begin; i < unit.last_end; ++i) visit(draft_.unit_nodes[i]);
  }

  /// All work of the lane so far.
  Sources state_of(LaneIndex lane, bool inferred) const {
    Sources sources = pending_[lane.value];
    if (tail_[lane.value] != kNoIndex)
      add_source(sources, {tail_[lane.value], kNoIndex, lane.value, false});
    if (inferred)
      for (Source& source : sources) source.inferred = true;
    return sources;
  }

  void apply(const StreamAction& action, std::uint32_t place) {
    switch (action.kind) {
      case StreamActionKind::kEventRecord:
        recorded_[place] = state_of(action.lane, action.inferred);
        return;
      case StreamActionKind::kStreamWaitEvent:
        for (Source source : recorded_[action.record]) {
          source.inferred |= action.inferred;
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
        return block(action, {{draft_.unit_of_row[row], row, linked_.rows.lane[row].value,
                               action.inferred}});
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
      if (is_meant(lane) && tail_[lane] != kNoIndex)
        all.push_back({tail_[lane], kNoIndex, lane, action.inferred});
    for (std::uint32_t lane = 0; lane < linked_.lanes.size(); ++lane)
      if (is_meant(lane))
        for (Source source : pending_[lane]) {
          source.inferred |= action.inferred;
          add_source(all, source);
        }
    return all;
  }

  /// The call worked only after what it waited for had ended, at the latest when it returned; what
  /// ended later, by more than the clock may be off, it did not wait for.
  void block(const StreamAction& action, const Sources& sources) {
    const std::uint32_t call = draft_.call_node[action.call.value];
    Node& node = draft_.nodes[call];
    const Ns returned = node.start_ns + node.duration_ns;
    Ns begin = node.start_ns;
    std::vector<DraftEdge> edges;
    for (const Source& source : sources)
      for_each_node(source, [&](std::uint32_t work) {
        edges.push_back({work, call, Evidence::kSynchronisation, source.inferred});
        const Ns end = draft_.end_ns(work);
        const bool may_blur = !source.inferred && draft_.start_ns(work) < returned;
        if (end <= returned + (may_blur ? kClockLeeway : 0)) begin = std::max(begin, end);
      });
    node.start_ns = std::min(begin, returned);
    node.duration_ns = returned - node.start_ns;
    for (const DraftEdge& edge : edges) draft_.add_recorded_edge(edge, kClockLeeway, diagnostics_);
  }

  Draft& draft_;
  const LinkedTrace& linked_;
  Diagnostics& diagnostics_;
  std::vector<std::uint32_t> tail_;  // by lane: last unit enqueued so far
  std::vector<Sources> pending_;     // by lane
  std::vector<Sources> recorded_;    // by action
};

}  // namespace

void add_waits(Draft& draft, Diagnostics& diagnostics) {
  if (!draft.linked.actions.empty()) WaitReplay(draft, diagnostics).run();
}

}  // namespace nadi
