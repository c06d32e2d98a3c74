// Training programs by seed: what they do is drawn once, how long it takes anew in each iteration.
#include <fmt/format.h>

#include <array>
#include <deque>
#include <map>
#include <utility>

#include "builder.h"
#include "programs.h"
#include "training_shape.h"

namespace nadi::vm {

namespace {

constexpr int kStream = 7, kCopyStream = 16, kNcclStream = 20, kSideStream = 24,
              kUnshardStream = 28, kPostStream = 32, kPairStreams = 40;

/// What all kinds of training have in common; one rank of it.
class TrainingRank {
 public:
  TrainingRank(ProgramBuilder& builder, int rank, const TrainingShape& shape)
      : shape_(shape),
        main_(builder.thread(rank, "pt_main_thread")),
        engine_(builder.thread(rank, "pt_autograd_0")),
        ranks_(static_cast<std::int64_t>(builder.program().ranks.size())),
        jitter_(shape.draws * 2654435761ULL + static_cast<std::uint64_t>(rank) * 97 + 5) {}

  /// Iterations of what `step` appends, as the profiler sees them.
  void train(const std::function<void(int)>& step) {
    host(main_, 9_us);
    if (shape_.has_prefetch) prefetch();
    for (int i = 0; i < shape_.iterations; ++i) {
      main_.annotation(fmt::format("ProfilerStep#{}", i + 5), [&] {
        host(main_, 6_us);
        step(i);
      });
      host(main_, 3_us);
    }
    main_.device_synchronize();
  }

 protected:
  using Thread = ThreadBuilder;

  Ns varied(Ns ns) { return jitter_.varied(ns, shape_.jitter); }
  void host(Thread& thread, Ns ns) { thread.work(varied(ns)); }

  void kernel(Thread& thread, int stream, const std::string& name, Ns ns) {
    const Ns duration = varied(ns);
    const Ns call = varied(5_us);
    thread.launch(stream, name, duration, {call, 8_us});
  }

  void kernel_op(Thread& thread, int stream, const std::string& op, const std::string& name,
                 Ns ns) {
    thread.op(op, [&] {
      host(thread, shape_.host);
      kernel(thread, stream, name, ns);
      host(thread, 2_us);
    });
    host(thread, 2_us);
  }

  void copy_op(Thread& thread, int stream, const std::string& direction, Ns ns) {
    thread.op("aten::to", [&] {
      host(thread, 2_us);
      thread.op("aten::copy_", [&] {
        host(thread, 2_us);
        const Ns duration = varied(ns);
        thread.copy(stream, direction, 1 << 20, duration);
        host(thread, 1_us);
      });
      host(thread, 1_us);
    });
  }

  /// waiting.wait_stream(waited): outside every op.
  static void wait_stream(Thread& thread, int waiting, int waited) {
    thread.wait(waiting, thread.record(waited));
  }

  /// Of equal length on all members: each counts what it had with them.
  Ns comm_time(const CommOp& comm, int rank) {
    const int other = comm.is_p2p()
                          ? 100 + 10 * std::min(rank, comm.peer) + std::max(rank, comm.peer)
                          : comm.group;
    auto [draws, is_new] =
        comm_draws_.try_emplace(other, shape_.draws * 40503 + static_cast<std::uint64_t>(other));
    return draws->second.varied(shape_.communication, shape_.jitter);
  }

  int communicate(Thread& thread, const CommOp& comm, int stream, int nccl_stream) {
    const Ns duration = comm_time(comm, thread.rank());
    return thread.collective(comm, stream, nccl_stream, duration);
  }

  void communicate_and_wait(Thread& thread, const CommOp& comm, int stream, int nccl_stream) {
    thread.wait_for_work(stream, communicate(thread, comm, stream, nccl_stream));
  }

  void prefetch() {
    wait_stream(main_, kCopyStream, kStream);
    copy_op(main_, kCopyStream, "HtoD (Pinned -> Device)", 30_us);
    copy_op(main_, kCopyStream, "HtoD (Pinned -> Device)", 6_us);
  }

  /// The batch of this iteration; with a prefetching loader also the copy of the next.
  void load_batch() {
    if (shape_.has_prefetch) {
      wait_stream(main_, kStream, kCopyStream);
      host(main_, 4_us);
      prefetch();
    } else {
      copy_op(main_, kStream, "HtoD (Pinned -> Device)", 25_us);
    }
    if (shape_.has_pageable_copies) main_.pageable_copy(kStream, 512, varied(2_us));
  }

