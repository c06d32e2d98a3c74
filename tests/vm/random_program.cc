// Programs by chance: every rank draws its own work between communication all ranks agree on.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "builder.h"
#include "programs.h"

namespace nadi::vm {

namespace {

constexpr int kStreams[] = {7, 16, 20, 24};
constexpr int kCommStream = 40, kGraphLane = 60;

class RandomRank {
 public:
  RandomRank(ProgramBuilder& builder, int rank, std::uint64_t seed)
      : random_(seed * 1000003 + static_cast<std::uint64_t>(rank) * 7919 + 1),
        main_(builder.thread(rank, "pt_main_thread")),
        engine_(builder.thread(rank, "pt_autograd_0")),
        loader_(builder.thread(rank, "pt_data_loader")) {}

  void segment() {
    for (int i = below(5) + 1; i > 0; --i) block(main_);
    if (below(3) == 0) backward();
    if (below(2) == 0) load();
  }

  void communicate(const CommOp& comm, bool is_waited_for) {
    const Call call = draw_call(60);
    const int done = main_.collective(comm, call.stream, kCommStream, call.duration);
    if (is_waited_for) main_.wait(stream(), done);
  }

  void finish() {
    if (below(2) == 0) main_.device_synchronize();
    if (loader_.code().threads[2].code.empty()) loader_.op("aten::stack", time(9));
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }
  int stream() { return kStreams[below(4)]; }
  // Odd nanoseconds, so that no two things meet by chance; at least 0.3 us.
  Ns time(int most_us) {
    return 300 + static_cast<Ns>(random_() % static_cast<std::uint64_t>(most_us * 1000));
  }
  LaunchCost cost() { return {time(8), time(14)}; }
  // Compilers differ in the order in which they evaluate the arguments of a call, but not in the
  // order of braces: what one call needs is drawn here, so that a seed is one program everywhere.
  struct Launch {
    LaunchCost cost;
    Ns duration;
    int stream;
  };
  Launch draw_launch(int most_us) { return {cost(), time(most_us), stream()}; }
  struct Call {
    Ns duration;
    int stream;
  };
  Call draw_call(int most_us) { return {time(most_us), stream()}; }

  void block(ThreadBuilder& thread) {
    switch (below(4)) {
      case 0:
        return annotation(thread);
      case 1:
        outside(thread);
        [[fallthrough]];
      default:
        op(thread, 3);
    }
    if (below(2) == 0) thread.work(time(10));
  }

  void annotation(ThreadBuilder& thread) {
    thread.annotation("## region ##", [&] {
      thread.work(time(6));
      if (below(2) == 0) outside(thread);
      op(thread, 2);
      if (below(2) == 0) thread.work(time(6));
    });
  }

  // A launch, graph launch or wait outside every cpu_op.
  void outside(ThreadBuilder& thread) {
    switch (below(5)) {
      case 0: {
        const Launch kernel = draw_launch(30);
        thread.launch(kernel.stream, "outside_kernel", kernel.duration, kernel.cost);
        return;
      }
      case 1:
        graph(thread);
        return;
      case 2: {
        const Call call = draw_call(5);
        thread.stream_synchronize(call.stream, call.duration);
        return;
      }
      case 3:
        event_wait(thread);
        return;
      default:
        thread.work(time(4));
        return;
    }
  }

  void op(ThreadBuilder& thread, int depth) {
    thread.op(fmt::format("aten::op{}", below(9)), [&] {
      thread.work(time(5));
      for (int i = below(4); i > 0; --i) {
        if (depth > 0 && below(2) == 0) {
          op(thread, depth - 1);
        } else {
          device_call(thread);
        }
        if (below(3) > 0) thread.work(time(5));
      }
    });
  }

  void device_call(ThreadBuilder& thread) {
    switch (below(14)) {
      case 0: {
        const Launch copy = draw_launch(12);
        thread.copy(copy.stream, "HtoD (Pinned -> Device)", 4096, copy.duration, copy.cost);
        return;
      }
      case 1: {
        const Launch set = draw_launch(3);
        thread.set(set.stream, 512, set.duration, set.cost);
        return;
      }
      case 2: {
        const Launch copy = draw_launch(4);
        thread.blocking_copy(copy.stream, 64, copy.duration, copy.cost);
        return;
      }
      case 3:
      case 4:
      case 5:
        event_wait(thread);
        return;
      case 6:
        host_wait(thread);
        return;
      case 7:
        graph(thread);
        return;
      case 8:
        thread.call("cudaStreamIsCapturing", time(2));
        return;
      default: {
        const LaunchCost own = cost();
        const Ns duration = time(40);
        const std::string name = fmt::format("kernel_{}", below(50));
        thread.launch(stream(), name, duration, own);
        return;
      }
    }
  }

