#include "truth.h"

#include <fmt/format.h>

#include "graph_edges.h"
#include "nadi/base/error.h"
#include "truth_lanes.h"

namespace nadi::vm {

namespace {

void check_ops_take_time(const Program& program, const Execution& run, int rank) {
  const RankProgram& code = program.ranks[u(rank)];
  for (std::size_t i = 0; i < code.ops.size(); ++i) {
    const Span span = run.ranks[u(rank)].ops[i].span;
    if (span.end == span.start && !code.ops[i].is_host_only)
      throw Error(ErrorCode::kUsage, program.name, "op " + code.ops[i].name + " takes no time",
                  "Give it some work");
  }
}

// Adds the device rows; returns the node of the first.
int add_rows(const RankProgram& program, const RankRun& run, Truth& truth) {
  const int first = static_cast<int>(truth.nodes.size());
  for (const RowRun& row : run.rows) {
    const Row& what = row_of(program, row);
    TruthNode node;
    node.kind = TruthKind::kDeviceRow;
    node.name = what.name;
    node.correlation = run.calls[u(row.call)].correlation;
    node.row = row.ordinal;
    node.stream = number_on_device(what.stream);
    node.carried = what.carried.size();
    node.is_recorded = row.is_recorded;
    node.start_ns = row.span.start;
    node.duration_ns = row.span.end - row.span.start;
    truth.nodes.push_back(std::move(node));
  }
  return first;
}

/// The only row of those that ends last, if it does so after `earliest`; else -1.
int last_of(const std::vector<RowDependency>& rows, const RankRun& run, Ns earliest) {
  int last = -1;
  bool is_only = false;
  for (const RowDependency& item : rows) {
    const Ns end = at(run.rows, item.row).span.end;
    if (end < earliest || item.row == last) continue;
    is_only = end > earliest;
    if (end > earliest) last = item.row;
    earliest = end;
  }
  return is_only ? last : -1;
}

/// The latest end of what a row waits for that would let it start as its launch does.
Ns launch_start(const Program& program, const RankProgram& code, const RankRun& run,
                const RowRun& row) {
  const Call& call = at(code.calls, row.call);
  const Span span = at(run.calls, row.call).span;
  return (launches_at_return(call) ? span.end : span.start) + call.latency - program.row_gap;
}

/// Both rows are of a graph whose nodes the profiler knows, of no child graph, and the last of
/// their node in the launch (N4, N35, N36).
bool is_known_graph(const RankProgram& code, const RankRun& run, int row, int other) {
  const auto is_known = [&](int index) {
    const RowRun& of = at(run.rows, index);
    const Call& call = at(code.calls, of.call);
    const int node = first_of_node(call, of.ordinal);
    bool is_last = true;
    for (std::size_t i = u(of.ordinal) + 1; i < call.rows.size(); ++i)
      is_last = is_last && call.rows[i].same_node != node;
    return call.has_known_edges && !row_of(code, of).is_in_child && is_last;
  };
  return is_known(row) && is_known(other);
}

/// What a row waits for. Event-record nodes of graphs are no work: what follows one also follows
/// what that one follows.
std::vector<RowDependency> dependencies_of(const RankProgram& code, const RankRun& run, int row,
                                           bool has_graph_edges) {
  std::vector<RowDependency> all = at(run.rows, row).after;
  for (std::size_t i = 0; i < all.size(); ++i) {
    RowDependency& item = all[i];
    if (item.kind != EdgeKind::kGraphOrder) continue;
    item.shown = item.shown || (has_graph_edges && is_known_graph(code, run, item.row, row));
    const RowRun& before = at(run.rows, item.row);
    if (row_of(code, before).kind != EventCategory::kEventRecord) continue;
    const bool is_shown = item.shown;
    for (RowDependency earlier : before.after) {
      earlier.shown = earlier.shown && is_shown;
      if (earlier.kind == EdgeKind::kGraphOrder) all.push_back(earlier);
    }
  }
  return all;
}

void add_device_edges(const Program& program, const RankProgram& code, const RankRun& run,
                      const HostLanes& lanes, int first_row, bool has_graph_edges, Truth& truth) {
  const auto add_rows_before = [&](const std::vector<RowDependency>& rows, int to, int binding) {
    for (const RowDependency& item : rows)
      truth.edges.push_back({first_row + item.row, to, item.kind, item.shown, item.row == binding});
  };
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const RowRun& row = run.rows[i];
    const int to = first_row + static_cast<int>(i);
    for (const HostLanes::Source& source : lanes.launch_sources[u(row.call)])
      truth.edges.push_back({source.node, to, source.kind, source.kind != EdgeKind::kQueue});
    add_rows_before(dependencies_of(code, run, static_cast<int>(i), has_graph_edges), to,
                    last_of(row.after, run, launch_start(program, code, run, row)));
  }
  for (std::size_t i = 0; i < run.calls.size(); ++i)
    if (lanes.call_node[i] >= 0)
      add_rows_before(run.calls[i].waited, lanes.call_node[i],
                      last_of(run.calls[i].waited, run, run.calls[i].span.start));
}

// Pairs of rows of one lane of one graph launch, the second started after the first had ended, or
// seems to have: their order keeps them free of cycles. Where the profiler recorded what waits for
// what, a trace makes nothing look so.
std::vector<std::pair<int, int>> lane_intervals(const RankProgram& program, const RankRun& run,
                                                int first_row, Ns blur, bool has_graph_edges) {
  std::vector<std::pair<int, int>> pairs;
  for (const CallRun& call : run.calls)
    for (int a : call.rows)
      for (int b : call.rows)
        if (a != b && !(has_graph_edges && is_known_graph(program, run, a, b)) &&
            row_of(program, run.rows[u(a)]).stream == row_of(program, run.rows[u(b)]).stream &&
            std::pair(run.rows[u(a)].span.start, a) < std::pair(run.rows[u(b)].span.start, b) &&
            run.rows[u(a)].span.end <= run.rows[u(b)].span.start + blur)
          pairs.emplace_back(first_row + a, first_row + b);
  return pairs;
}

}  // namespace

