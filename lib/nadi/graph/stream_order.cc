#include "nadi/graph/stream_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "nadi/graph/api_contradictions.h"
#include "nadi/graph/dependent_launch.h"
#include "nadi/graph/interval_order.h"
#include "nadi/model/graph_launch.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

using Nodes = std::vector<NodeIndex>;

/// Rows of a stream that started together and hold up what comes next.
constexpr std::size_t kMostBeside = 16;
/// … and of one graph launch.
constexpr std::ptrdiff_t kMostBesideInGraph = 64;

/// A lane of more neighbours that overlap by more than this is no queue (MTIA: 8.7 to 42 us).
constexpr Ns kMostOverlap = 8'000;
constexpr std::size_t kLeastOverlapping = 2, kQueueShare = 100;

/// Walks the rows of one device lane in start order, unit by unit.
class LaneOrder {
 public:
  LaneOrder(GraphDraft& draft, const ByRow<DeviceRows, bool>& has_early_successor, EdgeList& edges,
            Diagnostics& diagnostics)
      : draft_(draft),
        recorded_(draft.recorded_launches),
        has_early_successor_(has_early_successor),
        edges_(edges),
        diagnostics_(diagnostics) {}

  void add_lane(const std::vector<DeviceRowIndex>& lane) {
    before_.clear();
    launched_units_.clear();
    misplaced_.clear();
    is_queue_ = runs_one_at_a_time(lane);
    beside_ = IntervalOrder();
    const auto [rows, misplaced] = split_by_api_order(lane);
    auto next = misplaced.begin();
    for (std::size_t begin = 0; begin < rows.size();) {
      std::size_t end = begin + 1;
      while (is_queue_ && end < rows.size() && is_one_launch(rows[begin], rows[end])) ++end;
      for (; next != misplaced.end() && starts_before(*next, rows[begin]); ++next)
        add_misplaced(*next);
      add_unit({rows.begin() + static_cast<std::ptrdiff_t>(begin),
                rows.begin() + static_cast<std::ptrdiff_t>(end)});
      begin = end;
    }
    for (; next != misplaced.end(); ++next) add_misplaced(*next);
  }

 private:
  /// Rows in start order; of a queue those that stand where API order says they cannot.
  struct SplitLane {
    std::vector<DeviceRowIndex> rows, misplaced;
  };
  /// A unit in API order, and when the last call began that launched it or one before it.
  struct LaunchedUnit {
    Ns submitted_ns;
    StreamUnitIndex unit;
  };

  SplitLane split_by_api_order(const std::vector<DeviceRowIndex>& lane) {
    if (!is_queue_) return {lane, {}};
    const std::vector<bool> is_misplaced = positions_against_api_order(draft_.linked, lane);
    if (is_misplaced.empty()) return {lane, {}};
    SplitLane split;
    for (std::size_t position = 0; position < lane.size(); ++position)
      (is_misplaced[position] ? split.misplaced : split.rows).push_back(lane[position]);
    return split;
  }

  bool starts_before(DeviceRowIndex a, DeviceRowIndex b) const {
    return row_start_ns(draft_.linked, a) < row_start_ns(draft_.linked, b);
  }

  bool is_one_launch(DeviceRowIndex a, DeviceRowIndex b) const {
    return is_one_graph_launch(draft_.linked, a, b);
  }

