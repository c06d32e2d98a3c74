// The stages that build a graph, in the order of build_graph: nodes, then edges.
#pragma once

#include "nadi/graph/edge_list.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// So many rows of a lane in a row may be damaged and seem to end after what waited for them.
inline constexpr int kMostDamaged = 4;

/// A row may carry very many recorded operations, each a node. What so many nodes or calls wait for
/// all of them; what else waits for them waits for so many of them.
inline constexpr std::uint32_t kMostOfManyNodes = 64;

/// Nodes of all host lanes: ops, the parts of their own time, calls outside ops and calls that
/// block.
void make_host_nodes(GraphDraft& draft);
/// Nodes of all device rows; a coalesced kernel gets one for each operation it carries.
void make_device_nodes(GraphDraft& draft, Diagnostics& diagnostics);

/// Makes the annotations of host backends (Gloo, MPI, UCC) communication nodes. Their work is done
/// by other threads, so they hold no time of the lane.
void add_host_communications(GraphDraft& draft, Diagnostics& diagnostics);

/// Each node of a host lane -> the next.
void add_thread_order(const GraphDraft& draft, EdgeList& edges);
/// Device row -> next on its lane; inside one graph launch only rows that had ended hold up others.
/// Makes the draft's units, which what follows goes by, and marks misplaced rows.
void add_stream_order(GraphDraft& draft, EdgeList& edges, Diagnostics& diagnostics);
/// Rows of one graph launch that started right when a row of another of its lanes ended, and long
/// after their own lane was free: they waited for it. So may the next row of a lane. Inferred.
void add_graph_launch_order(const GraphDraft& draft, EdgeList& edges);
/// Event waits and synchronisation, from linked.actions in API order. Moves the start of each call
/// that blocked to the end of what it waited for.
void add_wait_edges(GraphDraft& draft, EdgeList& edges, Diagnostics& diagnostics);
/// What a linked JSON tells by itself (linked.recorded_dependencies): device row or op -> device
/// row or op. An op still open waits, or is waited for, with the part of its time that allows it.
void add_linked_json_edges(const GraphDraft& draft, EdgeList& edges);
/// Adds waits of rows whose launch lies before the trace, so that no call shows what their stream
/// waited for. Where each launched row of that name and place on the stream waited for the last row
/// of one name on another, such a row did, too, if it began right when that one ended, and its own
/// stream does not explain when it began. Inferred.
void add_unlaunched_waits(const GraphDraft& draft, EdgeList& edges);
/// Forward thread -> backward thread and back, and forward op -> backward op.
void add_thread_hand_off(const GraphDraft& draft, EdgeList& edges);
/// Where a thread was long idle and nothing explains its going on: the end of work of the only
/// other thread that stopped right then, and for long, holds it up. Inferred.
void add_gap_hand_off(const GraphDraft& draft, EdgeList& edges);
/// Collective -> next collective of the same process group.
void add_group_order(const GraphDraft& draft, EdgeList& edges);
/// Lane node that ends where the launch begins -> device row; after all other host edges.
void add_launch_edges(const GraphDraft& draft, EdgeList& edges);
/// Op -> its child ops, parts, calls, device rows.
void add_nesting(const GraphDraft& draft, EdgeList& edges);

}  // namespace nadi
