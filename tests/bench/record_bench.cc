// What recording costs the program: per op with three tensors, and where nothing is recorded.
//   cmake --build build-bench -t record_bench && build-bench/tests/bench/record_bench
// Ops come in bursts, as in a training step, and the writer has time to follow.
#include <benchmark/benchmark.h>

#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "nadi/record/record.h"

namespace nadi::record {
namespace {

constexpr int kBurst = 4000;

struct Layer {
  std::array<std::int64_t, 4> shape{32, 64, 56, 56}, strides{200704, 3136, 56, 1};
  std::array<std::int64_t, 4> weights_shape{64, 64, 3, 3}, weights_strides{576, 9, 3, 1};
  Tensor input{1, 2, 0, 6422528, 4, "cuda:0", "float", shape, strides};
  Tensor weights{3, 4, 0, 36864, 4, "cuda:0", "float", weights_shape, weights_strides};
  Tensor output{5, 6, 0, 6422528, 4, "cuda:0", "float", shape, strides};
};

// Two tensors in, one out.
void run_op(const Layer& layer) {
  Op op("aten::convolution", layer.input, layer.weights);
  benchmark::ClobberMemory();
  op.outputs(layer.output);
}

void run_bare_op() {
  const Op op("aten::convolution");
  benchmark::ClobberMemory();
}

// Processor time of this thread: what other programs take of a shared machine does not count.
double thread_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void time_bursts(benchmark::State& state, void (*run)(const Layer&)) {
  const Layer layer;
  for (auto _ : state) {
    const double begin = thread_seconds();
    for (int i = 0; i < kBurst; ++i) run(layer);
    state.SetIterationTime(thread_seconds() - begin);
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
  }
  state.counters["per_op"] = benchmark::Counter(
      kBurst, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void record_bursts(benchmark::State& state, void (*run)(const Layer&)) {
  const auto folder = std::filesystem::temp_directory_path();
  Settings settings;
  settings.host_file = folder / "record_bench.host.json";
  settings.device_file = folder / "record_bench.device.json";
  start(settings);
  time_bursts(state, run);
  const Summary summary = stop();
  state.counters["stalls"] = static_cast<double>(summary.stalls);
  std::filesystem::remove(settings.host_file);
  std::filesystem::remove(settings.device_file);
}

void op_with_tensors(benchmark::State& state) { record_bursts(state, run_op); }
void op_without_inputs(benchmark::State& state) {
  record_bursts(state, [](const Layer&) { run_bare_op(); });
}
void op_while_disabled(benchmark::State& state) { time_bursts(state, run_op); }

double smallest(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

void settle(benchmark::internal::Benchmark* bench) {
  bench->UseManualTime()->Iterations(10)->Repetitions(9)->ReportAggregatesOnly()->ComputeStatistics(
      "min", smallest);
}
BENCHMARK(op_with_tensors)->Apply(settle);
BENCHMARK(op_without_inputs)->Apply(settle);
BENCHMARK(op_while_disabled)->Apply(settle);

}  // namespace
}  // namespace nadi::record