  void event_wait(ThreadBuilder& thread) {
    const int from = stream();
    if (events_.empty() || below(3) > 0) events_.push_back(thread.record(from, time(2)));
    if (below(4) == 0) {
      const Call again = draw_call(2);
      thread.record(again.stream, events_.back(), again.duration);
    }
    const int event = events_[static_cast<std::size_t>(below(static_cast<int>(events_.size())))];
    const Call wait = draw_call(2);
    thread.wait(wait.stream, event, wait.duration);
  }

  void host_wait(ThreadBuilder& thread) {
    switch (below(4)) {
      case 0:
        thread.device_synchronize(time(5));
        return;
      case 1: {
        const Call call = draw_call(5);
        thread.stream_synchronize(call.stream, call.duration);
        return;
      }
      case 2: {
        const Ns query = time(2);
        const Call record = draw_call(2);
        thread.query(thread.record(record.stream, record.duration), query);
        return;
      }
      default: {
        const Ns wait = time(5);
        const Call record = draw_call(2);
        thread.event_synchronize(thread.record(record.stream, record.duration), wait);
        return;
      }
    }
  }

  // A random captured graph; its second lane is the graph's own.
  void graph(ThreadBuilder& thread) {
    std::vector<Row> rows;
    const int count = below(6) + 2;
    const bool has_two_lanes = below(2) == 0;
    for (int i = 0; i < count; ++i) {
      Row row;
      row.name = fmt::format("graph_kernel_{}", i);
      row.stream = has_two_lanes && below(2) == 0 ? kGraphLane : kStreams[0];
      row.duration = time(15);
      for (int earlier = 0; earlier < i; ++earlier)
        if (below(3) == 0) row.after.push_back(earlier);
      rows.push_back(std::move(row));
    }
    thread.graph(kStreams[0], std::move(rows), {std::min<Ns>(time(30), 20_us), time(40)});
  }

  void backward() {
    std::vector<int> forward;
    for (int i = below(3) + 1; i > 0; --i)
      forward.push_back(main_.forward_op("aten::mm", [&] {
        main_.work(time(5));
        const Launch kernel = draw_launch(30);
        main_.launch(kernel.stream, "forward_kernel", kernel.duration, kernel.cost);
      }));
    main_.annotation("## backward ##", [&] {
      main_.work(time(3));
      main_.hand_over(engine_, [&] {
        for (auto op = forward.rbegin(); op != forward.rend(); ++op)
          engine_.backward_op("MmBackward0", *op, [&] {
            engine_.work(time(4));
            this->op(engine_, 1);
          });
      });
      main_.work(time(3));
    });
  }

  // The loader has a stream of its own; nobody waits for it.
  void load() {
    loader_.work(time(20));
    loader_.op("aten::collate", [&] {
      loader_.work(time(10));
      if (below(2) == 0) {
        const LaunchCost own = cost();
        loader_.copy(52, "HtoD (Pinned -> Device)", 1024, time(9), own);
      }
      loader_.op("aten::stack", time(8));
    });
  }

  std::mt19937_64 random_;  // its sequence is fixed by the standard
  ThreadBuilder main_, engine_, loader_;
  std::vector<int> events_;
};

}  // namespace

Program random_program(std::uint64_t seed, int least_segments) {
  std::mt19937_64 random(seed);
  const int ranks = static_cast<int>(random() % 3) + 1;
  ProgramBuilder builder(fmt::format("random_{}", seed), ranks);
  builder.program().row_gap = static_cast<Ns>(random() % 3) * 700;
  builder.program().hand_off_latency = static_cast<Ns>(random() % 9000);
  std::vector<RandomRank> of_rank;
  for (int rank = 0; rank < ranks; ++rank) of_rank.emplace_back(builder, rank, seed);
  const int segments = std::max(least_segments, static_cast<int>(random() % 5) + 2);
  for (int segment = 0; segment < segments; ++segment) {
    for (RandomRank& rank : of_rank) rank.segment();
    if (ranks == 1) continue;
    const bool is_waited_for = random() % 2 == 0;
    for (RandomRank& rank : of_rank) rank.communicate(all_reduce(0, 1000 + segment), is_waited_for);
  }
  for (RandomRank& rank : of_rank) rank.finish();
  return builder.take();
}

}  // namespace nadi::vm
