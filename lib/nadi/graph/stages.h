// The stages that build a graph, in the order of build_graph: nodes, then edges.
#pragma once

#include "nadi/graph/edge_list.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Where rows of a lane seem to end after what waited for them, their stamps are damaged: the
/// search for work that had ended passes over at most so many of them.
inline constexpr int kMostDamaged = 4;

/// A device row that carries very many recorded operations has a node for each. The first so many
/// nodes or calls that wait for the row wait for all its nodes; each later one waits for so many of
/// them.
inline constexpr std::size_t kMostOfManyNodes = 64;

/// Makes the nodes of all host lanes: ops, the parts of their own time, calls outside ops and calls
/// that block.
void make_host_nodes(GraphDraft& draft);
/// Makes the nodes of all device rows; a coalesced kernel gets one for each operation it carries.
void make_device_nodes(GraphDraft& draft, Diagnostics& diagnostics);

/// Makes a communication node of each annotation of a host backend (Gloo, MPI, UCC). Other threads
/// do its work, so the node holds no time of its lane.
void add_host_communications(GraphDraft& draft, Diagnostics& diagnostics);

/// Adds edges from each node of a host lane to the next.
void add_thread_order(const GraphDraft& draft, EdgeList& edges);
/// Adds stream order: an edge from each device row to the next on its lane. Inside one launch of a
/// CUDA graph, a row waits only for rows that had ended when it started; where the order of the
/// launch is recorded, add_graph_dependencies adds it instead. Makes the draft's units, which the
/// stages behind this one go by, and marks misplaced rows: those that stand on their lane where API
/// order says they cannot.
void add_stream_order(GraphDraft& draft, EdgeList& edges, Diagnostics& diagnostics);
/// Adds the dependencies that were recorded inside launches of CUDA graphs. A row that was launched
/// programmatically starts before the row that it waits for has ended: the overlap is counted.
void add_graph_dependencies(const GraphDraft& draft, EdgeList& edges);
/// Infers waits between the lanes of one launch of a CUDA graph. A row waited for a row of another
/// lane if it started right when that row ended, and long after its own lane was free. The first
/// row behind the launch on one of its lanes may have waited so, too. Launches whose order is
/// recorded are passed over.
void add_graph_launch_order(const GraphDraft& draft, EdgeList& edges);
/// Adds event waits and synchronisation, from linked.actions in API order. Moves the start of each
/// call that blocked to the end of what it waited for.
void add_wait_edges(GraphDraft& draft, EdgeList& edges, Diagnostics& diagnostics);
/// Adds linked.recorded_dependencies: device row or op -> device row or op. Where an op was still
/// open when what waited for it began, the edge leads from the last of its nodes that had ended by
/// then, else to the first node inside the waiting op that starts after it. An op that waited for a
/// row waits with the first of its nodes that starts once the row has ended.
void add_recorded_dependencies(const GraphDraft& draft, EdgeList& edges);
/// Infers event waits of rows that were launched before the trace begins: no call shows what their
/// stream waited for. The evidence is what other rows did at the same place, which is a stream, the
/// name of the row and the name of the row before it. If all launched rows at a place (but the
/// first) waited for the last row of a certain name on a certain other stream, a row of that place
/// that was launched before the trace did so, too, provided that the other row was launched before
/// the trace, too, and that it began right when that row ended, and not right when the row before
/// it on its own stream did.
void add_unlaunched_waits(const GraphDraft& draft, EdgeList& edges);
/// Adds edges from the forward thread to the backward thread and back, and from each forward op to
/// its backward op.
void add_thread_hand_off(const GraphDraft& draft, EdgeList& edges);
/// Infers hand-offs between threads. A thread that goes on after it was idle for long, with no edge
/// that explains when, waited for another thread: for the only one that had worked right before, if
/// that one then did nothing for long. The edge leads from the last node of that thread.
void add_gap_hand_off(const GraphDraft& draft, EdgeList& edges);
/// Adds edges from each collective to the next one of its process group.
void add_group_order(const GraphDraft& draft, EdgeList& edges);
/// Adds edges from the lane node that ends where the launch begins to the device row; comes after
/// all other host edges.
void add_launch_edges(const GraphDraft& draft, EdgeList& edges);
/// Adds edges from each op to its child ops, parts, calls and device rows.
void add_nesting(const GraphDraft& draft, EdgeList& edges);

}  // namespace nadi
