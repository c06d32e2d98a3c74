// Which kernels and ops take the time: sums of graphs by kernel, kernel family, op and call path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/index.h"
#include "nadi/base/time.h"
#include "nadi/diff/call_tree.h"
#include "nadi/graph/build.h"
#include "nadi/model/graph.h"

namespace nadi {

/// What rows computed and moved, of those whose op's shapes show it.
struct HotWork {
  Ns time_ns = 0;               ///< of those rows alone
  std::int64_t operations = 0;  ///< a multiply-add counts two; 0 = unknown
  std::int64_t bytes = 0;       ///< each tensor read or written once; 0 = unknown

  std::optional<double> tflops_per_s() const;
  std::optional<double> gb_per_s() const;
};

/// What a device can do at most.
struct Roofline {
  double tflops_per_s = 0, gb_per_s = 0;  ///< 0 = not given
};

/// Throws Error(kUsage) of what is no number from 0 on.
Roofline roofline_of(double tflops_per_s, double gb_per_s);

/// Returns the share of the time that the device would have needed at its best: the longer of
/// operations / peak and bytes / bandwidth. None where it cannot be computed.
std::optional<double> roofline_share(const HotWork& work, const Roofline& roofline);

/// The device rows of one name.
struct HotKernel {
  std::string name;
  std::string_view family;  ///< kernel_family_of(); "communication" also of rows so recorded
  std::string op;           ///< or call that launched most of their time; empty = none is known
  std::uint64_t count = 0;
  Ns sum_ns = 0, longest_ns = 0;
  HotWork work;  ///< none of copies, sets and communication, which compute nothing

  Ns mean_ns() const { return count == 0 ? 0 : sum_ns / static_cast<Ns>(count); }
};

struct HotFamily {
  std::string_view name;
  std::uint64_t count = 0;
  Ns sum_ns = 0;
};

/// Times of the host and the device. Work of the host leaves out what a call blocked and what no op
/// was inside of (Python between ops), which are nobody's.
struct HotTimes {
  std::uint64_t count = 0;  ///< ops and calls, or device rows
  Ns own_ns = 0;            ///< host work in no op or call inside
  Ns host_ns = 0;           ///< host work in it and in all it calls
  Ns inclusive_ns = 0;      ///< from begin to end, as traces show it; of calls in no op their work
  std::uint64_t launched = 0;  ///< device rows launched in it and in all it calls
  Ns device_ns = 0;            ///< their time
};

/// The ops, annotations and calls of one name. Of one inside another of its name only the outer one
/// counts in host_ns, inclusive_ns, launched and device_ns.
struct HotOp : HotTimes {
  std::string name;
};

/// The ops, calls or device rows that were called the same way: a node of the tree of calls.
struct HotPath : HotTimes {
  std::string name;                 ///< of a step "ProfilerStep"
  std::uint32_t parent = kNoIndex;  ///< into HotSpots::paths; kNoIndex = outermost
  bool is_device = false;           ///< device rows: own_ns and host_ns are 0
};

struct HotSpots {
  std::vector<HotKernel> kernels;  ///< by falling sum, as the families
  std::vector<HotFamily> families;
  std::vector<HotOp> ops;  ///< by falling own_ns
  /// Callers before what they called, which follows at once, by falling host_ns + device_ns.
  std::vector<HotPath> paths;
  Ns device_ns = 0;  ///< of all device rows
  Ns host_ns = 0;    ///< of all host work
  std::uint64_t paths_cut =
      0;  ///< nodes that count with a caller: DiffCallTree had no room for them
};

/// "ProfilerStep > ## forward ## > aten::linear": the names from the outermost op on.
std::string path_text(const HotSpots& spots, std::size_t path);

/// Adds up graphs one after the other, none of which is kept. Memory: by distinct name and path,
/// and 8 bytes a node of the graph that is being added.
class HotSpotSums {
 public:
  /// Of these steps alone; else of all nodes.
  explicit HotSpotSums(std::optional<StepRange> steps = {}) : steps_(steps) {}

  /// The graph must have GraphColumns::parents; without the shapes no work is known.
  void add(const Graph& graph);
  /// Returns the sums, and starts anew.
  HotSpots take();

 private:
  /// The device rows of a name.
  struct Kernel {
    std::string_view family;  ///< empty = there is none
    std::uint64_t count = 0;
    Ns sum_ns = 0, longest_ns = 0;
    HotWork work;
  };
  /// Nodes, and their time without that of nodes below them.
  struct Own {
    std::uint64_t count = 0;
    Ns ns = 0;
    Ns inclusive_ns = 0;
  };
  class OfGraph;
  class Result;

  std::optional<StepRange> steps_;
  DiffCallTree tree_;            // its nodes and names alone
  ByRow<CallNode, Own> paths_;   // by node of the tree
  std::vector<Kernel> kernels_;  // by id of the name in the tree
  std::vector<Own> host_names_;  // the same
  std::uint64_t paths_cut_ = 0;
};

}  // namespace nadi
