// The device trace (Kineto) as columns: profiler ops, runtime calls, device rows, syncs, flows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/index.h"
#include "nadi/base/string_table.h"
#include "nadi/base/time.h"
#include "nadi/model/communication.h"

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
  std::vector<StringId> name;
  std::vector<ProfilerOpKind> kind;
  std::vector<Ns> start_ns, duration_ns;
  std::vector<ThreadIndex> thread;
  std::vector<std::uint64_t> rf_id;        ///< `Record function id`; 0 = none
  std::vector<std::uint64_t> external_id;  ///< `External id`; 0 = none
  std::vector<std::int64_t> seq_id;        ///< `Sequence number`; -1 = none
  std::vector<std::uint64_t> fwd_thread;   ///< `Fwd thread id`, torch's logical id; 0 = none
  std::vector<StringId> concrete_inputs, input_dims, input_type, input_strides;  ///< JSON text
  std::vector<StringId> kernel_backend, kernel_file;
  std::vector<CommIndex> comm;       ///< into DeviceTrace::comms
  std::vector<std::uint32_t> order;  ///< place in traceEvents

  std::size_t size() const { return name.size(); }
};

/// Runtime and driver rows (cudaLaunchKernel, hipMemcpyAsync, …), in file order; behind them waits
/// of which only the sync row is left.
struct RuntimeCalls {
  std::vector<StringId> name;
  std::vector<Ns> start_ns, duration_ns;
  std::vector<ThreadIndex> thread;
  std::vector<std::int64_t> correlation;   ///< -1 = none
  std::vector<std::uint64_t> external_id;  ///< 0 = none
  std::vector<std::uint32_t> order;

  std::size_t size() const { return name.size(); }
};
using CallIndex = Index<RuntimeCalls>;

inline Ns call_end_ns(const RuntimeCalls& calls, std::size_t call) {
  return calls.start_ns[call] + calls.duration_ns[call];
}

enum class DeviceRowKind : std::uint8_t { kKernel, kMemcpy, kMemset, kOther };

/// Everything that ran on a device, in file order. Never dropped: a row whose times are garbage
/// (K8) has start_ns kNoTime and duration_ns 0.
struct DeviceRows {
  std::vector<StringId> name;
  std::vector<DeviceRowKind> kind;
  std::vector<Ns> start_ns, duration_ns;
  std::vector<std::int64_t> device, stream, context;  ///< -1 = not recorded
  std::vector<std::int64_t> correlation;              ///< -1 = none
  std::vector<std::uint64_t> external_id;             ///< 0 = none
  std::vector<std::uint64_t> graph_id;                ///< 0 = not in a graph, or not recorded
  std::vector<std::uint64_t> graph_node_id;
  std::vector<std::int64_t> bytes;  ///< copies and sets; -1 = not recorded
  std::vector<CommIndex> comm;      ///< into DeviceTrace::comms
  std::vector<std::uint32_t> order;

  std::size_t size() const { return name.size(); }
};
using DeviceRowIndex = Index<DeviceRows>;

enum class SyncKind : std::uint8_t { kStream, kEvent, kContext, kStreamWaitEvent };
/// "Stream Sync", as the rows are named.
std::string_view to_string(SyncKind kind);

/// `cuda_sync` / `xpu_sync` rows (K16-K19), in file order. Unresolved (-1 or a huge unsigned) = -1.
struct SyncRows {
  std::vector<SyncKind> kind;
  std::vector<Ns> start_ns, duration_ns;
  std::vector<std::int64_t> device, context;
  std::vector<std::int64_t> stream;        ///< who waits (args.stream, K19); -1 = all
  std::vector<std::int64_t> correlation;   ///< of the runtime call
  std::vector<std::uint64_t> external_id;  ///< 0 = none
  std::vector<std::int64_t> wait_on_stream;
  std::vector<std::int64_t> wait_on_record;  ///< correlation of the event record
  std::vector<std::int64_t> wait_on_event;   ///< event id
  std::vector<std::uint32_t> order;

  std::size_t size() const { return kind.size(); }
};

/// `cuda_event` rows (K18), in file order.
struct EventRecords {
  std::vector<Ns> start_ns;
  std::vector<std::int64_t> device, context, stream, event, correlation;  ///< -1 = not recorded
  std::vector<std::uint32_t> order;

  std::size_t size() const { return event.size(); }
};

enum class FlowKind : std::uint8_t { kLaunch, kForwardBackward };

/// Flow ends (K14): `ac2g` and its older names, and `fwdbwd`.
struct Flows {
  std::vector<FlowKind> kind;
  std::vector<std::uint8_t> is_finish;  ///< 0 = 's', 1 = 'f'
  std::vector<std::int64_t> id;         ///< unique within a kind only
  std::vector<ThreadIndex> thread;      ///< pid, tid as written: a lane for device ends
  std::vector<Ns> time_ns;

  std::size_t size() const { return id.size(); }
};

struct DeviceTrace {
  StringTable strings;
  std::int64_t base_time_ns =
      0;                   ///< `baseTimeNanoseconds`; stamps are relative to it (K3); 0 = absolute
  std::int64_t rank = -1;  ///< distributedInfo.rank; -1 = not recorded
  std::int64_t world_size = -1;
  StringId backend{};                        ///< distributedInfo.backend
  std::vector<ProcessGroup> groups;          ///< distributedInfo.pg_config
  std::vector<std::string> device_names;     ///< deviceProperties[].name, by position
  std::uint64_t event_count = 0;             ///< entries of traceEvents, skipped ones included
  Ns first_ns = kNoTime, last_ns = kNoTime;  ///< span of all timed rows the tables hold
  std::vector<ProfilerThread> threads;
  ProfilerOps ops;
  RuntimeCalls calls;
  DeviceRows rows;
  SyncRows syncs;
  EventRecords event_records;
  Flows flows;
  std::vector<CommRecord> comms;
};

/// Leave the rows of a table that are marked, in their order.
void keep_marked(const std::vector<bool>& marked, ProfilerOps& ops);
void keep_marked(const std::vector<bool>& marked, RuntimeCalls& calls);
void keep_marked(const std::vector<bool>& marked, DeviceRows& rows);
void keep_marked(const std::vector<bool>& marked, SyncRows& syncs);
void keep_marked(const std::vector<bool>& marked, EventRecords& records);
void keep_marked(const std::vector<bool>& marked, Flows& flows);

/// Sets first_ns and last_ns anew, after rows were moved or left out.
void measure_span(DeviceTrace& device);

}  // namespace nadi
