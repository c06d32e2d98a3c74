// The device trace (Kineto) as columns: profiler ops, runtime calls, device rows, syncs, flows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/index.h"
#include "nadi/base/string_table.h"
#include "nadi/base/table.h"
#include "nadi/base/time.h"
#include "nadi/model/comm_record.h"

namespace nadi {

/// A host thread as Kineto names it: pid and tid need not be numbers (K5).
struct ProfilerThread {
  StringId pid{}, tid{};     ///< text as written, without quotes
  std::int64_t number = -1;  ///< tid as a number; -1 = not a number
  StringId name{};           ///< from the thread_name metadata row; empty = unknown
};
using ThreadIndex = Index<ProfilerThread>;

enum class ProfilerOpKind : std::uint8_t { kOp, kAnnotation };

/// `cpu_op` and `user_annotation` rows, in file order.
struct ProfilerOps {
  template <class T, auto absent = T{}>
  using Column = ColumnOf<ProfilerOps, T, absent>;
  Column<StringId> name;
  Column<ProfilerOpKind> kind;
  Column<Ns> start_ns, duration_ns;
  Column<ThreadIndex> thread;
  Column<std::uint64_t> rf_id;        ///< `Record function id`; 0 = none
  Column<std::uint64_t> external_id;  ///< `External id`; 0 = none
  Column<std::int64_t, -1> seq_id;    ///< `Sequence number`; -1 = none
  Column<std::uint64_t> fwd_thread;   ///< `Fwd thread id`, torch's logical id; 0 = none
  Column<StringId> concrete_inputs, input_dims, input_type, input_strides;  ///< JSON text
  Column<StringId> kernel_backend, kernel_file;
  Column<CommIndex> comm;       ///< into DeviceTrace::comms
  Column<std::uint32_t> order;  ///< position in traceEvents

  static constexpr auto columns() {
    return std::tuple(
        &ProfilerOps::name, &ProfilerOps::kind, &ProfilerOps::start_ns, &ProfilerOps::duration_ns,
        &ProfilerOps::thread, &ProfilerOps::rf_id, &ProfilerOps::external_id, &ProfilerOps::seq_id,
        &ProfilerOps::fwd_thread, &ProfilerOps::concrete_inputs, &ProfilerOps::input_dims,
        &ProfilerOps::input_type, &ProfilerOps::input_strides, &ProfilerOps::kernel_backend,
        &ProfilerOps::kernel_file, &ProfilerOps::comm, &ProfilerOps::order);
  }
  std::size_t size() const { return name.size(); }
};
using ProfilerOpIndex = Index<ProfilerOps>;

inline Ns op_end_ns(const ProfilerOps& ops, ProfilerOpIndex op) {
  return ops.start_ns[op] + ops.duration_ns[op];
}

/// Runtime and driver rows (cudaLaunchKernel, hipMemcpyAsync, …), in file order; behind them waits
/// of which only the sync row is left.
struct RuntimeCalls {
  template <class T, auto absent = T{}>
  using Column = ColumnOf<RuntimeCalls, T, absent>;
  Column<StringId> name;
  Column<Ns> start_ns, duration_ns;
  Column<ThreadIndex> thread;
  Column<std::int64_t, -1> correlation;  ///< -1 = none
  Column<std::uint64_t> external_id;     ///< 0 = none
  Column<StringId> kernel;               ///< what it launches (`kernel`, ROCm); empty = unknown
  Column<std::int64_t, -1> bytes;        ///< what it copies (`bytes`, ROCm); -1 = unknown
  Column<std::uint32_t> order;

