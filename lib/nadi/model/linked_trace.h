// Host trace and device trace joined: which op ran when, what each call launched or waited for.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "nadi/base/evidence.h"
#include "nadi/base/hypothesis.h"
#include "nadi/base/index.h"
#include "nadi/base/string_table.h"
#include "nadi/base/table.h"
#include "nadi/base/time.h"
#include "nadi/model/clock_correction.h"
#include "nadi/model/comm_record.h"
#include "nadi/model/device_trace.h"
#include "nadi/model/host_trace.h"

namespace nadi {

/// What runs one thing at a time: a host thread (`tid`) or a (`device`, `stream`).
struct Lane {
  bool is_device = false;
  std::int64_t tid = -1;                  ///< host: torch's logical tid if known, else the OS tid
  std::int64_t device = -1, stream = -1;  ///< device
  std::string name;                       ///< thread name, for people; may be empty
  bool is_backward = false;               ///< host: runs autograd's backward ops
  bool is_of_host_nodes = false;          ///< host: no thread, but callbacks of CUDA graphs
};
using LaneIndex = Index<Lane>;

struct LinkedOps;
using LinkedOpIndex = Index<LinkedOps>;

/// Host ops of both traces, grouped by lane, in start order within one (ties: outer op first).
/// Roots are not in it.
struct LinkedOps {
  template <class T, auto absent = T{}>
  using Column = ColumnOf<LinkedOps, T, absent>;
  Column<StringId> name;
  Column<HostOpIndex> host;          ///< none = only the profiler knows it
  Column<ProfilerOpIndex> profiler;  ///< none = only the host trace knows it (untimed)
  Column<Ns> start_ns, duration_ns;  ///< untimed: next timed op's start, 0
  Column<LaneIndex> lane;
  Column<std::uint8_t> is_annotation;  ///< its own time is idle unless a cpu_op is around it
  Column<LinkedOpIndex> parent;        ///< enclosing op; none = outermost
  Column<std::int32_t, -1> step;       ///< N of the ProfilerStep#N that contains it; -1 = none
  Column<CommIndex> comm;              ///< into LinkedTrace::comms

  static constexpr auto columns() {
    return std::tuple(&LinkedOps::name, &LinkedOps::host, &LinkedOps::profiler,
                      &LinkedOps::start_ns, &LinkedOps::duration_ns, &LinkedOps::lane,
                      &LinkedOps::is_annotation, &LinkedOps::parent, &LinkedOps::step,
                      &LinkedOps::comm);
  }
  std::size_t size() const { return name.size(); }
};

inline Ns op_end_ns(const LinkedOps& ops, LinkedOpIndex op) {
  return ops.start_ns[op] + ops.duration_ns[op];
}

/// A backward op and its forward op.
struct ForwardBackwardPair {
  LinkedOpIndex forward, backward;
};

/// The effect of a runtime call on the graph. A call may launch and block.
enum class CallRole : std::uint8_t {
  kNone = 0,
  kLaunches = 1,
  kBlocks = 2,
  kLaunchesAndBlocks = 3
};

/// Beside DeviceTrace::calls, row for row.
struct LinkedCalls {
  template <class T, auto absent = T{}>
  using Column = ColumnOf<RuntimeCalls, T, absent>;
  Column<CallRole> role;
  Column<LaneIndex> lane;
  Column<LinkedOpIndex> parent;  ///< innermost op open at the call's start
  /// The first op that began after the call, of those whose begin has the same stamp.
  Column<LinkedOpIndex> next_op;
  Column<std::int32_t, -1> step;
  Column<CallLaunches> launches;
  Column<std::uint8_t> is_row_lost;  ///< 1 = what it launched has run, but its row is lost (K24)
  static constexpr auto columns() {
    return std::tuple(&LinkedCalls::role, &LinkedCalls::lane, &LinkedCalls::parent,
                      &LinkedCalls::next_op, &LinkedCalls::step, &LinkedCalls::launches,
                      &LinkedCalls::is_row_lost);
  }

  std::size_t size() const { return role.size(); }
};

/// The evidence by which a device row's launch was found.
enum class LinkEvidence : std::uint8_t { kCorrelation, kFlow, kExternalId, kUnlaunched };

/// Beside DeviceTrace::rows, row for row.
struct LinkedRows {
  template <class T, auto absent = T{}>
  using Column = ColumnOf<DeviceRows, T, absent>;
  Column<LinkEvidence, LinkEvidence::kUnlaunched> evidence;
  Column<CallIndex> launch;       ///< row of DeviceTrace::calls; none = no runtime row in the trace
  Column<Ns, kNoTime> launch_ns;  ///< when the launch began (call or flow start); kNoTime = unknown
  /// Time after which an unknown launch began, by correlation; kNoTime = unknown.
  Column<Ns, kNoTime> launched_after_ns;
  /// When the row was given to its stream: launch_ns if that is known; else launched_after_ns; else
  /// its own start or the end of the op that launched it, whichever is earlier. Never later than
  /// that of the next row of its lane.
  Column<Ns, kNoTime> enqueue_ns;
  Column<LaneIndex> launch_lane;  ///< host thread that launched it; none = unknown
  Column<LinkedOpIndex> parent;   ///< innermost op open at the launch
  Column<LaneIndex> lane;
  Column<std::int32_t, -1> step;
  /// 1 = all that the row waits for inside its launch of a CUDA graph is recorded.
  Column<std::uint8_t> has_recorded_order;

