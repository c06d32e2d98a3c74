// The stages that build a graph, in the order of build_graph: nodes, then edges.
#pragma once

#include "nadi/graph/edge_list.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// So many rows of a lane in a row may be damaged and seem to end after what waited for them.
inline constexpr int kMostDamaged = 4;

/// A row may carry very many recorded operations, each a node. The first so many nodes or calls
/// that wait for them wait for all; each later one waits for so many of them.
inline constexpr std::uint32_t kMostOfManyNodes = 64;

/// Makes the nodes of all host lanes: ops, the parts of their own time, calls outside ops and calls
/// that block.
void make_host_nodes(GraphDraft& draft);
/// Makes the nodes of all device rows; a coalesced kernel gets one for each operation it carries.
void make_device_nodes(GraphDraft& draft, Diagnostics& diagnostics);

/// Makes the annotations of host backends (Gloo, MPI, UCC) communication nodes. Their work is done
/// by other threads, so they hold no time of the lane.
void add_host_communications(GraphDraft& draft, Diagnostics& diagnostics);

/// Adds edges from each node of a host lane to the next.
void add_thread_order(const GraphDraft& draft, EdgeList& edges);
/// Adds edges from each device row to the next on its lane; inside one graph launch only rows that
/// had ended hold up others, unless its order is recorded. Makes the draft's units, which what
/// follows goes by, and marks misplaced rows.
void add_stream_order(GraphDraft& draft, EdgeList& edges, Diagnostics& diagnostics);
/// Adds what rows of launches of CUDA graphs wait for inside them, as it was recorded. A row that
/// was launched programmatically starts before what it waits for has ended: the overlap is counted.
void add_graph_dependencies(const GraphDraft& draft, EdgeList& edges);
/// Adds waits of rows of one graph launch that started right when a row of another of its lanes
/// ended, and long after their own lane was free: they waited for it. So may the next row of a
/// lane. Inferred; launches of recorded order have no need of it.
void add_graph_launch_order(const GraphDraft& draft, EdgeList& edges);
/// Adds event waits and synchronisation, from linked.actions in API order. Moves the start of each
/// call that blocked to the end of what it waited for.
void add_wait_edges(GraphDraft& draft, EdgeList& edges, Diagnostics& diagnostics);
/// Adds linked.recorded_dependencies: device row or op -> device row or op. An op still open waits,
/// or is waited for, with the part of its time that allows it.
void add_recorded_dependencies(const GraphDraft& draft, EdgeList& edges);
/// Adds waits of rows whose launch lies before the trace, so that no call shows what their stream
/// waited for. Where each launched row of that name and place on the stream waited for the last row
/// of one name on another, such a row did, too, if it began right when that one ended, and its own
/// stream does not explain when it began. Inferred.
void add_unlaunched_waits(const GraphDraft& draft, EdgeList& edges);
/// Adds edges forward thread -> backward thread and back, and forward op -> backward op.
void add_thread_hand_off(const GraphDraft& draft, EdgeList& edges);
/// Adds hand-offs where a thread was long idle and nothing explains its going on: the end of work
/// of the only other thread that stopped right then, and for long, holds it up. Inferred.
void add_gap_hand_off(const GraphDraft& draft, EdgeList& edges);
/// Adds edges from each collective to the next one of its process group.
void add_group_order(const GraphDraft& draft, EdgeList& edges);
/// Adds edges from the lane node that ends where the launch begins to the device row; comes after
/// all other host edges.
void add_launch_edges(const GraphDraft& draft, EdgeList& edges);
/// Adds edges from each op to its child ops, parts, calls and device rows.
void add_nesting(const GraphDraft& draft, EdgeList& edges);

}  // namespace nadi
