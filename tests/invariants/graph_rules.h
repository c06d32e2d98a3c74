// What every graph must keep, checked without the code that built it.
#pragma once

#include <string>
#include <vector>

#include "nadi/graph/built_graph.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// The first thing wrong, as text, or empty: a cycle over data and ctrl edges, an edge from a
/// larger to a smaller id, a device row without node or with a wrong total length, an op without
/// node or with two, nodes of one host lane that overlap. is_whole: built without --steps;
/// has_parts: no parts were joined.
std::string first_broken_rule(const LinkedTrace& linked, const BuiltGraph& graph,
                              bool has_parts = true, bool is_whole = true);

/// Starts when everything a node depends on by data edges has ended, ns; what depends on nothing
/// starts with the trace. By vertex, as start_ns.
std::vector<Ns> replay(const BuiltGraph& graph);

/// How far the replay of a graph with all delays is from the measured starts.
struct ReplayError {
  Ns most_early_ns = 0;        ///< most that a node that is no delay starts too early
  Ns most_early_delay_ns = 0;  ///< most that a delay does
  Ns most_late_ns = 0;  ///< most that one starts too late, beyond the overlaps measured before it
  std::string worst;    ///< the node of most_late_ns
};
ReplayError replay_error(const BuiltGraph& graph);

/// Most that `duration_time_micros`, summed along a lane in id order, ever differs from the exact
/// sum, ns. File: the bytes written from graph.
Ns worst_lane_sum(const BuiltGraph& graph, const std::string& file);

}  // namespace nadi
