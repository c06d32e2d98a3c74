#include "nadi/graph/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "nadi/base/beside.h"
#include "nadi/base/error.h"
#include "nadi/graph/delays.h"
#include "nadi/graph/device_lanes.h"
#include "nadi/graph/edge_list.h"
#include "nadi/graph/filter_steps.h"
#include "nadi/graph/gap_hand_off.h"
#include "nadi/graph/graph_draft.h"
#include "nadi/graph/graph_launch_order.h"
#include "nadi/graph/group_order.h"
#include "nadi/graph/hand_off.h"
#include "nadi/graph/host_communications.h"
#include "nadi/graph/host_lanes.h"
#include "nadi/graph/join_hand_off.h"
#include "nadi/graph/join_parts.h"
#include "nadi/graph/launch_edges.h"
#include "nadi/graph/number_nodes.h"
#include "nadi/graph/recorded_dependencies.h"
#include "nadi/graph/reduce_edges.h"
#include "nadi/graph/stream_order.h"
#include "nadi/graph/thread_activities.h"
#include "nadi/graph/unlaunched_waits.h"
#include "nadi/graph/wait_edges.h"

namespace nadi {
namespace {

/// The trace's first event, or the first node kept of the steps wanted or of ops without times.
Ns origin_of(const GraphDraft& draft, const GraphOptions& options) {
  if (const Ns first = draft.linked.device.first_ns; !options.steps && first != kNoTime)
    return first;
  Ns first = std::numeric_limits<Ns>::max();
  for (const Node& node : draft.nodes) first = std::min(first, node.start_ns);
  return first;
}

/// Stamps come from strangers: what nodes and delays take must not overflow in any reader.
void require_short_times(const BuiltGraph& graph) {
  double sum = 0;
  for (const Ns duration : graph.duration_ns) sum += static_cast<double>(duration);
  if (sum > kLongestSum)
    throw Error(ErrorCode::kInput, "the trace", "its nodes and delays would take over 30 years",
                "Look for times of another clock in it, or leave out delays (`delays=none`)");
}

/// Hand-offs guessed from what repeats. Needs all calls of the trace, as they show when threads
/// were awake.
void add_repeated_hand_off(const GraphDraft& draft, EdgeList& edges) {
  if (!draft.linked.has_all_calls) return;
  Activities activities = thread_activities(draft, edges);
  if (add_join_hand_off(activities, draft.linked.hypotheses, edges))
    activities = thread_activities(draft, edges);  // more of them are explained
  add_gap_hand_off(activities, draft.linked.hypotheses, edges);
}

/// Needs the times that add_wait_edges gives calls. Hand-offs take longer to find than all others,
/// and are found on a second thread; some of what is recorded is a hand-off, too.
void add_host_edges(const GraphDraft& draft, EdgeList& edges, Diagnostics& diagnostics) {
  Diagnostics of_second;
  EdgeList second(draft, of_second);
  auto found = begin_beside([&] {
    add_recorded_dependencies(draft, second);
    add_thread_hand_off(draft, second);
    add_repeated_hand_off(draft, second);
  });
  add_thread_order(draft, edges);
  add_group_order(draft, edges);
  add_nesting(draft, edges);
  found.get();
  edges.append(second);
  diagnostics.merge(of_second);
}

}  // namespace

BuiltGraph build_graph(const LinkedTrace& linked, const GraphOptions& options,
                       Diagnostics& diagnostics) {
  GraphDraft draft(linked);
  make_host_nodes(draft);
  make_device_nodes(draft, diagnostics);
  add_host_communications(draft, diagnostics);

  EdgeList edges(draft, diagnostics);
  edges.reserve(draft.nodes.size() / 2 * 5);  // more than most traces need
  add_stream_order(draft, edges, diagnostics);
  add_graph_dependencies(draft, edges);
  add_graph_launch_order(draft, edges);
  add_wait_edges(draft, edges, diagnostics);
  add_host_edges(draft, edges, diagnostics);
  add_unlaunched_waits(draft, edges);
  add_launch_edges(draft, edges);
  draft.edges = edges.take();

  if (options.steps) filter_steps(draft, *options.steps, diagnostics);
  reduce_edges(draft);

  BuiltGraph graph;
  graph.lateness_ns = join_parts(draft, options);
  graph.origin_ns = origin_of(draft, options);
  add_delays(draft, options.delays, graph);
  if (graph.unrecorded_works > 0)
    diagnostics.report(
        Finding::kUnrecordedWork,
        fmt::format("{:.3f} ms in all", static_cast<double>(graph.unrecorded_work_ns) / 1e6),
        graph.unrecorded_works);
  const auto access = find_memory_copies(linked, options.memory_nodes, diagnostics);
  number_nodes(draft, access, graph, diagnostics);
  require_short_times(graph);
  graph.exclusive_ns = std::move(draft.exclusive_ns);
  return graph;
}

}  // namespace nadi
