#include "nadi/linked_json/joins.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "nadi/link/linked_ops.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// An op or a device row.
struct NodeEnd {
  HostOpIndex op;
  DeviceRowIndex row;  ///< counts where it is set
};

/// Ops and device rows by the id of their node; of equal ids the first counts, ops before rows.
class NodeIds {
 public:
  explicit NodeIds(const LinkedJson& json) {
    const HostOps& ops = json.host.ops;
    ends_.reserve(ops.size() + json.row_id.size());
    for (const HostOpIndex op : rows_of(ops))
      if (!is_root(json.host.strings[ops.name[op]])) ends_.push_back({ops.id[op], {op, {}}});
    for (const DeviceRowIndex row : rows_of(json.row_id))
      ends_.push_back({json.row_id[row], {{}, row}});
    std::stable_sort(ends_.begin(), ends_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }

  std::optional<NodeEnd> find(std::uint64_t id) const {
    const auto found = std::partition_point(ends_.begin(), ends_.end(),
                                            [=](const auto& end) { return end.first < id; });
    if (found == ends_.end() || found->first != id) return std::nullopt;
    return found->second;
  }

 private:
  std::vector<std::pair<std::uint64_t, NodeEnd>> ends_;
};

TraceJoins joins_of(LinkedJson& json, const NodeIds& ids) {
  TraceJoins joins;
  joins.match = std::move(json.match);
  joins.settled = json.others;  // what streams waited for stands with the rows
  for (const std::uint64_t caller : json.row_caller) {
    const auto op = ids.find(caller);
    joins.callers.push_back(op ? op->op : HostOpIndex());
  }
  for (const LinkedJsonBlock& block : json.blocks) {
    const auto work = ids.find(block.row.id);
    if (block.row.id == 0) joins.blocks.push_back({block.call, {}, {}});
    if (work && work->row) joins.blocks.push_back({block.call, work->row, block.row.inferred});
  }
  return joins;
}

/// A wait for an op of MLCommons' files means the last device row of each stream that it launched.
class LaunchedRows {
 public:
  explicit LaunchedRows(const LinkedTrace& linked) : linked_(linked) {
    for (const DeviceRowIndex row : rows_of(linked.rows))
      if (const LinkedOpIndex op = linked.rows.parent[row]) rows_.emplace_back(op, row);
    std::sort(rows_.begin(), rows_.end());
  }

  /// Returns the row of each lane that ends last, of those the op launched, else of those launched
  /// inside it; ascending by end. Of more than 4,096 rows the later ones count, of more than 16
  /// lanes those that end last.
  const std::vector<DeviceRowIndex>& last_of(LinkedOpIndex op) {
    const auto [known, is_new] = last_.try_emplace(op);
    if (!is_new) return known->second;
    auto [row, end] = of_ops(op, op + 1);
    if (row == end) std::tie(row, end) = of_ops(op + 1, end_of_subtree(op));
    ByLane by_lane;
    for (; row != end; ++row) {
      const auto [last, is_first] =
          by_lane.try_emplace(linked_.rows.lane[row->second], row->second);
      if (!is_first && end_ns(row->second) >= end_ns(last->second)) last->second = row->second;
    }
    std::vector<DeviceRowIndex>& rows = known->second;
    rows = by_time(by_lane, [&](DeviceRowIndex r) { return end_ns(r); });
    if (rows.size() > kMostLanes) rows.erase(rows.begin(), rows.end() - kMostLanes);
    return rows;
  }

  /// Returns the first row of each lane but `except` that starts at the time or later, of those the
  /// op launched by itself; ascending by start. As many as above.
  std::vector<DeviceRowIndex> first_from(LinkedOpIndex op, Ns time, LaneIndex except) const {
    ByLane by_lane;
    auto [row, end] = of_ops(op, op + 1);
    for (; row != end; ++row) {
      const LaneIndex lane = linked_.rows.lane[row->second];
      if (lane == except || start_ns(row->second) < time) continue;
      const auto [first, is_first] = by_lane.try_emplace(lane, row->second);
      if (!is_first && start_ns(row->second) < start_ns(first->second)) first->second = row->second;
    }
    auto rows = by_time(by_lane, [&](DeviceRowIndex r) { return start_ns(r); });
    if (rows.size() > kMostLanes) rows.resize(kMostLanes);
    return rows;
  }

 private:
  static constexpr std::ptrdiff_t kMostRows = 4096;
  static constexpr std::size_t kMostLanes = 16;
  using ByLane = std::map<LaneIndex, DeviceRowIndex>;
  using Row = std::pair<LinkedOpIndex, DeviceRowIndex>;
  using Rows = std::vector<Row>::const_iterator;

  Ns start_ns(DeviceRowIndex row) const { return row_start_ns(linked_, row); }
  Ns end_ns(DeviceRowIndex row) const { return row_end_ns(linked_, row); }

