// What the virtual machine runs: ranks of host threads whose code opens ops and makes runtime
// calls.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "nadi/base/time.h"

namespace nadi::vm {

/// 5_us = 5,000 ns.
constexpr Ns operator""_us(unsigned long long us) { return static_cast<Ns>(us) * 1000; }
constexpr Ns operator""_us(long double us) { return static_cast<Ns>(us * 1000.0L); }

/// Indices are int, -1 = none; containers take them so.
constexpr std::size_t u(int index) { return static_cast<std::size_t>(index); }
template <class T>
auto& at(std::vector<T>& items, int index) {
  return items[u(index)];
}
template <class T>
const T& at(const std::vector<T>& items, int index) {
  return items[u(index)];
}

/// Streams of further devices of a rank: 1000 + 7 is stream 7 of the second one.
constexpr int kStreamsOfADevice = 1000;
constexpr int device_of(int stream) { return stream < 0 ? 0 : stream / kStreamsOfADevice; }
constexpr int number_on_device(int stream) {
  return stream < 0 ? stream : stream % kStreamsOfADevice;
}

/// One recorded communication operation.
struct CommOp {
  std::string
      collective;  ///< as PyTorch records it: "allreduce", "_allgather_base", "send", "recv"
  int group = 0;   ///< into Program::groups
  int peer = -1;   ///< send, recv: the other end's global rank
  std::int64_t in_nelems = 0, out_nelems = 0;
  std::string dtype = "Float";

  bool is_p2p() const { return collective == "send" || collective == "recv"; }
};

/// kEventRecord, kHostNode: nodes of graphs that only the new profiler has rows of (N24, N25).
enum class EventCategory : std::uint8_t { kKernel, kMemcpy, kMemset, kEventRecord, kHostNode };

/// One piece of device work.
struct Row {
  EventCategory kind = EventCategory::kKernel;
  std::string name;
  int stream = 7;           ///< the lane the trace shows it on
  Ns duration = 0;          ///< communication: time after the last member arrived (K22)
  std::int64_t bytes = -1;  ///< copies and sets
  int to_device = -1;       ///< copies between devices of the rank; -1 = no such
  std::vector<int> after;   ///< graph launches: rows of the same launch it depends on
  Ns gap = 0;               ///< how much later it starts than it could
  /// Programmatic launch: it starts this long before the last of `after` ends, though not before
  /// that one starts (N34).
  Ns early = 0;
  bool is_in_child = false;  ///< of the body of a child graph, whose edges nobody records (N35)
  int same_node = -1;        ///< bodies of loops: the first row of the node, which runs again (N36)
  std::vector<CommOp> carried;  ///< communication kernels: one operation, coalesced: several
};

enum class CallKind : std::uint8_t {
  kWork,               ///< neither launches nor blocks: cudaMalloc, cudaStreamIsCapturing
  kLaunch,             ///< one row on its stream
  kGraphLaunch,        ///< many rows, one correlation
  kBlockingCopy,       ///< one device-to-pageable-host row; returns after it (K20)
  kEventRecord,        ///< event := all work so far on the stream
  kStreamWaitEvent,    ///< later work on the stream waits for the event's last record
  kEventSynchronize,   ///< the thread waits for the event's last record
  kStreamSynchronize,  ///< the thread waits for all work so far on the stream
  kDeviceSynchronize,  ///< the thread waits for all work so far
  kEventQuery,         ///< looks at the event, does not wait
};

struct Call {
  CallKind kind = CallKind::kWork;
  std::string name;
  Ns duration = 0;  ///< own time; of a call that blocks: from the end of the wait to the return
  Ns latency = 0;   ///< from the launch to the earliest start of its rows
  int stream = -1;  ///< the stream the call names
  int event = -1;
  int graph = -1;  ///< graph launches: the executable graph; those of one are its replays
  bool has_known_edges = true;  ///< false: instantiated before the profiler was made (N4)
  std::vector<Row> rows;
  /// Loops of queries: the first call of the loop; what comes in it after the query that found the
  /// event done is never made.
  int loop = -1;
  Ns pause = 0;  ///< after a query that found the event not done
};

/// A launch that takes longer than 20 us has its rows on the device when it returns (K27), others
/// as they begin; so do copies of pageable memory, however long.
inline bool launches_at_return(const Call& call) {
  const bool is_launch = call.kind == CallKind::kLaunch || call.kind == CallKind::kGraphLaunch;
  return is_launch && call.duration > 20_us && !call.rows.empty() &&
         call.rows.front().name.find("Pageable") == std::string::npos;
}

struct Op {
  std::string name;
  bool is_annotation = false;  ///< `user_annotation`; else `cpu_op`
  bool is_host_only = false;   ///< in the host trace only, no time of its own
  int thread = 0;
  int parent = -1;  ///< enclosing op of the same rank
  std::int64_t seq_id = -1;
  int forward = -1;            ///< backward op: the forward op its seq_id names
  int fw_parent = -1;          ///< backward op: innermost op open on the forward thread
  bool is_backward = false;    ///< scope BACKWARD_FUNCTION in the host trace
  std::vector<CommOp> comm;    ///< record_param_comms: what it records (one operation)
  int end_event = -1;          ///< record_param_comms: the event behind its work
  int work = -1;               ///< record_param_comms "wait": the op that records what it waits for
  std::int64_t elements = 64;  ///< size of the tensor it takes and gives
};

enum class Action : std::uint8_t {
  kOpBegin,  ///< index: op
  kOpEnd,    ///< index: op
  kWork,     ///< ns: own time of the innermost op; idle where no cpu_op is open
  kCall,     ///< index: call
  kSignal,   ///< index: token
  kAwait,    ///< index: token; blocks until it is signalled
};

struct Instruction {
  Action action = Action::kWork;
  int index = -1;
  Ns ns = 0;
  bool is_queue = false;  ///< kAwait: of another thread's item in a queue, which no trace tells
};

struct Thread {
  std::string name;
  std::vector<Instruction> code;
};

struct RankProgram {
  std::vector<Thread> threads;
  std::vector<Op> ops;
  std::vector<Call> calls;  ///< each is made once, in loops of queries at most once
  int events = 0, tokens = 0, graphs = 0;
  /// Of a group, by use: what its communication records again and again.
  enum class GroupEvent { kNccl, kCurrentStream, kFuture };
  std::map<std::pair<int, GroupEvent>, int> group_events;
};

struct Group {
  std::string name, desc;
  std::vector<int> ranks;  ///< global
};

/// What the NCCL backend calls around a communication kernel (K29).
enum class CommCalls : std::uint8_t {
  kShort,  ///< what is needed and no more; no PyTorch does so
  k2023,   ///< as in dlrm-8gpu
  k2025,   ///< as in resnet-2gpu
  k2026,   ///< as since PyTorch 2.8: on the current stream unless asynchronous
};

struct Program {
  std::string name;
  std::vector<RankProgram> ranks;
  std::vector<Group> groups;
  Ns row_gap = 0;           ///< least time from the end of what a row waits for to its start
  Ns hand_off_latency = 0;  ///< from a signal to the return of its await
  CommCalls comm_calls = CommCalls::k2025;
  Ns late_return = 0;  ///< of an event synchronisation that found its work still running (K28)
};

/// True where op, or an op around it, is a cpu_op: only there own time is work.
inline bool is_covered(const RankProgram& rank, int op) {
  for (; op >= 0; op = rank.ops[static_cast<std::size_t>(op)].parent)
    if (!rank.ops[static_cast<std::size_t>(op)].is_annotation) return true;
  return false;
}

}  // namespace nadi::vm