  static constexpr auto columns() {
    return std::tuple(&RuntimeCalls::name, &RuntimeCalls::start_ns, &RuntimeCalls::duration_ns,
                      &RuntimeCalls::thread, &RuntimeCalls::correlation, &RuntimeCalls::external_id,
                      &RuntimeCalls::kernel, &RuntimeCalls::bytes, &RuntimeCalls::order);
  }
  std::size_t size() const { return name.size(); }
};
using CallIndex = Index<RuntimeCalls>;

/// What a call launches, as its name says; kOther: something, as rows of calls of its name say. It
/// may be nothing all the same: of no bytes, or while a stream is captured.
enum class CallLaunches : std::uint8_t { kNothing, kKernel, kMemcpy, kMemset, kGraph, kOther };

inline Ns call_end_ns(const RuntimeCalls& calls, CallIndex call) {
  return calls.start_ns[call] + calls.duration_ns[call];
}

/// kHostNode: a CPU callback that a CUDA graph runs, on the stream that waits for it. kEventRecord:
/// an event-record node of a CUDA graph, without length.
enum class DeviceRowKind : std::uint8_t {
  kKernel,
  kMemcpy,
  kMemset,
  kOther,
  kHostNode,
  kEventRecord
};

/// What launches rows of the kind, but for those of CUDA graphs.
constexpr CallLaunches launched_by(DeviceRowKind kind) {
  switch (kind) {
    case DeviceRowKind::kKernel:
      return CallLaunches::kKernel;
    case DeviceRowKind::kMemcpy:
      return CallLaunches::kMemcpy;
    case DeviceRowKind::kMemset:
      return CallLaunches::kMemset;
    default:
      return CallLaunches::kOther;
  }
}

/// Everything that ran on a device, in file order. Never dropped: a row whose times are garbage
/// (K8) has start_ns kNoTime and duration_ns 0.
struct DeviceRows {
  template <class T, auto absent = T{}>
  using Column = ColumnOf<DeviceRows, T, absent>;
  Column<StringId> name;
  Column<DeviceRowKind> kind;
  Column<Ns> start_ns, duration_ns;
  Column<std::int64_t, -1> device, stream, context;  ///< -1 = not recorded
  Column<std::int64_t, -1> correlation;              ///< -1 = none
  Column<std::uint64_t> external_id;                 ///< 0 = none
  Column<std::uint64_t> graph_id;                    ///< 0 = not in a graph, or not recorded
  Column<std::uint64_t> graph_node_id;               ///< graph_id << 32 | node, as Kineto writes it
  Column<std::int64_t, -1> bytes;                    ///< copies and sets; -1 = not recorded
  Column<CommIndex> comm;                            ///< into DeviceTrace::comms
  Column<std::uint32_t> order;

  static constexpr auto columns() {
    return std::tuple(&DeviceRows::name, &DeviceRows::kind, &DeviceRows::start_ns,
                      &DeviceRows::duration_ns, &DeviceRows::device, &DeviceRows::stream,
                      &DeviceRows::context, &DeviceRows::correlation, &DeviceRows::external_id,
                      &DeviceRows::graph_id, &DeviceRows::graph_node_id, &DeviceRows::bytes,
                      &DeviceRows::comm, &DeviceRows::order);
  }
  std::size_t size() const { return name.size(); }
};
using DeviceRowIndex = Index<DeviceRows>;

/// A dependency inside one launch of a CUDA graph that the profiler recorded: the target waited for
/// the source.
struct GraphDependency {
  DeviceRowIndex target, source;
  friend auto operator<=>(const GraphDependency&, const GraphDependency&) = default;
};

enum class SyncKind : std::uint8_t { kStream, kEvent, kContext, kStreamWaitEvent };
/// "Stream Sync", as the rows are named.
std::string_view to_string(SyncKind kind);

/// `cuda_sync` / `xpu_sync` rows (K16-K19), in file order. Unresolved (-1 or a huge unsigned) = -1.
struct SyncRows {
  template <class T, auto absent = T{}>
  using Column = ColumnOf<SyncRows, T, absent>;
  Column<SyncKind> kind;
  Column<Ns> start_ns, duration_ns;
  Column<std::int64_t, -1> device, context;
  Column<std::int64_t, -1> stream;       ///< who waits (args.stream, K19); -1 = all
  Column<std::int64_t, -1> correlation;  ///< of the runtime call
  Column<std::uint64_t> external_id;     ///< 0 = none
  Column<std::int64_t, -1> wait_on_stream;
  Column<std::int64_t, -1> wait_on_record;  ///< correlation of the event record
  Column<std::int64_t, -1> wait_on_event;   ///< event id
  Column<std::uint32_t> order;