  static constexpr auto columns() {
    return std::tuple(&LinkedRows::evidence, &LinkedRows::launch, &LinkedRows::launch_ns,
                      &LinkedRows::launched_after_ns, &LinkedRows::enqueue_ns,
                      &LinkedRows::launch_lane, &LinkedRows::parent, &LinkedRows::lane,
                      &LinkedRows::step, &LinkedRows::has_recorded_order);
  }

  std::size_t size() const { return lane.size(); }
};

/// Wait facts the trace gives or implies, in the order of the calls that made them (API order).
enum class StreamActionKind : std::uint8_t {
  kEventRecord,      ///< event := all work so far on `lane`
  kStreamWaitEvent,  ///< later work on `lane` waits for the record `record`
  kHostWaitEvent,    ///< call blocks until the record `record` has happened
  kHostWaitStream,   ///< call blocks until all work so far on `lane` is done
  kHostWaitDevice,   ///< call blocks until all work so far on all lanes of `device` is done
  kHostWaitRow,      ///< call blocks until device row `row` is done (a copy that blocks)
};
struct StreamAction;
using StreamActionIndex = Index<StreamAction>;
struct StreamAction {
  StreamActionKind kind = StreamActionKind::kEventRecord;
  Inference inferred = Inference::kNone;
  CallIndex call;                 ///< the runtime call; none = its row is not in the trace
  Ns time_ns = 0;                 ///< begin of the call: its position in API order
  std::int64_t correlation = -1;  ///< second key of API order
  LaneIndex lane;                 ///< see kind
  std::int64_t device = -1;       ///< kHostWaitDevice; -1 = all devices
  StreamActionIndex record;       ///< the kEventRecord, in LinkedTrace::actions
  DeviceRowIndex row;             ///< kHostWaitRow
};

/// One end of a recorded dependency: an op, or a device row.
struct DependencyEnd {
  LinkedOpIndex op;
  DeviceRowIndex row;  ///< counts where it is set
};

/// A dependency between nodes that the file itself records: the target waits for the source.
struct RecordedDependency {
  DependencyEnd source, target;
  bool is_hand_off = false;               ///< one host thread waited for another
  Inference inferred = Inference::kNone;  ///< as the file says
};

/// A position in LinkedTrace::rows_in_api_order.
struct InApiOrder;
using ApiPosition = Index<InApiOrder>;

/// A recorded operation that a device row carries.
struct Carried;
using CarriedIndex = Index<Carried>;

struct LinkedTrace {
  StringTable strings;    ///< of all StringIds below, host's and device's included
  bool has_host = false;  ///< false: Kineto only, `host` is empty
  HostTrace host;
  DeviceTrace device;
  std::int64_t rank = 0;
  ByRow<Lane> lanes;
  LinkedOps ops;
  std::vector<ForwardBackwardPair> forward_backward;  ///< see forward_backward_pairs()
  LinkedCalls calls;
  bool has_all_calls = true;  ///< false: of linked JSON, which has those alone that block
  LinkedRows rows;
  ByRow<CommRecord> comms;  ///< of both traces
  /// Device rows of each lane in start order (ties: API order); empty for host lanes.
  ByRow<Lane, std::vector<DeviceRowIndex>> rows_by_lane;
  /// All device rows by enqueue_ns, then correlation, then file order.
  ByRow<InApiOrder, DeviceRowIndex> rows_in_api_order;
  /// See carried_by; first_carried has one entry more than there are rows.
  ByRow<DeviceRows, CarriedIndex> first_carried;
  ByRow<Carried, CommIndex> carried;
  ByRow<StreamAction> actions;
  /// What is recorded of each CUDA graph, for all its launches; ascending by target, then source.
  std::vector<GraphDependency> graph_dependencies;
  std::map<LaneIndex, LaneIndex> host_node_lanes;         ///< stream -> host lane of its host nodes
  std::vector<RecordedDependency> recorded_dependencies;  ///< beside actions, not among them
  std::vector<ProcessGroup> groups;                       ///< of both traces, merged by name
  std::vector<ClockCorrection> clocks;  ///< of the devices whose times were moved, by device
  Ns clock_resolution_ns = 0;  ///< by how much exact times may seem to overlap, as they are stamped
  Hypotheses hypotheses;       ///< by which the linked trace, and then its graph, is made
  /// Counts for the report.
  std::uint64_t host_op_count = 0, matched_host_op_count = 0;

  /// The recorded operations that a device row carries (coalesced kernels: more than one).
  std::span<const CommIndex> carried_by(DeviceRowIndex row) const {
    return RowSpan<Carried, CommIndex>(carried).between(first_carried[row], first_carried[row + 1]);
  }
};

}  // namespace nadi