  template <class Time>
  static std::vector<DeviceRowIndex> by_time(const ByLane& by_lane, const Time& time_of) {
    std::vector<DeviceRowIndex> rows;
    for (const auto& entry : by_lane) rows.push_back(entry.second);
    std::stable_sort(rows.begin(), rows.end(),
                     [&](DeviceRowIndex a, DeviceRowIndex b) { return time_of(a) < time_of(b); });
    return rows;
  }

  std::pair<Rows, Rows> of_ops(LinkedOpIndex first_op, LinkedOpIndex end_op) const {
    const auto end = std::lower_bound(rows_.begin(), rows_.end(), Row{end_op, DeviceRowIndex(0)});
    const auto first = std::lower_bound(rows_.begin(), end, Row{first_op, DeviceRowIndex(0)});
    return {end - std::min(kMostRows, end - first), end};
  }

  /// Ops stand by lane and start, so what an op encloses stands behind it.
  LinkedOpIndex end_of_subtree(LinkedOpIndex op) const {
    const LinkedOps& ops = linked_.ops;
    const auto begin = ops.start_ns.begin() + op.value + 1;
    const auto lane_end =
        std::upper_bound(ops.lane.begin() + op.value, ops.lane.end(), ops.lane[op]);
    const auto end = std::lower_bound(begin, ops.start_ns.begin() + (lane_end - ops.lane.begin()),
                                      ops.start_ns[op] + ops.duration_ns[op]);
    return LinkedOpIndex(static_cast<std::size_t>(end - ops.start_ns.begin()));
  }

  const LinkedTrace& linked_;
  std::vector<Row> rows_;  // ascending
  std::map<LinkedOpIndex, std::vector<DeviceRowIndex>> last_;
};

class Dependencies {
 public:
  explicit Dependencies(const LinkedTrace& linked)
      : linked_(linked),
        launched_(linked),
        op_of_host_(linked_ops_of_host(linked.ops, linked.host.ops.size())) {}

  void add(const LinkedJsonWait& wait, const NodeEnd& source, const NodeEnd& target,
           bool is_by_nadi) {
    const DependencyEnd from = end_of(source), to = end_of(target);
    const bool is_for_op = !wait.is_hand_off && !to.row;
    if (is_for_op && is_by_nadi && from.row) return;  // its blocking call says it better
    if (is_for_op && !is_by_nadi && add_for_rows(from, to.op)) return;
    found_.push_back({from, to, wait.is_hand_off, wait.source.inferred});
  }

  std::vector<RecordedDependency> take() { return std::move(found_); }

 private:
  DependencyEnd end_of(const NodeEnd& end) const {
    return {end.op ? op_of_host_[end.op] : LinkedOpIndex(), end.row};
  }

  /// Waits of an op for device rows, recorded by the rows or by the op that launched them. False
  /// where the source is an op that launched nothing.
  bool add_for_rows(const DependencyEnd& source, LinkedOpIndex target) {
    const std::vector<DeviceRowIndex> sources =
        source.row ? std::vector{source.row} : launched_.last_of(source.op);
    const std::size_t first = is_full() && !sources.empty() ? sources.size() - 1 : 0;
    for (std::size_t i = first; i < sources.size(); ++i) add_for_row(sources[i], target);
    return !sources.empty();
  }

  /// Beyond so many a wait for several rows counts for the last one: no file takes all memory.
  bool is_full() const { return found_.size() >= (1U << 22); }

  void add_for_row(DeviceRowIndex row, LinkedOpIndex target) {
    const DependencyEnd source{LinkedOpIndex(), row};
    const LinkedOps& ops = linked_.ops;
    const Ns end = row_end_ns(linked_, row);
    std::vector<DeviceRowIndex> waiting;
    if (end > ops.start_ns[target] + ops.duration_ns[target])
      waiting = launched_.first_from(target, end, linked_.rows.lane[row]);
    if (is_full() && !waiting.empty()) waiting.resize(1);
    for (const DeviceRowIndex other : waiting) found_.push_back({source, {LinkedOpIndex(), other}});
    if (waiting.empty()) found_.push_back({source, {target, {}}});
  }

  const LinkedTrace& linked_;
  LaunchedRows launched_;
  const ByRow<HostOps, LinkedOpIndex> op_of_host_;
  std::vector<RecordedDependency> found_;
};

}  // namespace

LinkedTrace link_traces(LinkedJson json, const LinkOptions& options, Diagnostics& diagnostics) {
  const NodeIds ids(json);
  const TraceJoins joins = joins_of(json, ids);
  LinkedTrace linked =
      join_traces(std::move(json.host), std::move(json.device), joins, options, diagnostics);
  linked.has_all_calls = false;
  linked.clocks = std::move(json.clocks);
  Dependencies dependencies(linked);
  for (const LinkedJsonWait& wait : json.waits) {
    const auto source = ids.find(wait.source.id), target = ids.find(wait.target);
    if (source && target)
      dependencies.add(wait, *source, *target, json.is_by_nadi);
    else
      diagnostics.report(Finding::kRecordedWaitUnresolved, [&] {
        return fmt::format("node {} waits for {}", wait.target, wait.source.id);
      });
  }
  linked.recorded_dependencies = dependencies.take();
  return linked;
}

}  // namespace nadi
