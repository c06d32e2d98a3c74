// The part of the builder that writes communication as PyTorch's NCCL backend does.
#include <fmt/format.h>

#include <utility>

#include "builder.h"

namespace nadi::vm {

namespace {

struct CommNames {
  const char* collective;
  const char* op;          // the c10d op
  const char* annotation;  // the profiling title
  const char* kernel;
};

constexpr CommNames kNames[] = {
    {"allreduce", "c10d::allreduce_", "nccl:all_reduce", "ncclDevKernel_AllReduce_Sum_f32_RING_LL"},
    {"_allgather_base", "c10d::_allgather_base_", "nccl:_all_gather_base",
     "ncclDevKernel_AllGather_RING_LL"},
    {"_reduce_scatter_base", "c10d::_reduce_scatter_base_", "nccl:_reduce_scatter_base",
     "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL"},
    {"broadcast", "c10d::broadcast_", "nccl:broadcast", "ncclDevKernel_Broadcast_RING_LL"},
    {"all_to_all", "c10d::alltoall_base_", "nccl:all_to_all", "ncclDevKernel_SendRecv"},
    {"send", "c10d::send", "nccl:send", "ncclDevKernel_SendRecv"},
    {"recv", "c10d::recv_", "nccl:recv", "ncclDevKernel_SendRecv"},
};

const CommNames& names_of(const CommOp& comm) {
  for (const CommNames& names : kNames)
    if (comm.collective == names.collective) return names;
  return kNames[0];
}

std::string title(const CommOp& comm, int rank) {
  const std::string name = names_of(comm).annotation;
  if (!comm.is_p2p()) return name;
  return fmt::format("{} {}{}{}", name, rank, comm.collective == "send" ? "->" : "<-", comm.peer);
}

CommOp comm_op(const char* collective, int group, int peer, std::int64_t in, std::int64_t out) {
  CommOp comm;
  comm.collective = collective;
  comm.group = group;
  comm.peer = peer;
  comm.in_nelems = in;
  comm.out_nelems = out;
  return comm;
}

}  // namespace

CommOp all_reduce(int group, std::int64_t count) {
  return comm_op("allreduce", group, -1, count, count);
}
CommOp all_gather(int group, std::int64_t in, std::int64_t out) {
  return comm_op("_allgather_base", group, -1, in, out);
}
CommOp reduce_scatter(int group, std::int64_t in, std::int64_t out) {
  return comm_op("_reduce_scatter_base", group, -1, in, out);
}
CommOp all_to_all(int group, std::int64_t count) {
  return comm_op("all_to_all", group, -1, count, count);
}
CommOp broadcast(int group, std::int64_t count) {
  return comm_op("broadcast", group, -1, count, count);
}
CommOp send(int group, int to, std::int64_t count) {
  return comm_op("send", group, to, count, count);
}
CommOp recv(int group, int from, std::int64_t count) {
  return comm_op("recv", group, from, count, count);
}

void ThreadBuilder::launch_comm(const std::vector<CommOp>& comms, int comm_stream, Ns duration) {
  const int index =
      launch(comm_stream,
             std::string(comms.size() > 1 && comms[0].is_p2p() ? "ncclDevKernel_SendRecv"
                                                               : names_of(comms[0]).kernel) +
                 "(ncclDevKernelArgsStorage<4096ul>)",
             duration, {7_us, 11_us});
  Call& call = at(code().calls, index);
  if (program_->comm_calls != CommCalls::k2023) call.name = "cudaLaunchKernelExC";
  call.rows[0].carried = comms;
}

int ThreadBuilder::record_comm(const CommOp& comm, const Body& body) {
  int index = -1;
  op(names_of(comm).op, [&] {
    work(4_us);
    Op recorded;
    recorded.name = "record_param_comms";
    recorded.comm.push_back(comm);
    recorded.elements = comm.in_nelems;
    index = begin(std::move(recorded));
    work(3_us);
    body();
    work(2_us);
    end(index);
    work(1_us);
  });
  return index;
}

int ThreadBuilder::short_calls(const CommLaunch& launch) {
  wait(launch.comm_stream, record(launch.stream));
  annotation(launch.title, [&] {
    work(launch.comms.size() > 1 ? 4_us : 6_us);
    launch_comm(launch.comms, launch.comm_stream, launch.duration);
    work(2_us);
  });
  return record(launch.comm_stream);
}

// The end event is one of two behind the kernel; the other is that of the work's future. In 2023 a
// stream of its callbacks waited for that one.
int ThreadBuilder::nccl_calls(const CommLaunch& launch, const char* capture_call,
                              bool has_callbacks) {
  const int internal = launch.comm_stream + 1, callbacks = launch.comm_stream + 2;
  int done = -1;
  call("cudaStreamIsCapturing", 1_us);
  wait(launch.comm_stream, record(launch.stream));
  annotation(launch.title, [&] {
    work(4_us);
    call(capture_call, 1_us);
    wait(launch.comm_stream, record(internal, 1_us));
    launch_comm(launch.comms, launch.comm_stream, launch.duration);
    wait(internal, record(launch.comm_stream, 1_us));
    work(2_us);
    done = record(launch.comm_stream, 1_us);
    work(3_us);
    const int future = record(launch.comm_stream, 1_us);
    if (has_callbacks) wait(callbacks, future);
    work(1_us);
  });
  return done;
}

// NCCL's own waits go through one event of the communicator and a stream of its own.
int ThreadBuilder::nccl_calls_2026(const CommLaunch& launch) {
  constexpr int kFirstInternal = 300;
  const int group = launch.comms.front().group;
  const int internal = kFirstInternal + group;
  using GroupEvent = RankProgram::GroupEvent;
  const auto event_for = [&](GroupEvent use) {
    const auto [event, is_new] = code().group_events.try_emplace({group, use}, code().events);
    if (is_new) ++code().events;
    return event->second;
  };
  const auto record_with_flags = [&](int stream, int event) {
    record(stream, event, 1_us);
    code().calls.back().name = "cudaEventRecordWithFlags";
  };
  const int nccl_event = event_for(GroupEvent::kNccl);
  int done = -1;
  call("cudaStreamIsCapturing", 1_us);
  if (launch.stream != launch.comm_stream) {
    record_with_flags(launch.stream, event_for(GroupEvent::kCurrentStream));
    wait(launch.comm_stream, event_for(GroupEvent::kCurrentStream));
  }
  annotation(launch.title, [&] {
    work(4_us);
    call("cudaStreamGetCaptureInfo_v2", 1_us);
    record(internal, nccl_event, 1_us);
    wait(launch.comm_stream, nccl_event);
    launch_comm(launch.comms, launch.comm_stream, launch.duration);
    record(launch.comm_stream, nccl_event, 1_us);
    wait(internal, nccl_event);
    work(2_us);
    call("cudaStreamIsCapturing", 1_us);
    done = code().events++;
    record_with_flags(launch.comm_stream, done);
    work(3_us);
    record(launch.comm_stream, event_for(GroupEvent::kFuture), 1_us);
    work(1_us);
  });
  return done;
}

int ThreadBuilder::comm_calls(const CommLaunch& launch) {
  switch (program_->comm_calls) {
    case CommCalls::kShort:
      return short_calls(launch);
    case CommCalls::k2023:
      return nccl_calls(launch, "INVALID", true);
    case CommCalls::k2026:
      return nccl_calls_2026(launch);
    case CommCalls::k2025:
      break;
  }
  return nccl_calls(launch, "cudaStreamGetCaptureInfo_v2", false);
}

int ThreadBuilder::collective(const CommOp& comm, int stream, int comm_stream, Ns duration) {
  const std::vector<CommOp> comms{comm};
  int done = -1;
  const int op = record_comm(comm, [&] {
    done = comm_calls({comms, title(comm, rank_), stream, comm_stream, duration});
  });
  at(code().ops, op).end_event = done;
  return done;
}

int ThreadBuilder::coalesced(const std::vector<CommOp>& comms, int stream, int comm_stream,
                             Ns duration) {
  int op = -1;
  for (const CommOp& comm : comms) {
    op = record_comm(comm, [&] { work(2_us); });
    work(3_us);
  }
  const int done = comm_calls({comms, "nccl:coalesced", stream, comm_stream, duration});
  at(code().ops, op).end_event = done;
  return done;
}

void ThreadBuilder::wait_for_work(int stream, int event) {
  Op waiting;
  waiting.name = "record_param_comms";
  for (std::size_t i = 0; i < code().ops.size(); ++i)
    if (code().ops[i].end_event == event) waiting.work = static_cast<int>(i);
  const int index = begin(std::move(waiting));
  work(1_us);
  wait(stream, event);
  work(1_us);
  end(index);
}

}  // namespace nadi::vm