  /// False where more than one in a hundred neighbours of different launches overlap far.
  bool runs_one_at_a_time(const std::vector<DeviceRowIndex>& rows) const {
    std::size_t overlapping = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const Ns end = row_end_ns(draft_.linked, rows[i - 1]);
      if (end - row_start_ns(draft_.linked, rows[i]) > kMostOverlap &&
          !is_one_launch(rows[i - 1], rows[i]))
        ++overlapping;
    }
    return overlapping < kLeastOverlapping || overlapping * kQueueShare < rows.size();
  }

  UnitNodeIndex append(const Nodes& nodes) {
    draft_.unit_nodes.insert(draft_.unit_nodes.end(), nodes.begin(), nodes.end());
    return UnitNodeIndex(draft_.unit_nodes.size());
  }

  void add_unit(const std::vector<DeviceRowIndex>& rows) {
    const bool is_launched = static_cast<bool>(draft_.linked.rows.launch[rows.front()]);
    const Ns launched = enqueue_ns(draft_.linked, rows.front());
    if (is_launched) wait_for_misplaced(launched);
    Nodes first, last;
    if (rows.size() == 1 && !recorded_.has_order(rows.front()))
      add_single(rows.front(), first, last);
    else
      add_graph_launch(rows, first, last);
    const StreamUnitIndex unit = push_unit(rows, first, last);
    before_ = std::move(last);
    if (!is_launched) return;
    const Ns before = launched_units_.empty() ? launched : launched_units_.back().submitted_ns;
    launched_units_.push_back({std::max(before, launched), unit});
  }

  StreamUnitIndex push_unit(const std::vector<DeviceRowIndex>& rows, const Nodes& first,
                            const Nodes& last) {
    const StreamUnitIndex unit(draft_.units.size());
    const UnitNodeIndex begin(draft_.unit_nodes.size());
    const UnitNodeIndex end_of_first = append(first);
    draft_.units.push_back({begin, end_of_first, append(last)});
    for (const DeviceRowIndex row : rows) draft_.unit_of_row[row] = unit;
    return unit;
  }

  /// A row whose stamps are damaged follows what the lane was given before it and holds up what
  /// starts later and was given after it; what lies between by its stamps goes on without it.
  void add_misplaced(DeviceRowIndex row) {
    const Nodes nodes = nodes_of(row);
    const Ns launched = enqueue_ns(draft_.linked, row);
    const auto after =
        std::partition_point(launched_units_.begin(), launched_units_.end(),
                             [&](const LaunchedUnit& u) { return u.submitted_ns < launched; });
    const Nodes given = after == launched_units_.begin() ? Nodes() : last_of((after - 1)->unit);
    for (const NodeIndex node : nodes)
      for (const NodeIndex source : given)
        edges_.add_certain({source, node, Evidence::kStreamOrder});
    push_unit({row}, nodes, nodes);
    misplaced_.emplace(launched, nodes);
    draft_.is_misplaced[row] = true;
    report_misplaced(row);
  }

  Nodes last_of(StreamUnitIndex unit) const {
    const std::span<const NodeIndex> all = draft_.last_nodes(unit);
    Nodes last(all.begin(), all.end());
    keep_last_to_end(last);
    return last;
  }

  void report_misplaced(DeviceRowIndex row) {
    const LinkedTrace& linked = draft_.linked;
    diagnostics_.report(Finding::kRowAgainstApiOrder, [&] {
      return fmt::format("{}, correlation {}", linked.strings[linked.device.rows.name[row]],
                         linked.device.rows.correlation[row]);
    });
  }

  /// Adds the misplaced rows that were launched before a unit to what it waits for.
  void wait_for_misplaced(Ns launched) {
    const auto end = misplaced_.lower_bound(launched);
    Nodes given;
    for (auto row = misplaced_.begin(); row != end; ++row)
      given.insert(given.end(), row->second.begin(), row->second.end());
    misplaced_.erase(misplaced_.begin(), end);
    keep_last_to_end(given);
    before_.insert(before_.end(), given.begin(), given.end());
  }

  Nodes nodes_of(DeviceRowIndex row) const {
    Nodes nodes;
    for (const NodeIndex node : draft_.nodes_of(row)) nodes.push_back(node);
    return nodes;
  }

  /// On a queue what started together with the row cannot hold it up, elsewhere all that still
  /// runs; both hold up what comes next then. Of very many only those that end last, so that
  /// garbage times do not make a graph explode.
  void add_single(DeviceRowIndex row, Nodes& first, Nodes& last) {
    first = nodes_of(row);
    const Ns start = draft_.start_ns(first.front());
    Nodes beside;
    for (const NodeIndex source : before_)
      if (draft_.end_ns(source) > start && (!is_queue_ || draft_.start_ns(source) >= start))
        beside.push_back(source);
    const Nodes sources = is_queue_ ? before_ : ended_beside(start);
    for (std::size_t i = 0; i < first.size(); ++i) {
      add_edges(sources, i, first[i]);
      if (!is_queue_) beside_.add(first[i], start, draft_.end_ns(first[i]));
    }
    last = first;
    keep_last_to_end(beside);
    last.insert(last.end(), beside.begin(), beside.end());
  }

  /// Edges to the node, at that position among those that wait for the same sources. Where there
  /// are very many of both, not all pairs get one, but all sources and all nodes.
  void add_edges(const Nodes& sources, std::size_t position, NodeIndex node) {
    const std::size_t count =
        position < kMostOfManyNodes ? sources.size() : std::min(sources.size(), kMostOfManyNodes);
    for (std::size_t i = 0; i < count; ++i)
      if (draft_.row_lane(sources[i]) == draft_.row_lane(node))
        edges_.add_certain({sources[i], node, Evidence::kStreamOrder});
      else
        edges_.add({sources[i], node, Evidence::kGraphOrder, Inference::kPattern});
  }

  void keep_last_to_end(Nodes& nodes, std::size_t most = kMostBeside) const {
    if (nodes.size() <= most) return;
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](NodeIndex a, NodeIndex b) { return draft_.end_ns(a) > draft_.end_ns(b); });
    nodes.resize(most);
  }

  Nodes ended_beside(Ns start) {
    const std::deque<IntervalOrder::Entry>& ended = beside_.waited_for(start);
    Nodes nodes;
    for (auto e = ended.rbegin(); e != ended.rend() && nodes.size() < kMostBeside; ++e)
      nodes.push_back(e->node);
    return nodes;
  }

  /// Inside one graph launch a row waits for those rows that had ended when it started and that no
  /// other such row waited for, of very many for those that end last; a row that found none waits
  /// for what came before the launch. A row whose successor begins early is over for the others
  /// when that begins. Between rows of recorded order nothing is added here.
  void add_graph_launch(const std::vector<DeviceRowIndex>& rows, Nodes& first, Nodes& last) {
    IntervalOrder order;
    const bool has_record = std::any_of(
        rows.begin(), rows.end(), [&](DeviceRowIndex row) { return recorded_.has_order(row); });
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Nodes nodes = nodes_of(rows[i]);
      const Ns start = draft_.start_ns(nodes.front());
      const std::deque<IntervalOrder::Entry>& ended = order.waited_for(start);
      const bool is_recorded = recorded_.has_order(rows[i]);
      const bool is_first = is_recorded ? !recorded_.has_earlier_on_lane(rows[i]) : ended.empty();
      const auto end_last = ended.end() - std::min(std::ssize(ended), kMostBesideInGraph);
      for (const NodeIndex node : nodes) {
        for (auto e = end_last; e != ended.end(); ++e)
          if (!has_record)
            edges_.add_certain({e->node, node, Evidence::kGraphOrder, order_of_cut(*e, start)});
          else if (!is_recorded || !is_recorded_node(e->node))
            edges_.add({e->node, node, Evidence::kGraphOrder, Inference::kTiming});
        if (!is_first) continue;
        add_edges(before_, first.size(), node);
        first.push_back(node);
      }
      for (const NodeIndex node : nodes)
        order.add(node, start,
                  has_early_successor_[rows[i]]
                      ? std::min(draft_.end_ns(node), row_start_ns(draft_.linked, rows[i + 1]))
                      : draft_.end_ns(node));
    }
    last = order.last();
    if (has_record) add_recorded_ends(rows, first, last);
    keep_last_to_end(last, kMostBesideInGraph);
  }

  /// A row of a Perfetto trace that ends as the next one starts may have run on beside it (P15).
  Inference order_of_cut(const IntervalOrder::Entry& ended, Ns start) const {
    const bool may_be_cut = draft_.linked.device.is_perfetto && draft_.end_ns(ended.node) == start;
    return may_be_cut ? Inference::kTiming : Inference::kNone;
  }

  bool is_recorded_node(NodeIndex node) const {
    return recorded_.has_order(draft_.nodes[node].device_row());
  }

  /// What ends a launch, as far as its order is recorded. The stream that it was launched on waits
  /// for its rows on all lanes, and they for what the stream was given before.
  void add_recorded_ends(const std::vector<DeviceRowIndex>& rows, Nodes& first, Nodes& last) {
    std::erase_if(last, [&](NodeIndex node) { return is_recorded_node(node); });
    const auto add_nodes = [&](DeviceRowIndex row, Nodes& nodes) {
      const Nodes more = nodes_of(row);
      nodes.insert(nodes.end(), more.begin(), more.end());
    };
    const RecordedLaunches::OtherLanes* others = nullptr;
    for (const DeviceRowIndex row : rows) {
      if (!recorded_.has_order(row)) continue;
      if (!recorded_.has_later_on_lane(row)) add_nodes(row, last);
      if (others == nullptr) others = recorded_.launched_here(row);
    }
    if (others == nullptr) return;
    const std::size_t own = first.size();
    for (const DeviceRowIndex row : others->first) add_nodes(row, first);
    for (std::size_t i = own; i < first.size(); ++i) add_edges(before_, i, first[i]);
    for (const DeviceRowIndex row : others->last) add_nodes(row, last);
  }

  GraphDraft& draft_;
  const RecordedLaunches& recorded_;
  const ByRow<DeviceRows, bool>& has_early_successor_;
  EdgeList& edges_;
  Diagnostics& diagnostics_;
  bool is_queue_ = true;  // the lane runs one row at a time
  Nodes before_;          // what the next unit of the lane waits for
  IntervalOrder beside_;  // of the rows of a lane that is no queue
  std::vector<LaunchedUnit> launched_units_;
  std::multimap<Ns, Nodes> misplaced_;  // rows that no unit waited for yet, by launch
};

