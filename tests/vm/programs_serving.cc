// Programs of which one thread hands work to another through queues, as inference servers and
// offloading do: vLLM, SGLang, a CPU optimizer.
#include <fmt/format.h>

#include <array>
#include <deque>
#include <vector>

#include "framework_thread.h"
#include "programs.h"

namespace nadi::vm {

namespace {

constexpr int kMain = 7, kOut = 13, kIn = 17, kResults = 21;
constexpr const char *kToDevice = "HtoD (Pinned -> Device)", *kToHost = "DtoH (Device -> Pinned)";

/// What such programs draw beside their own.
struct ServingShape {
  ServingShape(std::uint64_t seed, std::uint64_t kind)
      : draws(seed * 2862933555777941757ULL + kind),
        times(seed * 3202034522624059733ULL + kind),
        jitter(0.01 * draws.number(3, 15)),
        iterations(draws.number(7, 8)) {}

  ProgramBuilder builder(const std::string& name, std::uint64_t seed) {
    ProgramBuilder made(fmt::format("{}_{}", name, seed));
    made.program().row_gap = draws.time(0, 800);
    made.program().hand_off_latency = draws.time(6_us, 25_us);
    made.program().comm_calls = CommCalls::k2026;
    return made;
  }

  TrainingDraws draws, times;
  double jitter;
  int iterations;
};

/// Steps of what `step` appends; a server is not synchronised behind them, but all ends in time.
void profiled_steps(FrameworkThread& main, int iterations, const Body& step) {
  main.work(9_us);
  for (int i = 0; i < iterations; ++i) {
    main.annotation(fmt::format("ProfilerStep#{}", i + 3), step);
    main.work(4_us);
  }
  main.calls().device_synchronize();
}

/// vLLM: decoding by CUDA graphs; a second thread waits for the tokens.
class Server {
 public:
  Server(ProgramBuilder& builder, ServingShape& shape)
      : shape_(shape),
        main_(builder.thread(0, "pt_main_thread"), shape.times, shape.jitter),
        output_(builder.thread(0, "python3"), shape.times, shape.jitter),
        sizes_(shape.draws.number(2, 4)),
        layers_(shape.draws.number(3, 6)),
        decodes_(shape.draws.number(6, 8)),
        copies_(shape.draws.number(2, 4)),
        has_triton_(shape.draws.happens(50)),
        is_piecewise_(shape.draws.happens(30)),
        kernel_(shape.draws.time(6_us, 40_us)),
        python_(shape.draws.time(20_us, 120_us)),
        prepared_(main_.calls().code().events++) {
    output_.leave_out_ops();
  }

  void run() {
    main_.record(kMain, prepared_);
    profiled_steps(main_, shape_.iterations, [&] {
      for (int i = 0; i < decodes_; ++i) decode();
    });
  }

 private:
  void decode() {
    main_.calls().event_synchronize(prepared_);
    main_.work(python_);
    prepare_inputs();
    main_.record(kMain, prepared_);
    forward();
    main_.kernel(kMain, "aten::argmax", "reduce_kernel", 6_us);
    main_.op("aten::empty", [&] { query_old_copies(); });
    main_.wait_stream(kResults, kMain);
    main_.copy(kResults, kToHost, 256, 2_us);
    const int ready = main_.record(kResults);
    main_.view("aten::record_stream");
    give_to_output(ready);
    if (results_.size() < 2) return;
    main_.calls().get(results_.front());
    results_.pop_front();
    main_.work(python_ / 2);
  }

  void prepare_inputs() {
    for (int i = 0; i < copies_; ++i) {
      main_.view("aten::slice");
      main_.view("aten::slice");
      main_.copy(kMain, kToDevice, 256, 2_us);
    }
    if (has_triton_) {
      main_.triton(kMain, "_prepare_inputs_kernel", 3_us);
    } else {
      main_.kernel(kMain, "aten::add_", "vectorized_elementwise_kernel", 2_us);
    }
  }

  // The allocator of pinned memory looks whether earlier copies are done: orders nothing (K25).
  void query_old_copies() {
    if (ready_.size() < 2) return;
    main_.calls().query(ready_.front());
    ready_.pop_front();
  }

  void forward() {
    const int size = count_++ % sizes_;
    if (!is_piecewise_) return replay(size, layers_);
    for (int layer = 0; layer < layers_; ++layer) {
      replay(size * layers_ + layer, 1);
      main_.op("vllm::unified_attention",
               [&] { main_.launch(kMain, "flash_fwd_kernel", kernel_ * (size + 1)); });
    }
    main_.work(2_us);
  }

