// Programs of several ranks, and the table of all programs.
#include <fmt/format.h>

#include <charconv>
#include <span>

#include "builder.h"
#include "nadi/base/error.h"
#include "programs.h"

namespace nadi::vm {

namespace {

constexpr int kCompute = 7, kComm = 20;

void kernel_op(ThreadBuilder& thread, const char* op, const char* kernel, Ns duration) {
  thread.op(op, [&] {
    thread.work(3_us);
    thread.launch(kCompute, kernel, duration);
    thread.work(1_us);
  });
}

// One training step of one rank; slower ranks have slower hosts, so that they arrive late.
void ddp_rank(ProgramBuilder& builder, int rank) {
  ThreadBuilder main = builder.thread(rank, "pt_main_thread");
  ThreadBuilder engine = builder.thread(rank, "pt_autograd_0");
  ThreadBuilder loader = builder.thread(rank, "pt_data_loader");
  for (int i = 0; i < 3; ++i) {
    loader.work(11_us);
    loader.op("aten::stack", 23_us);
  }
  main.annotation("ProfilerStep#3", [&] {
    main.work(6_us + 7_us * rank);
    main.op("aten::to", [&] {
      main.work(2_us);
      main.copy(kCompute, "HtoD (Pinned -> Device)", 1 << 20, 18_us);
    });
    int forward[4];
    main.annotation("DistributedDataParallel.forward", [&] {
      main.work(5_us);
      for (int& op : forward)
        op = main.forward_op("aten::linear", [&] {
          main.work(4_us);
          main.op("aten::addmm", [&] {
            main.work(3_us);
            main.launch(kCompute, "gemm", 22_us + 2_us * rank);
          });
          main.work(1_us);
        });
    });
    main.annotation("## backward ##", [&] {
      main.hand_over(engine, [&] {
        std::vector<int> buckets;
        for (int i = 3; i >= 0; --i) {
          engine.backward_op("AddmmBackward0", forward[i], [&] {
            kernel_op(engine, "aten::mm", "dgrad", 20_us);
            kernel_op(engine, "aten::mm", "wgrad", 21_us);
          });
          if (i % 2 == 0) {
            engine.work(2_us);
            buckets.push_back(engine.collective(all_reduce(0, 2049000), kCompute, kComm, 45_us));
          }
        }
        for (int done : buckets) engine.wait(kCompute, done);
      });
    });
    main.annotation("Optimizer.step#SGD.step", [&] {
      main.work(3_us);
      kernel_op(main, "aten::_foreach_add_", "multi_tensor_apply", 16_us);
    });
    main.op("aten::item", [&] {
      main.work(1_us);
      main.op("aten::_local_scalar_dense", [&] {
        main.work(1_us);
        main.blocking_copy(kCompute, 4, 2_us);
        main.stream_synchronize(kCompute);
        main.work(1_us);
      });
      main.work(1_us);
    });
  });
}

// A message on the stream of this pair of ranks; returns its event.
int message(ThreadBuilder& thread, const CommOp& comm) {
  const int low = std::min(thread.rank(), comm.peer);
  return thread.collective(comm, kCompute, 40 + 4 * low, 12_us);
}

}  // namespace

Program ddp_step(int ranks) {
  ProgramBuilder builder(fmt::format("ddp_step_{}", ranks), ranks);
  builder.program().hand_off_latency = 6_us;
  builder.program().row_gap = 1_us;
  builder.program().comm_calls = CommCalls::kShort;  // as the traces in tests/data
  for (int rank = 0; rank < ranks; ++rank) ddp_rank(builder, rank);
  return builder.take();
}

Program pipeline() {
  constexpr int kRanks = 4, kMicroBatches = 3;
  constexpr std::int64_t kElements = 32768;
  ProgramBuilder builder("pipeline", kRanks);
  for (int rank = 0; rank < kRanks; ++rank) {
    ThreadBuilder main = builder.thread(rank, "pt_main_thread");
    main.work(4_us * rank);
    for (int i = 0; i < kMicroBatches; ++i) {
      if (rank > 0) main.wait_for_work(kCompute, message(main, recv(0, rank - 1, kElements)));
      kernel_op(main, "aten::linear", "stage_forward", 30_us);
      if (rank + 1 < kRanks) message(main, send(0, rank + 1, kElements));
      main.work(2_us);
    }
    for (int i = 0; i < kMicroBatches; ++i) {
      if (rank + 1 < kRanks)
        main.wait_for_work(kCompute, message(main, recv(0, rank + 1, kElements)));
      kernel_op(main, "aten::mm", "stage_backward", 55_us);
      if (rank > 0) message(main, send(0, rank - 1, kElements));
      main.work(2_us);
    }
    main.device_synchronize();
  }
  return builder.take();
}

Program coalesced_exchange() {
  ProgramBuilder builder("coalesced_exchange", 2);
  for (int rank = 0; rank < 2; ++rank) {
    ThreadBuilder main = builder.thread(rank, "pt_main_thread");
    const int peer = 1 - rank;
    for (int i = 0; i < 2; ++i) {
      kernel_op(main, "aten::conv2d", "halo_producer", 20_us + 15_us * rank);
      main.work(2_us);
      main.wait_for_work(kCompute, main.coalesced({send(0, peer, 4096), recv(0, peer, 4096)},
                                                  kCompute, kComm, 14_us));
      kernel_op(main, "aten::conv2d", "halo_consumer", 25_us);
      main.work(3_us);
    }
  }
  return builder.take();
}

Program tensor_parallel() {
  ProgramBuilder builder("tensor_parallel", 4);
  builder.program().row_gap = 1_us;
  const int pairs[2] = {builder.group("tensor_parallel", {0, 1}),
                        builder.group("tensor_parallel", {2, 3})};
  const int strided[2] = {builder.group("data_parallel", {0, 2}),
                          builder.group("data_parallel", {1, 3})};
  for (int rank = 0; rank < 4; ++rank) {
    ThreadBuilder main = builder.thread(rank, "pt_main_thread");
    const int tp = pairs[rank / 2], dp = strided[rank % 2];
    main.work(3_us * rank);
    int reduced = -1;
    for (int layer = 0; layer < 2; ++layer) {
      main.wait_for_work(kCompute,
                         main.collective(all_gather(tp, 4096, 8192), kCompute, kComm, 17_us));
      kernel_op(main, "aten::linear", "column_parallel", 28_us);
      kernel_op(main, "aten::linear", "row_parallel", 26_us);
      main.wait_for_work(kCompute,
                         main.collective(reduce_scatter(tp, 8192, 4096), kCompute, kComm, 19_us));
      reduced =
          main.collective(all_reduce(dp, 65536), kCompute, 24, 60_us);  // overlaps the next layer
    }
    main.wait_for_work(kCompute, reduced);
    main.wait_for_work(kCompute, main.collective(broadcast(0, 16), kCompute, 28, 8_us));
    kernel_op(main, "aten::_foreach_add_", "optimizer", 12_us);
    main.stream_synchronize(kCompute);
  }
  return builder.take();
}

namespace {

struct NamedProgram {
  const char* name;
  Program (*make)();
};

constexpr NamedProgram kPrograms[] = {
    {"straight_line", straight_line},
    {"nested_parts", nested_parts},
    {"two_streams_event", two_streams_event},
    {"transitive_wait", transitive_wait},
    {"join", join},
    {"host_syncs", host_syncs},
    {"blocking_copy", blocking_copy},
    {"graph_launch", graph_launch},
    {"long_launches", long_launches},
    {"forward_backward", forward_backward},
    {"data_loader", data_loader},
    {"calls_outside_ops", calls_outside_ops},
    {"multi_step", multi_step},
    {"ddp_step_2", [] { return ddp_step(2); }},
    {"ddp_step_4", [] { return ddp_step(4); }},
    {"pipeline", pipeline},
    {"coalesced_exchange", coalesced_exchange},
    {"tensor_parallel", tensor_parallel},
};

constexpr NamedProgram kGraphPrograms[] = {
    {"graph_fork_join", graph_fork_join},
    {"graph_many_roots", graph_many_roots},
    {"graph_side_by_side", graph_side_by_side},
    {"graph_equal_arrows", graph_equal_arrows},
    {"graph_ambiguous_arrows", graph_ambiguous_arrows},
    {"graph_programmatic", graph_programmatic},
    {"graph_child", graph_child},
    {"graph_loop", graph_loop},
    {"graph_host_node", graph_host_node},
    {"graph_early", graph_early},
};

struct SeededPrograms {
  const char* name;
  Program (*make)(std::uint64_t seed);
};

constexpr SeededPrograms kSeededPrograms[] = {
    {"random", [](std::uint64_t seed) { return random_program(seed); }},
    {"data_parallel", [](std::uint64_t seed) { return data_parallel(seed, CommCalls::k2025); }},
    {"data_parallel_2023",
     [](std::uint64_t seed) { return data_parallel(seed, CommCalls::k2023); }},
    {"pipeline_tensor", [](std::uint64_t seed) { return pipeline_tensor(seed, CommCalls::k2025); }},
    {"pipeline_tensor_2023",
     [](std::uint64_t seed) { return pipeline_tensor(seed, CommCalls::k2023); }},
    {"autograd", autograd},
    {"sync_heavy", sync_heavy},
    {"graphs", graphs},
    {"server", server},
    {"scheduler", scheduler},
    {"offload", offload},
    {"fsdp2", fsdp2},
    {"moe", moe},
    {"two_gpus", two_gpus},
    {"compiled", compiled},
};

}  // namespace

std::vector<std::string> seeded_program_names() {
  std::vector<std::string> names;
  for (const SeededPrograms& programs : kSeededPrograms) names.emplace_back(programs.name);
  return names;
}

namespace {

template <std::size_t count>
std::vector<std::string> names_of(const NamedProgram (&programs)[count]) {
  std::vector<std::string> names;
  for (const NamedProgram& program : programs) names.emplace_back(program.name);
  return names;
}

}  // namespace

std::vector<std::string> program_names() { return names_of(kPrograms); }

std::vector<std::string> graph_program_names() { return names_of(kGraphPrograms); }

Program make_program(std::string_view name) {
  for (const std::span<const NamedProgram> programs :
       {std::span<const NamedProgram>(kPrograms), std::span<const NamedProgram>(kGraphPrograms)})
    for (const NamedProgram& program : programs)
      if (name == program.name) return program.make();
  const std::size_t colon = name.find(':');
  for (const SeededPrograms& programs : kSeededPrograms) {
    if (name.substr(0, colon) != programs.name || colon == name.npos) continue;
    std::uint64_t seed = 0;
    const char* end = name.data() + name.size();
    if (std::from_chars(name.data() + colon + 1, end, seed).ptr == end) return programs.make(seed);
  }
  throw Error(ErrorCode::kUsage, std::string(name), "no such program",
              "Known: those that vm_write prints without arguments");
}

}  // namespace nadi::vm
