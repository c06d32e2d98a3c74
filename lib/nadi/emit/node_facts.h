// Collects what the traces say about one graph node, whatever its kind, for its attributes.
#pragma once

#include <cstdint>

#include "nadi/graph/built_graph.h"
#include "nadi/model/linked_trace.h"
#include "nadi/model/op_relations.h"

namespace nadi {

/// Values of at::RecordScope.
inline constexpr std::int64_t kFunctionScope = 0, kUserScope = 7;

/// Input or output lists as JSON text.
struct IoText {
  StringId values{}, shapes{}, types{};
};

/// The attributes MLCommons' converter writes on every node, with their invalid values.
struct NodeFacts {
  std::uint64_t rf_id = 0;   ///< 0 = none
  LinkedOpIndex forward;     ///< the forward op of a backward op
  std::int64_t seq_id = -1;  ///< -1 = none
  std::int64_t scope = 0;
  std::int64_t tid = 0;      ///< work of a device: of the launching thread; 0 = unknown
  std::uint64_t fw_tid = 0;  ///< 0 = none
  StringId op_schema{};
  IoText inputs, outputs;
};

/// Finds the facts of nodes; holds one small table (host trace id -> op). Both arguments must
/// outlive it. Safe to use from many threads.
class NodeFactFinder {
 public:
  NodeFactFinder(const LinkedTrace& trace, const BuiltGraph& graph);

  /// Returns the facts of a node: an op's are its own; a device row's are its launching op's, so
  /// that it can be traced to it (MLCommons' converter does the same); of parts, calls and delays
  /// only `tid` is valid.
  NodeFacts of_node(std::uint32_t node) const;
  /// Returns the facts of a row of LinkedOps.
  NodeFacts of_op(LinkedOpIndex op) const;

 private:
  std::int64_t tid_of(LaneIndex lane) const;
  void fill_from_host(HostOpIndex host, NodeFacts& facts) const;
  void fill_from_profiler(ProfilerOpIndex profiler, NodeFacts& facts) const;

  const LinkedTrace& trace_;
  const BuiltGraph& graph_;
  const HostIds host_ids_;
};

/// The correlation of a node's row as its trace has it; -1 = the node has none.
std::int64_t correlation_of(const LinkedTrace& trace, const BuiltGraph& graph, std::uint32_t node);

}  // namespace nadi