  /// Half of a forked layer runs on the side stream, and what comes next waits for it.
  void layer_kernels(Thread& thread, const TrainingLayer& layer, const std::string& name, Ns each) {
    if (layer.is_forked && shape_.has_side_stream) {
      wait_stream(thread, kSideStream, kStream);
      kernel_op(thread, kSideStream, "aten::bmm", name + "_branch", each);
    }
    for (int i = 0; i < layer.kernels; ++i)
      kernel_op(thread, kStream, "aten::mm", fmt::format("{}_{}", name, i), each);
    if (layer.is_forked && shape_.has_side_stream) wait_stream(thread, kStream, kSideStream);
  }

  int forward_layer(std::size_t i) {
    return main_.forward_op(shape_.layers[i].is_forked ? "ForkedLayer" : "aten::linear", [&] {
      host(main_, 3_us);
      layer_kernels(main_, shape_.layers[i], fmt::format("forward_{}", i),
                    shape_.layers[i].forward);
    });
  }

  /// behind: what else the layer's backward function does.
  void backward_layer(
      std::size_t i, int forward, const Body& behind = [] {}) {
    const char* name = shape_.layers[i].is_forked ? "ForkedLayerBackward" : "AddmmBackward0";
    engine_.backward_op(name, forward, [&] {
      host(engine_, 3_us);
      layer_kernels(engine_, shape_.layers[i], fmt::format("backward_{}", i),
                    shape_.layers[i].backward);
      behind();
    });
  }

  /// What autograd calls for a node of its graph.
  void evaluate(const std::string& node, const Body& body) {
    engine_.op("autograd::engine::evaluate_function: " + node, [&] {
      host(engine_, 3_us);
      body();
      host(engine_, 2_us);
    });
  }

  void backward(const Body& body) {
    main_.annotation("## backward ##", [&] {
      host(main_, 2_us);
      main_.hand_over(engine_, [&] {
        host(engine_, 3_us);
        body();
      });
      host(main_, 2_us);
    });
  }

  void optimizer() {
    main_.annotation("Optimizer.step#AdamW.step", [&] {
      for (std::size_t i = 0; i < shape_.layers.size(); i += 2)
        kernel_op(main_, kStream, "aten::_foreach_add_", "multi_tensor_apply", 12_us);
    });
  }

  void norm_item() {
    if (!shape_.has_norm_item) return;
    kernel_op(main_, kStream, "aten::linalg_vector_norm", "reduce_kernel", 9_us);
    main_.item(kStream);
  }

  void loss_item(int iteration) {
    if ((iteration + 1) % shape_.steps_per_loss_item == 0) main_.item(kStream);
  }

  const TrainingShape& shape_;
  ThreadBuilder main_, engine_;
  std::int64_t ranks_;  ///< of the whole program

 private:
  TrainingDraws jitter_;
  std::map<int, TrainingDraws> comm_draws_;
};

/// DistributedDataParallel, or fully sharded.
class DataParallelRank : public TrainingRank {
 public:
  using TrainingRank::TrainingRank;

  void step(int iteration) {
    load_batch();
    shape_.is_sharded ? sharded_passes() : replicated_passes();
    norm_item();
    optimizer();
    loss_item(iteration);
  }

 private:
  // DDP's timers: recorded in one iteration, read in the next.
  void read_timers() {
    if (!shape_.has_timers) return;
    if (timer_ >= 0)
      main_.event_synchronize(timer_);
    else
      timer_ = main_.code().events++;
  }

  void replicated_passes() {
    std::vector<int> forward;
    main_.annotation("DistributedDataParallel.forward", [&] {
      host(main_, 5_us);
      read_timers();
      if (shape_.has_broadcasts)
        communicate_and_wait(main_, broadcast(0, 5312), kStream, kNcclStream);
      for (std::size_t i = 0; i < shape_.layers.size(); ++i) forward.push_back(forward_layer(i));
    });
    kernel_op(main_, kStream, "aten::cross_entropy_loss", "nll_loss", 6_us);
    backward([&] {
      std::vector<int> buckets;
      for (std::size_t i = shape_.layers.size(); i-- > 0;) {
        backward_layer(i, forward[i]);
        if (i % static_cast<std::size_t>(shape_.layers_per_bucket) == 0)
          buckets.push_back(reduce_bucket());
      }
      if (shape_.has_timers) engine_.record(kStream, timer_, 2_us);
      finish(buckets);
    });
  }

