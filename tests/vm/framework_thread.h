// A host thread that calls as PyTorch of 2025 and later does: what programs_serving.cc and
// programs_frameworks.cc are written with.
#pragma once

#include <string>

#include "builder.h"
#include "training_shape.h"

namespace nadi::vm {

/// Cheap to copy, as the ThreadBuilder in it. draws: of the times of its rank; outlives it.
class FrameworkThread {
 public:
  FrameworkThread(ThreadBuilder builder, TrainingDraws& draws, double jitter)
      : builder_(builder), draws_(&draws), jitter_(jitter) {}

  ThreadBuilder& calls() { return builder_; }
  /// The profiler was not started on it: its calls are in the trace, its ops are not.
  void leave_out_ops() { has_ops_ = false; }

  Ns varied(Ns ns) { return draws_->varied(ns, jitter_); }
  void work(Ns ns) { builder_.work(varied(ns)); }

  /// An op with own time before and after body, then Python's time.
  void op(const std::string& name, const Body& body) {
    if (has_ops_) {
      builder_.op(name, [&] { timed(body); });
    } else {
      timed(body);
    }
    work(kPython);
  }
  /// An op that launches nothing.
  void view(const std::string& name) {
    op(name, [] {});
  }
  void annotation(const std::string& name, const Body& body) {
    const auto inside = [&] {
      work(2_us);
      body();
      work(1_us);
    };
    if (has_ops_) {
      builder_.annotation(name, inside);
    } else {
      inside();
    }
  }

  void launch(int stream, const std::string& kernel, Ns ns, const char* call = "cudaLaunchKernel") {
    const Ns duration = varied(ns), own = varied(5_us);
    builder_.launch(stream, kernel, duration, {own, 8_us});
    builder_.code().calls.back().name = call;
  }
  void kernel(int stream, const std::string& name, const std::string& kernel, Ns ns) {
    op(name, [&] { launch(stream, kernel, ns); });
  }
  /// Triton's kernels have no op.
  void triton(int stream, const std::string& kernel, Ns ns) {
    launch(stream, kernel, ns, "cuLaunchKernelEx");
    work(2_us);
  }
  void copy(int stream, const std::string& direction, std::int64_t bytes, Ns ns) {
    op("aten::copy_", [&] {
      builder_.call("cudaStreamIsCapturing", 500);
      const Ns duration = varied(ns), own = varied(6_us);
      builder_.copy(stream, direction, bytes, duration, {own, 8_us});
    });
  }

  int record(int stream) {
    const int event = builder_.code().events++;
    record(stream, event);
    return event;
  }
  void record(int stream, int event) {
    builder_.call("cudaStreamIsCapturing", 500);
    builder_.record(stream, event, varied(2_us));
    builder_.code().calls.back().name = "cudaEventRecordWithFlags";
  }
  void wait(int stream, int event) {
    builder_.call("cudaStreamIsCapturing", 500);
    builder_.wait(stream, event, varied(2_us));
  }
  /// waiting.wait_stream(waited)
  void wait_stream(int waiting, int waited) { wait(waiting, record(waited)); }

 private:
  static constexpr Ns kPython = 3_us;

  void timed(const Body& body) {
    work(2_us);
    body();
    work(1_us);
  }

  ThreadBuilder builder_;
  TrainingDraws* draws_;
  double jitter_;
  bool has_ops_ = true;
};

}  // namespace nadi::vm
