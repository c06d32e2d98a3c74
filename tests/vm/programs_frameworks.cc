// Training of several ranks as today's frameworks do it: FSDP2, experts.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "framework_rank.h"
#include "programs.h"

namespace nadi::vm {

namespace {

constexpr int kSide = 13, kCopyIn = 14, kGather = 18, kScatter = 22, kNccl = 26;

/// fully_shard of blocks and root: the root is layer 0.
class ShardedRank : public FrameworkRank {
 public:
  ShardedRank(ProgramBuilder& builder, int rank, FrameworkShape& shape, int micro_batches,
              bool has_forward_prefetch)
      : FrameworkRank(builder, rank, shape),
        ranks_(static_cast<int>(builder.program().ranks.size())),
        micro_batches_(micro_batches),
        has_forward_prefetch_(has_forward_prefetch) {}

  void step() {
    for (int i = 0; i < micro_batches_; ++i) {
      is_last_batch_ = i + 1 == micro_batches_;
      main_.copy(kCurrent, "HtoD (Pinned -> Device)", 1 << 16, 6_us);
      const std::vector<int> forward = forward_pass();
      main_.kernel(kCurrent, "aten::nll_loss", "nll_loss_kernel", 5_us);
      backward([&] { backward_pass(forward); });
    }
    main_.kernel(kCurrent, "aten::linalg_vector_norm", "reduce_kernel", 8_us);
    optimizer();
    main_.calls().item(kCurrent);
  }

 private:
  static constexpr std::int64_t kParameters = 65536;

  static std::string layer_name(int layer) {
    return layer == 0 ? "root" : fmt::format("layers.{}", layer - 1);
  }

  void unshard(Thread& thread, int layer) {
    int& gathered = gathered_[layer];
    if (gathered >= 0) return;
    thread.annotation(fmt::format("FSDP::all_gather ({})", layer_name(layer)), [&] {
      thread.op("fsdp::all_gather_copy_in", [&] {
        thread.view("aten::split");
        thread.op("aten::_foreach_copy_",
                  [&] { thread.launch(kCopyIn, "multi_tensor_apply_kernel", 4_us); });
      });
      thread.wait_stream(kGather, kCopyIn);
      communicate(thread, all_gather(0, kParameters / ranks_, kParameters), kGather, kGather);
      gathered = thread.record(kGather);
    });
  }

  // In forward the buffers of the layer before are free when this one is waited for, in backward at
  // once.
  void wait_for_unshard(Thread& thread, int layer, bool is_backward) {
    if (!is_backward && copied_out_ >= 0) free_buffers(thread);
    thread.annotation(fmt::format("FSDP::all_gather_copy_out ({})", layer_name(layer)), [&] {
      thread.wait(kCurrent, std::exchange(gathered_[layer], -1));
      thread.view("aten::view");
      thread.op("fsdp::split_with_sizes_copy", [&] {
        thread.op("aten::split_with_sizes_copy",
                  [&] { thread.launch(kCurrent, "split_with_sizes_copy_kernel", 5_us); });
      });
    });
    copied_out_ = thread.record(kCurrent);
    if (is_backward) free_buffers(thread);
  }

  void free_buffers(Thread& thread) {
    thread.wait(kCopyIn, copied_out_);
    thread.wait(kGather, copied_out_);
    copied_out_ = -1;
  }

  std::vector<int> forward_pass() {
    main_.annotation("FSDP::root_pre_forward", [&] {
      main_.wait_stream(kCopyIn, kCurrent);
      main_.wait_stream(kGather, kCurrent);
    });
    gathered_.assign(u(shape_.layers), -1);
    copied_out_ = -1;
    std::vector<int> forward;
    for (int layer = 0; layer < shape_.layers; ++layer) {
      main_.annotation(fmt::format("FSDP::pre_forward ({})", layer_name(layer)), [&] {
        unshard(main_, layer);
        wait_for_unshard(main_, layer, false);
        if (has_forward_prefetch_ && layer + 1 < shape_.layers) unshard(main_, layer + 1);
      });
      forward.push_back(forward_op("aten::linear", [&] { kernels(main_); }));
      main_.kernel(kCurrent, "aten::gelu", "vectorized_elementwise_kernel", shape_.kernel / 4);
      main_.view("RegisterPostBackwardFunction");
    }
    return forward;
  }

