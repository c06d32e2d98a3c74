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
  Call& call = code().calls[static_cast<std::size_t>(index)];
  call.name = "cudaLaunchKernelExC";
  call.rows[0].carried = comms;
}

void ThreadBuilder::record_comm(const CommOp& comm, const Body& body) {
  op(names_of(comm).op, [&] {
    work(4_us);
    Op recorded;
    recorded.name = "record_param_comms";
    recorded.comm.push_back(comm);
    recorded.elements = comm.in_nelems;
    const int index = begin(std::move(recorded));
    work(3_us);
    body();
    work(2_us);
    end(index);
    work(1_us);
  });
}

int ThreadBuilder::collective(const CommOp& comm, int stream, int comm_stream, Ns duration) {
  int done = -1;
  record_comm(comm, [&] {
    const int ready = record(stream);
    wait(comm_stream, ready);
    annotation(title(comm, rank_), [&] {
      work(6_us);
      launch_comm({comm}, comm_stream, duration);
      work(2_us);
    });
    done = record(comm_stream);
  });
  return done;
}

int ThreadBuilder::coalesced(const std::vector<CommOp>& comms, int stream, int comm_stream,
                             Ns duration) {
  for (const CommOp& comm : comms) {
    record_comm(comm, [&] { work(2_us); });
    work(3_us);
  }
  const int ready = record(stream);
  wait(comm_stream, ready);
  annotation("nccl:coalesced", [&] {
    work(4_us);
    launch_comm(comms, comm_stream, duration);
    work(2_us);
  });
  return record(comm_stream);
}

}  // namespace nadi::vm
