// Training in one process as today's frameworks do it: two GPUs, compiled regions.
#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "framework_rank.h"
#include "programs.h"

namespace nadi::vm {

namespace {

constexpr int kSecondGpu = kStreamsOfADevice + kCurrent;

/// Two GPUs in one process; autograd has a thread for each.
class TwoGpus : public FrameworkRank {
 public:
  TwoGpus(ProgramBuilder& builder, const FrameworkShape& shape)
      : FrameworkRank(builder, 0, shape),
        second_engine_(builder.thread(0, "pt_autograd_1"), times_, shape.jitter) {}

 protected:
  /// A copy waits for the other device's stream, and that stream for the copy.
  void copy_between(Thread& thread, int from, int to) {
    thread.op("aten::to", [&] {
      thread.op("aten::_to_copy", [&] {
        thread.op("aten::copy_", [&] {
          thread.wait_stream(from, to);
          const Ns duration = thread.varied(12_us);
          thread.calls().copy(from, "PtoP (Device -> Device)", 1 << 20, duration);
          thread.calls().code().calls.back().rows.front().to_device = device_of(to);
          thread.wait_stream(to, from);
        });
      });
    });
  }

  int stage_forward(Thread& thread, int stream) {
    const int op = thread.calls().forward_op("aten::linear", [&] {
      thread.work(3_us);
      for (int i = 0; i < shape_.layers; ++i)
        thread.kernel(stream, "aten::addmm", "nvjet_tst", shape_.kernel);
    });
    thread.work(3_us);
    return op;
  }

  void stage_backward(Thread& engine, int stream, int forward) {
    backward_op(engine, "AddmmBackward0", forward, [&] {
      for (int i = 0; i < 2 * shape_.layers; ++i)
        engine.kernel(stream, "aten::mm", "nvjet_tst", shape_.kernel);
    });
  }

  int signal(Thread& thread) {
    const int token = thread.calls().code().tokens++;
    thread.calls().signal(token);
    return token;
  }

  /// As autograd's threads hand on what is ready on the other device.
  void go_on(Thread& from, Thread& to) {
    to.calls().await(signal(from));
    to.work(3_us);
  }

  Thread second_engine_;
};

/// One thread drives a stage on each.
class StagedGpus : public TwoGpus {
 public:
  using TwoGpus::TwoGpus;

  void step() {
    for (int batch = 0; batch < 3; ++batch) {
      main_.copy(kCurrent, "HtoD (Pinned -> Device)", 1 << 16, 6_us);
      const int first = stage_forward(main_, kCurrent);
      const int there = forward_op("ToCopy", [&] { copy_between(main_, kCurrent, kSecondGpu); });
      const int second = stage_forward(main_, kSecondGpu);
      main_.kernel(kSecondGpu, "aten::mse_loss", "reduce_kernel", 5_us);
      go_on(main_, second_engine_);
      stage_backward(second_engine_, kSecondGpu, second);
      backward_op(second_engine_, "ToCopyBackward0", there,
                  [&] { copy_between(second_engine_, kSecondGpu, kCurrent); });
      go_on(second_engine_, engine_);
      stage_backward(engine_, kCurrent, first);
      go_on(engine_, main_);
    }
    optimizer();
    optimizer(kSecondGpu);
    main_.calls().item(kSecondGpu);
  }
};

/// torch.nn.DataParallel: a thread for each device runs forward, the main thread calls backward().
class DataParallelGpus : public TwoGpus {
 public:
  DataParallelGpus(ProgramBuilder& builder, const FrameworkShape& shape)
      : TwoGpus(builder, shape),
        replicas_{Thread(builder.thread(0, "python3"), times_, shape.jitter),
                  Thread(builder.thread(0, "python3"), times_, shape.jitter)} {}

  void step() {
    main_.copy(kCurrent, "HtoD (Pinned -> Device)", 1 << 16, 6_us);
    main_.op("Scatter", [&] { copy_between(main_, kCurrent, kSecondGpu); });
    const int broadcast =
        forward_op("Broadcast", [&] { copy_between(main_, kCurrent, kSecondGpu); });
    const std::vector<int> forward = forward_passes();
    const int gather = forward_op("Gather", [&] { copy_between(main_, kSecondGpu, kCurrent); });
    main_.kernel(kCurrent, "aten::mse_loss", "reduce_kernel", 5_us);
    go_on(main_, engine_);
    backward_op(engine_, "GatherBackward", gather,
                [&] { copy_between(engine_, kCurrent, kSecondGpu); });
    go_on(engine_, second_engine_);
    stage_backward(engine_, kCurrent, forward[0]);
    stage_backward(second_engine_, kSecondGpu, forward[1]);
    backward_op(second_engine_, "BroadcastBackward", broadcast,
                [&] { copy_between(second_engine_, kSecondGpu, kCurrent); });
    const int first = signal(engine_), second = signal(second_engine_);
    main_.calls().await(first);
    main_.calls().await(second);
    main_.work(4_us);
    optimizer();
    main_.calls().item(kCurrent);
  }