  void kernels(Thread& thread) {
    for (const char* op : {"aten::mm", "aten::addmm"})
      thread.kernel(kCurrent, op, "nvjet_tst", shape_.kernel);
  }

  // All of it in hooks inside the engine's ops.
  void backward_pass(const std::vector<int>& forward) {
    int reduced = -1;
    std::vector<int> posts;
    for (int layer = shape_.layers; layer-- > 0;) {
      engine_.op("autograd::engine::evaluate_function: GeluBackward0", [&] {
        pre_backward(layer);
        engine_.op("GeluBackward0", [&] {
          engine_.launch(kCurrent, "vectorized_elementwise_kernel", shape_.kernel / 4);
        });
      });
      backward_op(engine_, "AddmmBackward0", at(forward, layer), [&] {
        kernels(engine_);
        kernels(engine_);
      });
      evaluate(engine_, "torch::autograd::AccumulateGrad", [&] { engine_.view("aten::detach"); });
      if (layer > 0)
        evaluate(engine_, "RegisterPostBackwardFunctionBackward",
                 [&] { reduced = post_backward(layer, reduced, posts); });
    }
    reduced = post_backward(0, reduced, posts);  // the root's, in the engine's final callback
    for (const int post : posts) engine_.wait(kCurrent, post);
    if (reduced >= 0) engine_.wait(kCurrent, reduced);
    engine_.work(2_us);
  }

  void pre_backward(int layer) {
    engine_.annotation(fmt::format("FSDP::pre_backward ({})", layer_name(layer)), [&] {
      unshard(engine_, layer);
      wait_for_unshard(engine_, layer, true);
      if (layer == 0) return;
      engine_.annotation(fmt::format("FSDP::backward_prefetch for {}", layer_name(layer - 1)),
                         [&] { unshard(engine_, layer - 1); });
    });
  }

  int post_backward(int layer, int reduced, std::vector<int>& posts) {
    const std::string name = layer_name(layer);
    engine_.annotation(fmt::format("FSDP::post_backward_accumulate ({})", name), [] {});
    engine_.annotation(fmt::format("FSDP::post_backward_reshard ({})", name), [] {});
    if (!is_last_batch_) return reduced;
    engine_.annotation(fmt::format("FSDP::post_backward_reduce ({})", name), [&] {
      if (reduced >= 0) engine_.wait(kCurrent, reduced);
      engine_.op("fsdp::chunk_cat", [&] {
        engine_.op("aten::_chunk_cat",
                   [&] { engine_.launch(kCurrent, "chunk_cat_cuda_kernel", 5_us); });
      });
      engine_.wait_stream(kScatter, kCurrent);
      communicate(engine_, reduce_scatter(0, kParameters, kParameters / ranks_), kScatter,
                  kScatter);
      reduced = engine_.record(kScatter);
      engine_.kernel(kScatter, "aten::_to_copy", "vectorized_elementwise_kernel", 3_us);
      posts.push_back(engine_.record(kScatter));
    });
    return reduced;
  }

  int ranks_, micro_batches_;
  bool has_forward_prefetch_, is_last_batch_ = true;
  std::vector<int> gathered_;  // by layer: the event behind its all-gather, -1 = not gathered
  int copied_out_ = -1;
};

/// Experts on other ranks: counts go to the host before tokens are sent.
class ExpertsRank : public FrameworkRank {
 public:
  ExpertsRank(ProgramBuilder& builder, int rank, FrameworkShape& shape, bool has_pinned_counts,
              bool is_async)
      : FrameworkRank(builder, rank, shape),
        has_pinned_counts_(has_pinned_counts),
        is_async_(is_async),
        share_(0.8 + 0.4 * rank) {}

  void step() {
    std::vector<Exchanges> forward;
    for (int layer = 0; layer < shape_.layers; ++layer) forward.push_back(layer_forward());
    main_.kernel(kCurrent, "aten::mean", "reduce_kernel", 5_us);
    backward([&] {
      for (int layer = shape_.layers; layer-- > 0;) layer_backward(at(forward, layer));
    });
    for (int i = 0; i < 2; ++i) reduce_gradients();
    optimizer();
    main_.calls().item(kCurrent);
  }

 private:
  struct Exchanges {
    int dispatch, combine;  // ops
  };