/// Of very many nodes of two rows not all pairs get an edge, but all nodes do.
void add_row_dependency(const GraphDraft& draft, const GraphDependency& one, EdgeList& edges) {
  const RowRange sources = draft.nodes_of(one.source), targets = draft.nodes_of(one.target);
  const NodeIndex first = *sources.begin();
  for (const NodeIndex target : targets) {
    const bool is_one_of_first = target - *targets.begin() < kMostOfManyNodes;
    const std::size_t count =
        is_one_of_first ? sources.size() : std::min(sources.size(), kMostOfManyNodes);
    for (const NodeIndex source : RowRange(first, first + count))
      edges.add_certain({source, target, Evidence::kGraphDependency});
  }
}

}  // namespace

void add_graph_dependencies(const GraphDraft& draft, EdgeList& edges) {
  for (const GraphDependency& one : draft.linked.graph_dependencies)
    add_row_dependency(draft, one, edges);
}

void add_stream_order(GraphDraft& draft, EdgeList& edges, Diagnostics& diagnostics) {
  draft.unit_of_row.assign(draft.linked.rows.lane.size(), {});
  draft.is_misplaced.assign(draft.linked.rows.lane.size(), false);
  const ByRow<DeviceRows, bool> has_early_successor = rows_with_early_successor(draft.linked);
  LaneOrder order(draft, has_early_successor, edges, diagnostics);
  for (const auto& rows : draft.linked.rows_by_lane) order.add_lane(rows);
}

}  // namespace nadi