  int reduce_bucket() {
    int done = -1;
    evaluate("torch::autograd::AccumulateGrad",
             [&] { done = communicate(engine_, all_reduce(0, 2049000), kStream, kNcclStream); });
    return done;
  }

  // Outside every op, in order of the buckets, copies between them.
  void finish(const std::vector<int>& buckets) {
    for (const int done : buckets) {
      engine_.wait(kStream, done);
      host(engine_, 3_us);
      engine_.op("torch.distributed.ddp.reducer::copy_bucket_to_grad", [&] {
        host(engine_, 2_us);
        const Ns duration = varied(4_us);
        engine_.copy(kStream, "DtoD (Device -> Device)", 1 << 16, duration);
        host(engine_, 1_us);
      });
      host(engine_, 2_us);
    }
  }

  // All-gathers are sent from a stream of their own, one layer ahead.
  int unshard(Thread& thread) {
    communicate_and_wait(thread, all_gather(0, kLayerParameters / ranks_, kLayerParameters),
                         kUnshardStream, kNcclStream);
    host(thread, 2_us);
    return thread.record(kUnshardStream);
  }

  // At most two layers are gathered at a time: the thread waits until an earlier one is free.
  void limit_gathered(Thread& thread) {
    if (free_.size() < 2) return;
    thread.event_synchronize(free_.front());
    free_.pop_front();
  }

  void sharded_passes() {
    std::vector<int> forward;
    free_.clear();
    wait_stream(main_, kUnshardStream, kStream);
    int ready = unshard(main_);
    for (std::size_t i = 0; i < shape_.layers.size(); ++i) {
      main_.wait(kStream, ready);
      limit_gathered(main_);
      if (i + 1 < shape_.layers.size()) ready = unshard(main_);
      forward.push_back(forward_layer(i));
      free_.push_back(main_.record(kStream));
    }
    kernel_op(main_, kStream, "aten::cross_entropy_loss", "nll_loss", 6_us);
    backward([&] { sharded_backward(forward); });
  }

  void sharded_backward(const std::vector<int>& forward) {
    int ready = -1;
    for (std::size_t i = shape_.layers.size(); i-- > 0;) {
      evaluate("PreBackwardHook", [&] {
        if (ready < 0) ready = unshard(engine_);
        engine_.wait(kStream, ready);
        limit_gathered(engine_);
        if (i > 0) ready = unshard(engine_);
      });
      backward_layer(i, forward[i]);
      evaluate("torch::autograd::AccumulateGrad", [&] {
        free_.push_back(engine_.record(kStream));
        wait_stream(engine_, kPostStream, kStream);
        communicate_and_wait(engine_,
                             reduce_scatter(0, kLayerParameters, kLayerParameters / ranks_),
                             kPostStream, kNcclStream);
        kernel_op(engine_, kPostStream, "aten::div_", "scale_gradient", 5_us);
      });
    }
    wait_stream(engine_, kStream, kPostStream);  // outside every op
  }

  static constexpr std::int64_t kLayerParameters = 8192;  // shared out among the ranks

  int timer_ = -1;
  std::deque<int> free_;
};

/// Two stages of two ranks each, which split each layer.
class PipelineTensorRank : public TrainingRank {
 public:
  PipelineTensorRank(ProgramBuilder& builder, int rank, const TrainingShape& shape,
                     int tensor_group)
      : TrainingRank(builder, rank, shape), tensor_group_(tensor_group) {}

  void step(int iteration) {
    if (!is_last_stage()) load_batch();
    std::vector<std::vector<int>> forward;
    for (int i = 0; i < shape_.micro_batches; ++i) forward.push_back(forward_pass());
    for (int i = 0; i < shape_.micro_batches; ++i) backward_pass(forward[u(i)]);
    for (const int sent : std::exchange(sent_, {})) main_.wait_for_work(kStream, sent);
    if (shape_.has_norm_item) {
      kernel_op(main_, kStream, "aten::linalg_vector_norm", "reduce_kernel", 9_us);
      communicate_and_wait(main_, all_reduce(0, 1), kStream, kNcclStream + 100);
      main_.item(kStream);
    }
    optimizer();
    if (is_last_stage()) loss_item(iteration);
  }

