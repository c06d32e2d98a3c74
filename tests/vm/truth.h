// What a converted graph of one rank must contain: its nodes with times, and what truly depends on
// what. Derived from the program and its execution, never from the trace files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "execute.h"
#include "reachability.h"

namespace nadi::vm {

enum class TruthKind : std::uint8_t {
  kOp,    ///< an op's own time up to its first child, launch or blocking call
  kPart,  ///< a later stretch of an op's own time
  kCall,  ///< a blocking call; a launch outside every cpu_op
  kDeviceRow,
};
const char* to_string(TruthKind kind);

struct TruthNode {
  TruthKind kind = TruthKind::kOp;
  std::string name;
  std::uint64_t rf_id = 0;  ///< op; part: of its op
  int part = 0;             ///< part: 1, 2, … in time order; stretches of no time are no parts
  std::int64_t correlation = -1;  ///< call, row
  int row = 0;              ///< row: place among the rows of its launch, as the program has it
  std::int64_t tid = -1;    ///< host: torch's logical thread id
  int stream = -1;          ///< row
  std::size_t carried = 0;  ///< row: recorded operations it carries
  bool is_recorded = true;  ///< row: false where the profiler lost it
  Ns start_ns = 0, duration_ns = 0;  ///< from the begin of the program
};

/// "A ends, then B may start."
struct TruthEdge {
  int from = -1, to = -1;  ///< into Truth::nodes
  EdgeKind kind = EdgeKind::kThreadOrder;
  /// A trace with cuda_sync rows tells this dependency. Not shown: edges inside a graph launch from
  /// lane to lane, unless the profiler recorded them, and what orders a launch's other lanes with
  /// the stream it was launched on.
  bool shown = true;
  /// Waits: `to` began the moment this allowed it, and nothing else held it up as long.
  bool is_binding = false;
};

struct Truth {
  std::vector<TruthNode> nodes;  ///< host lanes by thread, in lane order; then rows in launch order
  std::vector<TruthEdge> edges;  ///< direct; also redundant ones
  std::vector<BitSet> before;    ///< before[b].test(a): b truly depends on a, directly or not
  /// As before, and what a trace makes look so: rows of one lane of one graph launch that followed
  /// each other though the captured graph leaves them unordered.
  std::vector<BitSet> tolerated;

  /// Either depends on the other.
  bool ordered(int a, int b) const {
    return before[static_cast<std::size_t>(b)].test(static_cast<std::size_t>(a)) ||
           before[static_cast<std::size_t>(a)].test(static_cast<std::size_t>(b));
  }
};

/// Own time is cut by calls and ops that are recorded; a call that is not is a node all the same,
/// but no cut, and a launch that is not is behind the node before it. Rows that are not recorded
/// stay. Rows of one lane of one graph launch that overlap by up to blur_ns may seem to have
/// followed each other (tolerated). has_graph_edges: the profiler recorded the dependencies between
/// nodes of graphs it knows; all of them are shown then, and their rows need no tolerance. Throws
/// Error(kUsage) where an op takes no time, which no trace can place.
Truth make_truth(const Program& program, const Execution& run, int rank, Ns blur_ns = 0,
                 bool has_graph_edges = false);
/// The nodes alone, as Truth has them: a thousandth of the work.
std::vector<TruthNode> truth_nodes(const Program& program, const Execution& run, int rank);
/// The truth of a run of the program.
Truth truth_of(const Program& program, int rank = 0);

/// "part 2 of aten::add (rf 12) on thread 1 at 5000"
std::string describe(const TruthNode& node);

}  // namespace nadi::vm