  Ns experts() const { return static_cast<Ns>(static_cast<double>(shape_.kernel) * share_); }

  void counts() {
    main_.kernel(kCurrent, "aten::bincount", "kernelHistogram1D", 4_us);
    communicate(main_, all_to_all(0, 4), kCurrent, kCurrent);
    if (!has_pinned_counts_) {
      main_.kernel(kCurrent, "aten::stack", "CatArrayBatchedCopy", 3_us);
      return main_.calls().item(kCurrent);  // tolist() copies as item() does
    }
    main_.wait_stream(kSide, kCurrent);
    main_.copy(kSide, "DtoH (Device -> Pinned)", 64, 2_us);
    main_.calls().stream_synchronize(kSide);
    main_.work(3_us);
  }

  /// Beside it, where it is asynchronous, the shared experts.
  void exchange(Thread& thread, bool is_async, const Body& beside) {
    if (!is_async) {
      communicate(thread, all_to_all(0, 32768), kCurrent, kCurrent);
      return beside();
    }
    const int done = communicate(thread, all_to_all(0, 32768), kCurrent, kNccl);
    beside();
    thread.calls().wait_for_work(kCurrent, done);
  }

  Exchanges layer_forward() {
    Exchanges ops{};
    main_.kernel(kCurrent, "aten::softmax", "softmax_warp_forward", 4_us);
    main_.kernel(kCurrent, "aten::argsort", "DeviceRadixSortKernel", 6_us);
    counts();
    ops.dispatch = forward_op("AllToAll", [&] {
      exchange(main_, is_async_,
               [&] { main_.kernel(kCurrent, "aten::mm", "shared_experts", shape_.kernel); });
    });
    for (int i = 0; i < 2; ++i) main_.kernel(kCurrent, "aten::mm", "grouped_gemm", experts());
    ops.combine = forward_op("AllToAll", [&] { exchange(main_, false, [] {}); });
    main_.kernel(kCurrent, "aten::index_copy_", "index_copy_kernel", 6_us);
    return ops;
  }

  void layer_backward(const Exchanges& forward) {
    backward_op(engine_, "AllToAllBackward", forward.combine, [&] {
      exchange(engine_, true, [&] { engine_.view("aten::new_empty"); });
      for (int i = 0; i < 2; ++i)
        engine_.kernel(kCurrent, "aten::mm", "grouped_gemm", 2 * experts());
    });
    backward_op(engine_, "AllToAllBackward", forward.dispatch, [&] {
      exchange(engine_, true,
               [&] { engine_.kernel(kCurrent, "aten::mm", "shared_experts", 2 * shape_.kernel); });
    });
  }

  // Functional collectives are always asynchronous.
  void reduce_gradients() {
    const int done = communicate(main_, all_reduce(0, 409600), kCurrent, kNccl);
    main_.view("aten::view");
    main_.op("_c10d_functional::wait_tensor", [&] { main_.calls().wait_for_work(kCurrent, done); });
    main_.kernel(kCurrent, "aten::div_", "vectorized_elementwise_kernel", 4_us);
  }

  bool has_pinned_counts_, is_async_;
  double share_;
};

template <class Rank, class... More>
void train_ranks(ProgramBuilder& builder, int ranks, FrameworkShape& shape, More... more) {
  for (int i = 0; i < ranks; ++i) {
    Rank rank(builder, i, shape, more...);
    rank.train([&] { rank.step(); });
  }
}

}  // namespace

Program fsdp2(std::uint64_t seed) {
  FrameworkShape shape(seed, 1);
  const int ranks = seed % 2 == 0 ? 1 : 2;
  ProgramBuilder builder = shape.builder("fsdp2", ranks);
  const int micro_batches = shape.draws.number(1, 2);
  train_ranks<ShardedRank>(builder, ranks, shape, micro_batches, shape.draws.happens(30));
  return builder.take();
}

Program moe(std::uint64_t seed) {
  FrameworkShape shape(seed, 2);
  ProgramBuilder builder = shape.builder("moe", 2);
  const bool has_pinned_counts = shape.draws.happens(50);
  train_ranks<ExpertsRank>(builder, 2, shape, has_pinned_counts, shape.draws.happens(50));
  return builder.take();
}

}  // namespace nadi::vm