 private:
  bool is_last_stage() const { return main_.rank() >= 2; }
  int neighbour() const { return is_last_stage() ? main_.rank() - 2 : main_.rank() + 2; }
  int pair_stream() const { return kPairStreams + 4 * (main_.rank() % 2); }

  void receive() {
    communicate_and_wait(main_, recv(0, neighbour(), 32768), kStream, pair_stream());
    if (shape_.has_device_sync) main_.device_synchronize();
  }

  void give() {
    sent_.push_back(communicate(main_, send(0, neighbour(), 32768), kStream, pair_stream()));
  }

  std::vector<int> forward_pass() {
    std::vector<int> forward;
    if (is_last_stage()) receive();
    for (std::size_t i = 0; i < shape_.layers.size() / 2; ++i) {
      if (shape_.is_sequence_parallel) gather(main_);
      forward.push_back(forward_layer(i));
      shape_.is_sequence_parallel ? scatter(main_) : reduce(main_);
    }
    if (!is_last_stage()) give();
    return forward;
  }

  void backward_pass(const std::vector<int>& forward) {
    if (!is_last_stage()) receive();
    backward([&] {
      for (std::size_t i = forward.size(); i-- > 0;) {
        backward_layer(i, forward[i], [&] {
          if (shape_.is_sequence_parallel) gather(engine_);
          overlapped_reduction(i);
        });
      }
    });
    if (is_last_stage()) give();
  }

  // The gradient of the input is reduced while that of the weight is computed.
  void overlapped_reduction(std::size_t i) {
    const CommOp comm = shape_.is_sequence_parallel ? reduce_scatter(tensor_group_, 8192, 4096)
                                                    : all_reduce(tensor_group_, 8192);
    const int done = communicate(engine_, comm, kStream, kNcclStream);
    kernel_op(engine_, kStream, "aten::mm", fmt::format("weight_gradient_{}", i),
              shape_.layers[i].forward);
    engine_.wait_for_work(kStream, done);
  }

  void gather(Thread& thread) {
    communicate_and_wait(thread, all_gather(tensor_group_, 4096, 8192), kStream, kNcclStream);
  }
  void scatter(Thread& thread) {
    communicate_and_wait(thread, reduce_scatter(tensor_group_, 8192, 4096), kStream, kNcclStream);
  }
  void reduce(Thread& thread) {
    communicate_and_wait(thread, all_reduce(tensor_group_, 8192), kStream, kNcclStream);
  }

  int tensor_group_;
  std::vector<int> sent_;
};

/// One rank whose backward pass follows the streams of its forward pass.
class AutogradRank : public TrainingRank {
 public:
  using TrainingRank::TrainingRank;

  void step(int iteration) {
    load_batch();
    std::vector<int> forward;
    main_.annotation("## forward ##", [&] {
      for (std::size_t i = 0; i < shape_.layers.size(); ++i) forward.push_back(forward_layer(i));
    });
    kernel_op(main_, kStream, "aten::mse_loss", "mse_kernel", 5_us);
    backward([&] {
      for (std::size_t i = shape_.layers.size(); i-- > 0;) {
        if (i % 3 == 1) recompute(i);
        backward_layer(i, forward[i]);
      }
    });
    wait_stream(main_, kStream, kSideStream);  // the caller waits for streams of leaves
    average();
    norm_item();
    optimizer();
    loss_item(iteration);
  }

 private:
  void recompute(std::size_t i) {
    engine_.op("CheckpointFunctionBackward", [&] {
      host(engine_, 3_us);
      layer_kernels(engine_, shape_.layers[i], fmt::format("recompute_{}", i),
                    shape_.layers[i].forward);
    });
  }

  // A running average of the weights on the side stream.
  void average() {
    wait_stream(main_, kSideStream, kStream);
    kernel_op(main_, kSideStream, "aten::lerp_", "lerp_kernel", 40_us);
    copy_op(main_, kSideStream, "DtoH (Device -> Pinned)", 20_us);
  }
};

/// One rank that reads results back all the time.
class SyncHeavyRank : public TrainingRank {
 public:
  using TrainingRank::TrainingRank;

  void step(int iteration) {
    load_batch();
    for (std::size_t i = 0; i < shape_.layers.size(); ++i) {
      forward_layer(i);
      read_back(i);
    }
    copy_out(iteration);
    norm_item();
    optimizer();
    loss_item(iteration);
    if (shape_.has_device_sync) main_.device_synchronize();
  }