  /// The graph of that number, of so many layers; captured long before.
  void replay(int number, int layers) {
    main_.calls().call("cudaStreamIsCapturing", 500);
    if (u(number) >= graphs_.size()) graphs_.resize(u(number) + 1, -1);
    int& graph = at(graphs_, number);
    if (graph < 0) {
      std::vector<Row> rows;
      for (int i = 0; i < 4 * layers; ++i)
        rows.push_back(graph_kernel(i % 4 == 1 ? "nvjet_hsh" : "vectorized_elementwise_kernel",
                                    kMain, main_.varied(kernel_ * (1 + number % sizes_) / 2),
                                    i > 0 ? std::vector<int>{i - 1} : std::vector<int>{}));
      graph = main_.calls().graph(kMain, std::move(rows), {main_.varied(15_us), 12_us});
    } else {
      main_.calls().replay(graph, [&](std::size_t, Ns before) { return main_.varied(before); });
    }
    main_.work(3_us);
  }

  void give_to_output(int ready) {
    ready_.push_back(ready);
    output_.calls().get(main_.calls().put());
    output_.work(8_us);
    output_.calls().event_synchronize(ready);
    output_.work(15_us);
    results_.push_back(output_.calls().put());
    output_.work(3_us);
    main_.work(4_us);
  }

  ServingShape& shape_;
  FrameworkThread main_, output_;
  int sizes_, layers_, decodes_, copies_;
  bool has_triton_, is_piecewise_;
  Ns kernel_, python_;
  int prepared_, count_ = 0;
  std::vector<int> graphs_;  // by number: its first launch
  std::deque<int> results_, ready_;
};

/// SGLang: a scheduler prepares batches and takes results, a worker launches.
class Scheduler {
 public:
  Scheduler(ProgramBuilder& builder, ServingShape& shape, bool has_queries)
      : shape_(shape),
        main_(builder.thread(0, "pt_main_thread"), shape.times, shape.jitter),
        worker_(builder.thread(0, "python3"), shape.times, shape.jitter),
        has_queries_(has_queries),
        layers_(shape.draws.number(2, 5)),
        decodes_(shape.draws.number(6, 8)),
        kernel_(shape.draws.time(6_us, 60_us)),
        python_(shape.draws.time(15_us, 90_us)),
        pause_(shape.draws.time(4_us, 15_us)) {
    if (shape.draws.happens(60)) worker_.leave_out_ops();
  }

  void run() {
    profiled_steps(main_, shape_.iterations, [&] {
      for (int i = 0; i < decodes_; ++i) schedule();
    });
  }

 private:
  struct Result {
    int copied, token;
  };

  void schedule() {
    prepare();
    work_on(main_.record(kOut));
    if (results_.size() < 2) return;
    const Result before = results_.front();
    results_.pop_front();
    main_.calls().get(before.token);
    main_.work(6_us);
    if (has_queries_) {
      main_.calls().query_until_done(before.copied, pause_);
    } else {
      main_.calls().event_synchronize(before.copied);
    }
    main_.work(python_);
    main_.view("aten::resolve_conj");
    main_.view("aten::resolve_neg");
  }

  void prepare() {
    main_.view("aten::full");
    main_.op("aten::pin_memory", [&] { main_.view("aten::set_"); });
    main_.op("aten::to",
             [&] { main_.op("aten::_to_copy", [&] { main_.copy(kOut, kToDevice, 128, 2_us); }); });
    main_.record(kOut);  // the allocator's of pinned memory
    for (const char* name : {"aten::mul", "aten::add", "aten::remainder"})
      main_.kernel(kOut, name, "vectorized_elementwise_kernel", 2_us);
  }

  void work_on(int ready) {
    worker_.calls().get(main_.calls().put());
    main_.work(4_us);
    worker_.work(6_us);
    worker_.wait(kIn, ready);
    worker_.work(3_us);
    for (int layer = 0; layer < layers_; ++layer) {
      worker_.kernel(kIn, "aten::layer_norm", "layer_norm_kernel", kernel_ / 4);
      worker_.kernel(kIn, "aten::addmm", "nvjet_hsh", kernel_);
      worker_.kernel(kIn, "aten::silu", "vectorized_elementwise_kernel", kernel_ / 4);
      worker_.kernel(kIn, "aten::addmm", "nvjet_hsh", kernel_);
    }
    worker_.kernel(kIn, "aten::argmax", "reduce_kernel", 5_us);
    worker_.copy(kIn, kToHost, 128, 2_us);
    worker_.record(kIn);  // the allocator's of pinned memory
    const int copied = worker_.record(kIn);
    worker_.work(3_us);
    results_.push_back({copied, worker_.calls().put()});
    worker_.work(3_us);
  }

