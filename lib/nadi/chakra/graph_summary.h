// Counts what is in a graph: what `nadi show --summary` prints.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "nadi/model/graph.h"

namespace nadi {

struct CommunicationCount {
  std::uint64_t count = 0;
  std::int64_t bytes = 0;  ///< sum of comm_size
};

struct LaneCount {
  std::uint64_t nodes = 0;  ///< without delays
  Ns busy_ns = 0;           ///< sum of their durations
  Ns delay_ns = 0;
  Ns until_ns = 0;  ///< last end, from the graph's first start
  /// Idle (lane_sweep.h) since all that its nodes depend on had ended, where the device was not its
  /// own cause.
  Ns unexplained_ns = 0;
};

struct GraphSummary {
  std::uint64_t data_edges = 0, ctrl_edges = 0;  ///< of the file, each pair of nodes once
  std::map<std::string, std::uint64_t> types;    ///< "COMP_NODE" -> nodes
  /// "op", "part", "call", "device row", "delay" by nadi's attributes; others' files: "host node",
  /// "device row".
  std::map<std::string, std::uint64_t> kinds;
  /// ("ALL_REDUCE" … or "SEND", "RECV"; pg_name) -> count and bytes; ("not recorded", "") of nodes
  /// with `comm_unrecorded`.
  std::map<std::tuple<std::string, std::string>, CommunicationCount> communications;
  /// As Graph::lanes. `until` and `unexplained` only where the graph tells starts.
  std::vector<LaneCount> lanes;
  Ns span_ns = 0;  ///< from the first start to the last end; delays do not count
};

/// The graph may have cycles: nothing is said of what their nodes waited for.
GraphSummary summarize_graph(const Graph& graph);

}  // namespace nadi