 private:
  // Threads start, and are joined, as Python does it.
  std::vector<int> forward_passes() {
    std::vector<int> ops;
    std::vector<int> ended;
    for (std::size_t i = 0; i < 2; ++i) {
      replicas_[i].calls().get(main_.calls().put());
      main_.work(12_us);
      replicas_[i].work(8_us);
      ops.push_back(stage_forward(replicas_[i], i == 0 ? kCurrent : kSecondGpu));
      ended.push_back(replicas_[i].calls().put());
    }
    for (const int token : ended) main_.calls().get(token);
    main_.work(5_us);
    return ops;
  }

  Thread replicas_[2];
};

/// torch.compile: Triton's kernels, or graphs of CUDA launched back to back, inside one op.
class CompiledRank : public FrameworkRank {
 public:
  CompiledRank(ProgramBuilder& builder, const FrameworkShape& shape, bool has_graphs)
      : FrameworkRank(builder, 0, shape), has_graphs_(has_graphs) {}

  void step() {
    std::vector<int> forward;
    main_.copy(kCurrent, "HtoD (Pinned -> Device)", 1 << 16, 6_us);
    for (int region = 0; region < 2; ++region) {
      main_.annotation("TorchDynamo Cache Lookup", [&] { main_.work(6_us); });
      main_.annotation(fmt::format("Torch-Compiled Region: {}/0", region), [&] {
        forward.push_back(forward_op("CompiledFunction", [&] { compiled(main_, region); }));
      });
      main_.work(10_us);
    }
    main_.kernel(kCurrent, "aten::mean", "reduce_kernel", 5_us);
    backward([&] {
      for (int region = 2; region-- > 0;) {
        backward_op(engine_, "CompiledFunctionBackward", at(forward, region),
                    [&] { compiled(engine_, 2 + region); });
        evaluate(engine_, "torch::autograd::AccumulateGrad", [&] { engine_.view("aten::detach"); });
      }
    });
    optimizer();
    main_.calls().item(kCurrent);
  }

 private:
  void compiled(Thread& thread, int place) {
    thread.annotation(fmt::format("## Call CompiledFxGraph f{} ##", place), [&] {
      if (has_graphs_) return launch_graphs(thread, place);
      for (int i = 0; i < shape_.layers; ++i) {
        thread.kernel(kCurrent, "extern_kernels.mm", "nvjet_tst", shape_.kernel);
        thread.triton(kCurrent, "triton_poi_fused_gelu", shape_.kernel / 4);
      }
      thread.triton(kCurrent, "triton_per_fused_native_layer_norm", shape_.kernel / 3);
    });
  }

  void launch_graphs(Thread& thread, int place) {
    for (int part = 0; part < 2; ++part) {
      thread.calls().call("cudaStreamIsCapturing", 500);
      const auto [graph, is_new] = graphs_.try_emplace({place, part}, -1);
      if (is_new) {
        std::vector<Row> rows;
        for (int i = 0; i < 2 * shape_.layers; ++i)
          rows.push_back(graph_kernel(i % 2 == 0 ? "nvjet_tst" : "triton_poi_fused_gelu", kCurrent,
                                      thread.varied(shape_.kernel),
                                      i > 0 ? std::vector<int>{i - 1} : std::vector<int>{}));
        graph->second = thread.calls().graph(kCurrent, std::move(rows), {15_us, 12_us});
      } else {
        thread.calls().replay(graph->second,
                              [&](std::size_t, Ns before) { return thread.varied(before); });
      }
      thread.work(3_us);
    }
  }

  bool has_graphs_;
  std::map<std::pair<int, int>, int> graphs_;  // by place and part: its first launch
};

}  // namespace

Program two_gpus(std::uint64_t seed) {
  FrameworkShape shape(seed, 3);
  ProgramBuilder builder = shape.builder("two_gpus", 1);
  if (seed % 2 == 0) {
    DataParallelGpus gpus(builder, shape);
    gpus.train([&] { gpus.step(); });
  } else {
    StagedGpus gpus(builder, shape);
    gpus.train([&] { gpus.step(); });
  }
  return builder.take();
}

Program compiled(std::uint64_t seed) {
  FrameworkShape shape(seed, 4);
  ProgramBuilder builder = shape.builder("compiled", 1);
  CompiledRank rank(builder, shape, seed % 2 == 0);
  rank.train([&] { rank.step(); });
  return builder.take();
}

}  // namespace nadi::vm
