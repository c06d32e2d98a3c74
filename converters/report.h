// Holds what one conversion did, as numbers: the summary table and --report are printed from it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/base/time.h"

namespace nadi {

/// Counts by name, in the order to print; the code that fills it leaves out rows with 0.
using CountTable = std::vector<std::pair<std::string, std::uint64_t>>;

/// Waiting on one lane that no dependency explains.
struct LaneReport {
  std::string name;  ///< "thread 1 (pt_autograd_0)", "device 0 stream 7"
  std::uint64_t nodes = 0;
  Ns span_ns = 0;         ///< first start to last end on the lane
  Ns unexplained_ns = 0;  ///< before its first node too
  Ns end_ns = 0;          ///< last end on the lane, from the trace's start: what that is a share of
};

/// A CUDA graph, as its rows and its recorded dependencies show it.
struct CudaGraphReport {
  std::uint64_t id = 0;
  std::uint64_t launches = 0, nodes = 0;
  std::uint64_t dependencies = 0;  ///< between nodes, recorded; 0 = the profiler recorded none
  std::uint64_t roots = 0;         ///< nodes that wait for no other
  std::uint64_t rows_without_predecessor = 0;  ///< neither launch nor anything before is known
};

struct ConvertReport {
  std::string host, device;       ///< the traces, as named on the command line; host empty = none
  std::string output;             ///< the file written
  std::string clock_corrections;  ///< as in the graph's metadata (schema/chakra.md); empty = none
  std::int64_t rank = 0;
  std::int64_t job_rank = -1;  ///< in the job a target made of it; -1 = no target
  double seconds = 0;          ///< wall time of the whole conversion

  bool has_host_trace = false;         ///< false: ops are the device trace's own
  std::uint64_t host_ops = 0;          ///< ops of the host trace, roots excluded
  std::uint64_t matched_host_ops = 0;  ///< of them, those the profiler timed
  std::uint64_t device_rows = 0;
  std::uint64_t linked_device_rows = 0;      ///< to a launch
  std::uint64_t unlaunched_device_rows = 0;  ///< to stream and time only
  std::uint64_t launches_without_row = 0;    ///< in the whole trace: their rows are lost
  CountTable device_rows_by_kind;            ///< "kernel", "memcpy", "memset", "other",
                                             ///< "host node", "event record"
  CountTable device_rows_by_evidence;        ///< "correlation", "flow", "external id", "unlaunched"

  std::uint64_t nodes = 0;
  CountTable nodes_by_kind;   ///< to_string(NodeKind)
  CountTable edges;           ///< to_string(Evidence)
  CountTable inferred_edges;  ///< of these, the guesses: the trace does not record them
  /// The guesses of each evidence, counted by what they rest on, to_string(Inference).
  std::vector<std::pair<std::string, CountTable>> inferences;
  CountTable collectives;  ///< "ALL_REDUCE", …, "SEND", "RECV"
  /// Kernels that communicate, but it is not recorded what and with whom.
  std::uint64_t unrecorded_communications = 0;
  Ns unrecorded_communication_ns = 0;
  Ns device_ns = 0;           ///< sum of the durations of all device rows
  Ns span_ns = 0;             ///< first start to last end
  Ns unexplained_ns = 0;      ///< sum of LaneReport::unexplained_ns
  Ns unrecorded_work_ns = 0;  ///< in which devices did what no row records
  std::vector<LaneReport> lanes;
  std::vector<CudaGraphReport> cuda_graphs;  ///< by id

  std::vector<Diagnostic> diagnostics;
};

}  // namespace nadi