  ServingShape& shape_;
  FrameworkThread main_, worker_;
  bool has_queries_;
  int layers_, decodes_;
  Ns kernel_, python_, pause_;
  std::deque<Result> results_;
};

/// Activations go out to the host and come back; a thread of the CPU updates parameters.
class Offload {
 public:
  Offload(ProgramBuilder& builder, ServingShape& shape)
      : shape_(shape),
        main_(builder.thread(0, "pt_main_thread"), shape.times, shape.jitter),
        engine_(builder.thread(0, "pt_autograd_0"), shape.times, shape.jitter),
        optimizer_(builder.thread(0, "python3"), shape.times, shape.jitter),
        layers_(shape.draws.number(3, 6)),
        kernel_(shape.draws.time(40_us, 250_us)),
        copy_(shape.draws.time(20_us, 150_us)),
        update_(shape.draws.time(40_us, 300_us)),
        has_two_buffers_(shape.draws.happens(50)) {
    optimizer_.leave_out_ops();
  }

  void run() {
    profiled_steps(main_, shape_.iterations, [&] { step(); });
  }

 private:
  struct Activation {
    int forward, gone;
  };

  void step() {
    std::vector<Activation> saved;
    for (int i = 0; i < layers_; ++i) saved.push_back(forward_layer());
    main_.kernel(kMain, "aten::mean", "reduce_kernel", 6_us);
    main_.calls().hand_over(engine_.calls(), [&] {
      engine_.work(5_us);
      std::deque<int> used;
      for (int i = layers_; i-- > 0;) backward_layer(at(saved, i), used);
    });
    main_.work(5_us);
    update();
  }

  Activation forward_layer() {
    Activation saved{};
    saved.forward = main_.calls().forward_op("aten::linear", [&] {
      main_.work(2_us);
      main_.op("aten::addmm", [&] {
        saved.gone = copy_out(main_, 1 << 22);
        main_.launch(kMain, "sm80_xmma_gemm_f32f32", kernel_, "cudaLaunchKernelExC");
      });
    });
    main_.work(3_us);
    main_.kernel(kMain, "aten::relu", "vectorized_elementwise_kernel", kernel_ / 8);
    return saved;
  }

  int copy_out(FrameworkThread& thread, std::int64_t bytes) {
    thread.wait_stream(kOut, kMain);
    thread.view("aten::empty");
    thread.copy(kOut, kToHost, bytes, copy_);
    thread.view("aten::record_stream");
    return thread.record(kOut);
  }

  // With two buffers a copy in waits for what was computed from the one before last.
  void backward_layer(const Activation& saved, std::deque<int>& used) {
    engine_.calls().backward_op("AddmmBackward0", saved.forward, [&] {
      engine_.work(3_us);
      engine_.wait(kIn, saved.gone);
      if (has_two_buffers_ && used.size() >= 2) {
        engine_.wait(kIn, used.front());
        used.pop_front();
      }
      engine_.op("aten::to", [&] {
        engine_.op("aten::_to_copy", [&] { engine_.copy(kIn, kToDevice, 1 << 22, copy_); });
      });
      engine_.wait_stream(kMain, kIn);
      engine_.view("aten::record_stream");
      for (int i = 0; i < 2; ++i)
        engine_.kernel(kMain, "aten::mm", "sm80_xmma_gemm_f32f32", kernel_);
      if (has_two_buffers_) used.push_back(engine_.record(kMain));
    });
    engine_.work(2_us);
  }

  void update() {
    std::vector<std::array<int, 2>> done;  // token, event behind the copy
    for (int i = 0; i < layers_; ++i) {
      const int there = copy_out(main_, 1 << 22);
      optimizer_.calls().get(main_.calls().put());
      main_.work(4_us);
      optimizer_.work(5_us);
      optimizer_.calls().event_synchronize(there);
      optimizer_.work(update_);
      optimizer_.copy(kIn, kToDevice, 1 << 22, copy_);
      const int copied = optimizer_.record(kIn);
      optimizer_.work(3_us);
      done.push_back({optimizer_.calls().put(), copied});
      optimizer_.work(2_us);
    }
    for (const auto& [token, copied] : done) {
      main_.calls().get(token);
      main_.work(3_us);
      main_.wait(kMain, copied);
    }
    main_.view("aten::zero_");
  }

  ServingShape& shape_;
  FrameworkThread main_, engine_, optimizer_;
  int layers_;
  Ns kernel_, copy_, update_;
  bool has_two_buffers_;
};

}  // namespace

Program server(std::uint64_t seed) {
  ServingShape shape(seed, 1);
  ProgramBuilder builder = shape.builder("server", seed);
  Server(builder, shape).run();
  return builder.take();
}

Program scheduler(std::uint64_t seed) {
  ServingShape shape(seed, 2);
  ProgramBuilder builder = shape.builder("scheduler", seed);
  Scheduler(builder, shape, seed % 2 == 0).run();
  return builder.take();
}

Program offload(std::uint64_t seed) {
  ServingShape shape(seed, 3);
  ProgramBuilder builder = shape.builder("offload", seed);
  Offload(builder, shape).run();
  return builder.take();
}

}  // namespace nadi::vm