  static constexpr auto columns() {
    return std::tuple(&SyncRows::kind, &SyncRows::start_ns, &SyncRows::duration_ns,
                      &SyncRows::device, &SyncRows::context, &SyncRows::stream,
                      &SyncRows::correlation, &SyncRows::external_id, &SyncRows::wait_on_stream,
                      &SyncRows::wait_on_record, &SyncRows::wait_on_event, &SyncRows::order);
  }
  std::size_t size() const { return kind.size(); }
};
using SyncRowIndex = Index<SyncRows>;

/// `cuda_event` rows (K18), in file order.
struct EventRecords {
  template <class T, auto absent = T{}>
  using Column = ColumnOf<EventRecords, T, absent>;
  Column<Ns> start_ns;
  Column<std::int64_t, -1> device, context, stream, event, correlation;  ///< -1 = not recorded
  Column<std::uint32_t> order;

  static constexpr auto columns() {
    return std::tuple(&EventRecords::start_ns, &EventRecords::device, &EventRecords::context,
                      &EventRecords::stream, &EventRecords::event, &EventRecords::correlation,
                      &EventRecords::order);
  }
  std::size_t size() const { return event.size(); }
};
using EventRecordIndex = Index<EventRecords>;

enum class FlowKind : std::uint8_t { kLaunch, kForwardBackward };

/// Flow ends (K14): `ac2g` and its older names, and `fwdbwd`.
struct Flows {
  template <class T, auto absent = T{}>
  using Column = ColumnOf<Flows, T, absent>;
  Column<FlowKind> kind;
  Column<std::uint8_t> is_finish;  ///< 0 = 's', 1 = 'f'
  Column<std::int64_t> id;         ///< unique within a kind only; -1 = none
  Column<ThreadIndex> thread;      ///< pid, tid as written: a lane for device ends
  Column<Ns, kNoTime> time_ns;

  static constexpr auto columns() {
    return std::tuple(&Flows::kind, &Flows::is_finish, &Flows::id, &Flows::thread, &Flows::time_ns);
  }
  std::size_t size() const { return id.size(); }
};
using FlowIndex = Index<Flows>;

struct DeviceTrace {
  StringTable strings;
  std::int64_t base_time_ns =
      0;                   ///< `baseTimeNanoseconds`; stamps are relative to it (K3); 0 = absolute
  std::int64_t rank = -1;  ///< distributedInfo.rank; -1 = not recorded
  std::int64_t world_size = -1;
  StringId backend{};        ///< distributedInfo.backend
  bool is_perfetto = false;  ///< read from a Perfetto trace: overlapping rows of a stream were cut
  bool is_by_cuspy = false;  ///< PyTorch's profiler beside Kineto, known by its rows
  std::vector<ProcessGroup> groups;          ///< distributedInfo.pg_config
  std::vector<std::string> device_names;     ///< deviceProperties[].name, by position
  std::uint64_t event_count = 0;             ///< entries of traceEvents, skipped ones included
  Ns first_ns = kNoTime, last_ns = kNoTime;  ///< span of all timed rows the tables hold
  ByRow<ProfilerThread> threads;
  ProfilerOps ops;
  RuntimeCalls calls;
  DeviceRows rows;
  std::vector<GraphDependency> graph_dependencies;  ///< ascending by target, then source
  /// Rows that waited for more than graph_dependencies say; ascending.
  std::vector<DeviceRowIndex> partly_recorded_rows;
  SyncRows syncs;
  EventRecords event_records;
  Flows flows;
  ByRow<CommRecord> comms;
  /// Rows and calls of a linked JSON that has no correlation for them, or one for several launches,
  /// have numbers from first_given_correlation on, by which they are linked. By such a number: what
  /// the file has; -1 = none.
  std::int64_t first_given_correlation = 0;
  std::vector<std::int64_t> recorded_correlations;

  /// The correlation of a row or call as the trace has it; -1 = none.
  std::int64_t recorded_correlation(std::int64_t correlation) const {
    const std::int64_t index = correlation - first_given_correlation;
    const bool is_given =
        correlation >= first_given_correlation && index < std::ssize(recorded_correlations);
    return is_given ? recorded_correlations[static_cast<std::size_t>(index)] : correlation;
  }
};

/// Sets first_ns and last_ns anew, after rows were moved or left out; kNoTime = no timed row is
/// left.
void measure_span(DeviceTrace& device);

}  // namespace nadi