Truth make_truth(const Program& program, const Execution& run, int rank, Ns blur_ns,
                 bool has_graph_edges) {
  check_ops_take_time(program, run, rank);
  const RankProgram& code = program.ranks[u(rank)];
  const RankRun& times = run.ranks[u(rank)];
  Truth truth;
  const HostLanes lanes = add_host_lanes(code, times, truth);
  const int first_row = add_rows(code, times, truth);
  add_device_edges(program, code, times, lanes, first_row, has_graph_edges, truth);

  std::vector<std::pair<int, int>> pairs;
  for (const TruthEdge& edge : truth.edges) pairs.emplace_back(edge.from, edge.to);
  truth.before = closure(truth.nodes.size(), pairs);
  for (const auto& pair : lane_intervals(code, times, first_row, blur_ns, has_graph_edges))
    pairs.push_back(pair);
  truth.tolerated = closure(truth.nodes.size(), pairs);
  return truth;
}

std::vector<TruthNode> truth_nodes(const Program& program, const Execution& run, int rank) {
  Truth truth;
  add_host_lanes(program.ranks[u(rank)], run.ranks[u(rank)], truth);
  add_rows(program.ranks[u(rank)], run.ranks[u(rank)], truth);
  return std::move(truth.nodes);
}

const char* to_string(TruthKind kind) {
  constexpr const char* kNames[] = {"op", "part", "call", "device row"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string describe(const TruthNode& node) {
  const Ns end = node.start_ns + node.duration_ns;
  switch (node.kind) {
    case TruthKind::kOp:
      return fmt::format("op {} (rf {}) on thread {} [{}, {}]", node.name, node.rf_id, node.tid,
                         node.start_ns, end);
    case TruthKind::kPart:
      return fmt::format("part {} of {} (rf {}) on thread {} [{}, {}]", node.part, node.name,
                         node.rf_id, node.tid, node.start_ns, end);
    case TruthKind::kCall:
      return fmt::format("call {} (correlation {}) on thread {} [{}, {}]", node.name,
                         node.correlation, node.tid, node.start_ns, end);
    case TruthKind::kDeviceRow:
      break;
  }
  return fmt::format("row {} of correlation {} ({}) on stream {} [{}, {}]", node.row,
                     node.correlation, node.name, node.stream, node.start_ns, end);
}

Truth truth_of(const Program& program, int rank) {
  return make_truth(program, execute(program), rank);
}

}  // namespace nadi::vm
