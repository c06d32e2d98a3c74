#include "graph_edges.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace nadi::vm {

namespace {

class Recorder {
 public:
  Recorder(const RankProgram& program, const RankRun& run, const WriteOptions& options)
      : program_(program), run_(run), options_(options) {}

  GraphRecords record() {
    choose_rows();
    find_correlations();
    for (std::size_t row = 0; row < run_.rows.size(); ++row)
      if (records_.is_written[row]) add_edges(static_cast<int>(row));
    return std::move(records_);
  }

 private:
  using Node = std::pair<int, int>;  // graph, place in it
  /// Rows the export takes for one node of one launch: the last of them carries the edges (N36).
  using NodeOfLaunch = std::tuple<std::int64_t, int, int>;  // correlation, graph, place

  const Call& call_of(const RowRun& row) const { return at(program_.calls, row.call); }
  Node node_of(const RowRun& row) const {
    const Call& call = call_of(row);
    return {call.graph, call.graph < 0 ? row.ordinal : first_of_node(call, row.ordinal)};
  }
  NodeOfLaunch key_of(int row) const {
    const auto [graph, place] = node_of(at(run_.rows, row));
    return {at(records_.correlation, row), graph, place};
  }

  static bool has_child(const Call& call) {
    return std::any_of(call.rows.begin(), call.rows.end(),
                       [](const Row& row) { return row.is_in_child; });
  }

  // Kineto has no rows of host and event nodes. The row of an event node is known by its place
  // among all of its graph, which a child graph leaves unknown (N35).
  bool is_told(const RowRun& row) const {
    if (!row.is_recorded) return false;
    const EventCategory kind = row_of(program_, row).kind;
    const bool is_new = kind == EventCategory::kEventRecord || kind == EventCategory::kHostNode;
    if (options_.form == DeviceForm::kKineto) return !is_new;
    if (kind != EventCategory::kEventRecord) return true;
    return options_.has_event_nodes && !has_child(call_of(row));
  }

  void choose_rows() {
    for (const RowRun& row : run_.rows) {
      records_.is_written.push_back(is_told(row));
      if (records_.is_written.back()) seen_.insert(node_of(row));
    }
    records_.is_waiting.assign(run_.rows.size(), false);
  }

  /// Launches of a graph that the device got while it still ran work of an earlier launch.
  std::set<int> queued_launches() const {
    std::vector<int> order(program_.calls.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      return at(run_.calls, a).correlation < at(run_.calls, b).correlation;
    });
    std::set<int> queued;
    std::map<int, Ns> latest;  // by graph
    for (int call : order) {
      if (at(program_.calls, call).kind != CallKind::kGraphLaunch) continue;
      Ns& end = latest[at(program_.calls, call).graph];
      if (end > at(run_.calls, call).span.start) queued.insert(call);
      for (int row : at(run_.calls, call).rows) end = std::max(end, at(run_.rows, row).span.end);
    }
    return queued;
  }

  void find_correlations() {
    const std::set<int> queued =
        options_.has_host_correlations ? std::set<int>{} : queued_launches();
    for (const RowRun& row : run_.rows) {
      const bool is_lost =
          row_of(program_, row).kind == EventCategory::kHostNode && queued.contains(row.call);
      records_.correlation.push_back(is_lost ? 0 : at(run_.calls, row.call).correlation);
    }
    for (std::size_t row = 0; row < run_.rows.size(); ++row)
      if (records_.is_written[row])
        row_of_node_[key_of(static_cast<int>(row))] = static_cast<int>(row);
  }

  void add_edges(int row) {
    const RowRun& run = at(run_.rows, row);
    const Call& call = call_of(run);
    const bool is_known = call.kind == CallKind::kGraphLaunch && call.has_known_edges &&
                          options_.has_graph_edges && !row_of(program_, run).is_in_child;
    if (!is_known) return;
    const std::set<int> before = nearest_before(call, run.ordinal);
    records_.is_waiting[u(row)] = !before.empty();
    if (row_of_node_.at(key_of(row)) != row) return;
    for (int place : before) {
      const auto found = row_of_node_.find({at(records_.correlation, row), call.graph, place});
      if (found != row_of_node_.end()) records_.edges.emplace_back(found->second, row);
    }
  }

  std::set<int> nearest_before(const Call& call, int place) const {
    std::set<int> found, visited;
    const int own = first_of_node(call, place);
    visited.insert(own);
    std::vector<int> open = at(call.rows, own).after;
    while (!open.empty()) {
      const int earlier = first_of_node(call, open.back());
      open.pop_back();
      if (!visited.insert(earlier).second) continue;
      const Row& row = at(call.rows, earlier);
      if (!row.is_in_child && seen_.contains({call.graph, earlier})) {
        found.insert(earlier);
      } else {
        open.insert(open.end(), row.after.begin(), row.after.end());
      }
    }
    return found;
  }

  const RankProgram& program_;
  const RankRun& run_;
  const WriteOptions& options_;
  GraphRecords records_;
  std::set<Node> seen_;  // nodes that have a row in the file
  std::map<NodeOfLaunch, int> row_of_node_;
};

}  // namespace

std::uint64_t graph_id(const Call& call) {
  constexpr std::uint64_t kFirst = 3;
  return call.kind == CallKind::kGraphLaunch ? kFirst + static_cast<std::uint64_t>(call.graph) : 0;
}

int first_of_node(const Call& call, int place) {
  const int first = at(call.rows, place).same_node;
  return first < 0 ? place : first;
}

std::uint64_t graph_node_id(const Call& call, int place) {
  place = first_of_node(call, place);
  const bool is_in_child = at(call.rows, place).is_in_child;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < call.rows.size(); ++i) {
    if (call.rows[i].same_node >= 0) continue;
    const bool is_earlier =
        call.rows[i].is_in_child == is_in_child ? static_cast<int>(i) < place : is_in_child;
    before += is_earlier ? 1 : 0;
  }
  return before;
}

GraphRecords graph_records(const RankProgram& program, const RankRun& run,
                           const WriteOptions& options) {
  return Recorder(program, run, options).record();
}

}  // namespace nadi::vm
