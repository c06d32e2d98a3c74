// Writes what PyTorch would have recorded of an execution: host trace and device trace of one rank.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "execute.h"

namespace nadi::vm {

/// What the trace tells about synchronisation.
enum class SyncRows : std::uint8_t {
  /// `cuda_sync` rows with wait_on_stream and wait_on_cuda_event_record_corr_id where the event is
  /// of their own context: libkineto knows no others.
  kFull,
  kEvents,   ///< `cuda_sync` rows with these at -1, and `cuda_event` rows (K17, K18)
  kStreams,  ///< `cuda_sync` rows with wait_on_stream alone (K17)
  kNone,     ///< runtime calls only (K20)
  kIds,      ///< `cuda_sync` rows that name an event and nothing else, as CUDA 13 has them (K17)
};
/// As GoogleTest prints it.
inline void PrintTo(SyncRows sync, std::ostream* out) {
  constexpr const char* kNames[] = {"full", "events", "streams", "none", "ids"};
  *out << kNames[static_cast<std::size_t>(sync)];
}

enum class HostSchema : std::uint8_t {
  kChakra,  ///< 1.1.1-chakra.0.0.4
  kFlat,    ///< 1.0.1
};

/// Who recorded the device side, and in what form.
enum class DeviceForm : std::uint8_t {
  kKineto,  ///< Kineto's JSON
  kCuspy,   ///< JSON of PyTorch's new profiler
  kPftrace  ///< the new profiler's Perfetto trace
};
/// As GoogleTest prints it.
inline void PrintTo(DeviceForm form, std::ostream* out) {
  constexpr const char* kNames[] = {"kineto", "cuspy", "pftrace"};
  *out << kNames[static_cast<std::size_t>(form)];
}

struct WriteOptions {
  DeviceForm form = DeviceForm::kKineto;
  // What the new profiler alone asks for or loses.
  bool has_graph_edges = true;        ///< enable_graph_dependencies
  bool has_event_nodes = true;        ///< enable_event_node_ids
  bool has_host_correlations = true;  ///< false: 0 on host nodes of queued replays (N43)
  bool has_wrong_threads = false;     ///< calls of other threads than the first on wrong tids (N19)
  SyncRows sync = SyncRows::kFull;
  HostSchema host_schema = HostSchema::kChakra;
  /// `ts` of the program's time 0, and `baseTimeNanoseconds` (0 = not written).
  Ns origin_ns = 4458676416431397;
  Ns base_time_ns = 1711964646000000000;
  bool has_steps_in_host_trace = true;  ///< false: ProfilerStep#N is in the Kineto trace only
  bool has_rf_ids = true;               ///< false: a Kineto trace from before torch 2.3
  bool has_flows = true;
  bool has_huge_unresolved = false;   ///< K17: unresolved as 18446744073709551615, not -1
  bool has_sync_tid_offset = false;   ///< K19: Stream Sync rows on tid = stream + 1000000
  bool has_sync_before_rows = false;  ///< K21: sync rows first in the file, not last
  /// libkineto leaves out Stream Wait Event rows of streams that never ran anything.
  bool has_waits_of_idle_streams = true;
  /// kFull: `cuda_event` rows as well, as libkineto has them since PyTorch 2.8.
  bool has_event_rows = false;
  bool has_record_rows = true;  ///< false: no cudaEventRecord, no `cuda_event` (K26)
  /// false: a Kineto trace from before torch 2.3 does not say what communication it records.
  bool has_comm_args = true;
  bool has_whole_micros = false;  ///< starts and ends are cut to whole us (K2, before torch 2.4)
  std::int64_t pid = 2910249;
};

/// The ExecutionTraceObserver's JSON. Same arguments, same bytes.
std::string write_host_trace(const Program& program, const Execution& run, int rank,
                             const WriteOptions& options = {});
/// The profiler's JSON or Perfetto trace. Same arguments, same bytes.
std::string write_device_trace(const Program& program, const Execution& run, int rank,
                               const WriteOptions& options = {});

}  // namespace nadi::vm