 private:
  // What a layer gives decides how its successor goes on; always in the same way.
  void read_back(std::size_t i) {
    switch ((i + shape_.seed) % 5) {
      case 0:
        return main_.item(kStream);
      case 1:
        return main_.pageable_copy(kStream, 4096, varied(3_us));
      case 2:
        return nonzero();
      case 3:
        return side_result();
      default:
        return;
    }
  }

  void nonzero() {
    main_.op("aten::nonzero", [&] {
      host(main_, 3_us);
      kernel(main_, kStream, "DeviceReduceKernel", 4_us);
      main_.blocking_copy(kStream, 8, varied(2_us));
      host(main_, 1_us);
      main_.stream_synchronize(kStream);
      host(main_, 2_us);
      kernel(main_, kStream, "DeviceSelectSweepKernel", 6_us);
      host(main_, 1_us);
    });
  }

  // A result of the side stream, which the host waits for while the main stream runs on.
  void side_result() {
    wait_stream(main_, kSideStream, kStream);
    kernel_op(main_, kSideStream, "aten::topk", "topk_kernel", 15_us);
    kernel_op(main_, kStream, "aten::mul", "overlapped", 25_us);
    main_.item(kSideStream);
  }

  // Two buffers of pinned memory: the host waits for the copy of the iteration before last.
  void copy_out(int iteration) {
    wait_stream(main_, kCopyStream, kStream);
    copy_op(main_, kCopyStream, "DtoH (Device -> Pinned)", 35_us);
    if (iteration < 2) buffers_[u(iteration % 2)] = main_.code().events++;
    const int event = buffers_[u(iteration % 2)];
    if (iteration >= 2) main_.event_synchronize(event);
    main_.record(kCopyStream, event, 2_us);
  }

  std::array<int, 2> buffers_{};
};

template <class Rank, class... More>
void train(ProgramBuilder& builder, int rank, const TrainingShape& shape, More... more) {
  Rank of_rank(builder, rank, shape, more...);
  of_rank.train([&](int iteration) { of_rank.step(iteration); });
}

/// Times of the machine, not of the program. Where rows never follow each other at once, no trace
/// tells the gap they would keep: it is small.
void draw_machine(ProgramBuilder& builder, const TrainingShape& shape, CommCalls calls) {
  TrainingDraws draws(shape.seed + 77);
  builder.program().row_gap = draws.time(0, 500);
  builder.program().hand_off_latency = draws.time(3_us, 15_us);
  builder.program().comm_calls = calls;
}

}  // namespace

Program data_parallel(std::uint64_t seed, CommCalls calls, std::uint64_t run, int ranks) {
  const TrainingShape shape = drawn_shape(seed, run);
  ProgramBuilder builder(fmt::format("data_parallel_{}", seed), ranks);
  draw_machine(builder, shape, calls);
  for (int rank = 0; rank < ranks; ++rank) train<DataParallelRank>(builder, rank, shape);
  return builder.take();
}

Program pipeline_tensor(std::uint64_t seed, CommCalls calls, std::uint64_t run) {
  const TrainingShape shape = drawn_shape(seed, run);
  ProgramBuilder builder(fmt::format("pipeline_tensor_{}", seed), 4);
  draw_machine(builder, shape, calls);
  const int groups[2] = {builder.group("tensor_parallel", {0, 1}),
                         builder.group("tensor_parallel", {2, 3})};
  for (int rank = 0; rank < 4; ++rank)
    train<PipelineTensorRank>(builder, rank, shape, groups[rank / 2]);
  return builder.take();
}

Program autograd(std::uint64_t seed) {
  TrainingShape shape = drawn_shape(seed);
  shape.has_side_stream = true;
  ProgramBuilder builder(fmt::format("autograd_{}", seed));
  draw_machine(builder, shape, CommCalls::k2025);
  train<AutogradRank>(builder, 0, shape);
  return builder.take();
}

Program sync_heavy(std::uint64_t seed) {
  const TrainingShape shape = drawn_shape(seed);
  ProgramBuilder builder(fmt::format("sync_heavy_{}", seed));
  draw_machine(builder, shape, CommCalls::k2025);
  if (seed % 4 == 0) builder.program().late_return = 130_us;
  train<SyncHeavyRank>(builder, 0, shape);
  return builder.take();
}

}  // namespace nadi::vm
