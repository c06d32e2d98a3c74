// What training programs of today's frameworks have in common: shape by seed, one rank of them.
#pragma once

#include <fmt/format.h>

#include <string>

#include "framework_thread.h"

namespace nadi::vm {

constexpr int kCurrent = 7;  ///< the stream that a thread launches on

/// What all ranks of such a program draw alike.
struct FrameworkShape {
  FrameworkShape(std::uint64_t drawn_seed, std::uint64_t kind)
      : seed(drawn_seed),
        draws(drawn_seed * 2862933555777941757ULL + 100 + kind),
        jitter(0.01 * draws.number(3, 15)),
        iterations(draws.number(7, 8)),
        layers(draws.number(3, 6)),
        kernel(draws.happens(40) ? draws.time(6_us, 20_us) : draws.time(30_us, 150_us)),
        communication(draws.time(20_us, 150_us)) {}

  ProgramBuilder builder(const std::string& name, int ranks) {
    ProgramBuilder made(fmt::format("{}_{}", name, seed), ranks);
    made.program().row_gap = draws.time(0, 800);
    made.program().hand_off_latency = draws.time(4_us, 20_us);
    made.program().comm_calls = CommCalls::k2026;
    if (ranks == 1) made.group("default_pg", {0});
    return made;
  }

  std::uint64_t seed;
  TrainingDraws draws;
  double jitter;
  int iterations, layers;
  Ns kernel, communication;
};

/// One rank of them: the main thread and autograd's.
class FrameworkRank {
 public:
  FrameworkRank(ProgramBuilder& builder, int rank, const FrameworkShape& shape)
      : shape_(shape),
        times_(shape.seed * 3202034522624059733ULL + static_cast<std::uint64_t>(rank) * 7919),
        comm_times_(shape.seed * 40503 + 1),
        main_(builder.thread(rank, "pt_main_thread"), times_, shape.jitter),
        engine_(builder.thread(rank, "pt_autograd_0"), times_, shape.jitter) {}
  FrameworkRank(const FrameworkRank&) = delete;

  void train(const Body& step) {
    main_.work(9_us);
    for (int i = 0; i < shape_.iterations; ++i) {
      main_.annotation(fmt::format("ProfilerStep#{}", i + 3), step);
      main_.work(4_us);
    }
    main_.calls().stream_synchronize(kCurrent);
  }

 protected:
  using Thread = FrameworkThread;

  /// Of equal length on all members, which call it in one order.
  int communicate(Thread& thread, const CommOp& comm, int stream, int on) {
    const Ns duration = comm_times_.varied(shape_.communication, shape_.jitter);
    return thread.calls().collective(comm, stream, on, duration);
  }

  int forward_op(const std::string& name, const Body& body) {
    const int op = main_.calls().forward_op(name, [&] {
      main_.work(3_us);
      body();
    });
    main_.work(3_us);
    return op;
  }

  void backward_op(Thread& engine, const std::string& name, int forward, const Body& body) {
    engine.calls().backward_op(name, forward, [&] {
      engine.work(3_us);
      body();
    });
    engine.work(2_us);
  }

  /// A node of autograd's graph that is no backward function of an op.
  void evaluate(Thread& engine, const std::string& node, const Body& body) {
    engine.op("autograd::engine::evaluate_function: " + node, [&] { engine.op(node, body); });
  }

  void backward(const Body& body) {
    main_.calls().hand_over(engine_.calls(), [&] {
      engine_.work(5_us);
      body();
    });
    main_.work(5_us);
  }

  void optimizer(int stream = kCurrent) {
    main_.annotation("Optimizer.step#AdamW.step", [&] {
      for (int i = 0; i < 2; ++i)
        main_.kernel(stream, "aten::_foreach_add_", "multi_tensor_apply_kernel", 15_us);
    });
  }

  const FrameworkShape& shape_;
  TrainingDraws times_, comm_times_;
  Thread main_, engine_;
};

}  // namespace nadi::vm
