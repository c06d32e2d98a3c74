// Programs that replay CUDA graphs. What is between the nodes of a graph only a profiler that knows
// graphs records.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "builder.h"
#include "programs.h"

namespace nadi::vm {

namespace {

constexpr int kLane = 7, kSecondLane = 32, kThirdLane = 36;
/// Devices take about so long between rows. Without it, arrows between rows that touch fit several.
constexpr Ns kGap = 700;

Row host_node(const std::string& function, int stream, Ns duration, std::vector<int> after) {
  Row row = graph_kernel("HostNode: " + function, stream, duration, std::move(after));
  row.kind = EventCategory::kHostNode;
  return row;
}

Row event_node(int stream, std::vector<int> after) {
  Row row = graph_kernel("EventRecord", stream, 0, std::move(after));
  row.kind = EventCategory::kEventRecord;
  return row;
}

Row copy_node(int stream, Ns duration, std::vector<int> after) {
  Row row = graph_kernel("Memcpy DtoD (Device -> Device)", stream, duration, std::move(after));
  row.kind = EventCategory::kMemcpy;
  row.bytes = 8192;
  return row;
}

Row programmatic(Row row, Ns early) {
  row.early = early;
  return row;
}

Row in_child(Row row) {
  row.is_in_child = true;
  return row;
}

/// Rows of one replay last a little longer or shorter than those of another.
class RowJitter {
 public:
  explicit RowJitter(std::uint64_t seed) : random_(seed) {}
  Ns operator()(std::size_t, Ns duration) {
    if (duration == 0) return 0;
    return duration + static_cast<Ns>(random_() % static_cast<std::uint64_t>(duration / 8 + 1));
  }

 private:
  std::mt19937_64 random_;
};

/// Replays a graph some times, as decoding does: an input is copied, then some replays follow each
/// other directly, and now and then an eager kernel uses what they made.
void replay_in_a_loop(ThreadBuilder& main, int graph, const Vary& vary) {
  constexpr int kLoops = 4, kDirectly = 3;
  for (int loop = 0; loop < kLoops; ++loop) {
    main.op("aten::copy_", [&] {
      main.work(2_us);
      main.copy(kLane, "HtoD (Pinned -> Device)", 4096, 3_us);
      main.work(1_us);
    });
    main.annotation("decode", [&] {
      for (int i = 0; i < kDirectly; ++i) {
        main.work(1_us);
        main.replay(graph, vary);
      }
    });
    main.op("aten::argmax", [&] {
      main.work(2_us);
      main.launch(kLane, "argmax", 4_us);
      main.work(1_us);
    });
  }
  main.stream_synchronize(kLane);
}

Program replays(const std::string& name, std::vector<Row> rows, const Vary& vary) {
  ProgramBuilder builder(name);
  builder.program().row_gap = kGap;
  ThreadBuilder main = builder.thread(0, "pt_main_thread");
  main.op("aten::zeros", [&] {
    main.work(3_us);
    main.set(kLane, 4096, 2_us);
  });
  replay_in_a_loop(main, main.graph(kLane, std::move(rows)), vary);
  return builder.take();
}

}  // namespace

Program graph_fork_join() {
  return replays(
      "graph_fork_join",
      {graph_kernel("embed", kLane, 6_us, {}), graph_kernel("q", kLane, 9_us, {0}),
       graph_kernel("k", kSecondLane, 14_us, {0}), graph_kernel("v", kThirdLane, 11_us, {0}),
       graph_kernel("attention", kLane, 20_us, {1, 2, 3}),
       graph_kernel("gate", kSecondLane, 8_us, {4}), graph_kernel("up", kLane, 7_us, {4}),
       copy_node(kLane, 3_us, {5, 6})},
      RowJitter(1));
}

Program graph_many_roots() {
  return replays(
      "graph_many_roots",
      {graph_kernel("root_a", kLane, 8_us, {}), graph_kernel("root_b", kSecondLane, 12_us, {}),
       graph_kernel("root_c", kThirdLane, 5_us, {}),
       graph_kernel("of_a_and_b", kLane, 9_us, {0, 1}),
       graph_kernel("end_of_b", kSecondLane, 6_us, {1}),
       graph_kernel("of_c", kThirdLane, 4_us, {2}), graph_kernel("end_of_c", kThirdLane, 3_us, {5}),
       graph_kernel("end_of_all", kLane, 5_us, {3, 5})},
      RowJitter(2));
}

Program graph_side_by_side() {
  return replays(
      "graph_side_by_side",
      {graph_kernel("first", kLane, 5_us, {}), graph_kernel("left", kLane, 9_us, {0}),
       graph_kernel("right", kLane, 12_us, {0}), graph_kernel("left_next", kLane, 11_us, {1}),
       graph_kernel("right_next", kLane, 4_us, {2}), graph_kernel("alone", kLane, 16_us, {0}),
       graph_kernel("joined", kLane, 3_us, {3, 4})},
      RowJitter(3));
}

namespace {

/// Rows that last equally long in one replay do so in all.
Vary by_replay() {
  return [replay = 0](std::size_t place, Ns duration) mutable {
    if (place == 0) ++replay;
    return duration + duration * (replay * 7 % 13) / 100;
  };
}

std::vector<Row> twins() {
  return {graph_kernel("first", kLane, 5_us, {}), graph_kernel("twin_a", kSecondLane, 8_us, {0}),
          graph_kernel("twin_b", kSecondLane, 8_us, {0}),
          graph_kernel("joined", kLane, 6_us, {1, 2})};
}

}  // namespace

Program graph_equal_arrows() { return replays("graph_equal_arrows", twins(), by_replay()); }

Program graph_ambiguous_arrows() {
  std::vector<Row> rows = twins();
  rows.push_back(graph_kernel("behind_one", kSecondLane, 7_us, {2}));
  rows.push_back(graph_kernel("last", kLane, 4_us, {3, 4}));
  return replays("graph_ambiguous_arrows", std::move(rows), by_replay());
}

Program graph_programmatic() {
  std::vector<Row> rows{graph_kernel("norm_0", kLane, 9_us, {})};
  for (int i = 1; i < 6; ++i)
    rows.push_back(programmatic(graph_kernel(fmt::format("norm_{}", i), kLane, 11_us, {i - 1}),
                                1_us + 100 * i));
  rows.push_back(graph_kernel("side", kSecondLane, 15_us, {2}));
  rows.push_back(graph_kernel("joined", kLane, 8_us, {5, 6}));
  return replays("graph_programmatic", std::move(rows), RowJitter(4));
}

Program graph_child() {
  return replays(
      "graph_child",
      {graph_kernel("first", kLane, 6_us, {}), in_child(graph_kernel("body_0", kLane, 8_us, {0})),
       in_child(graph_kernel("body_1", kLane, 5_us, {1})),
       graph_kernel("beside_the_child", kSecondLane, 21_us, {0}),
       graph_kernel("behind_the_child", kLane, 7_us, {2}),
       graph_kernel("last", kLane, 4_us, {3, 4})},
      RowJitter(5));
}

Program graph_loop() {
  std::vector<Row> rows{graph_kernel("first", kLane, 6_us, {})};
  for (int i = 1; i <= 3; ++i) {
    rows.push_back(graph_kernel("body", kLane, 5_us, {i - 1}));
    if (i > 1) rows.back().same_node = 1;
  }
  rows.push_back(graph_kernel("beside_the_loop", kSecondLane, 14_us, {0}));
  rows.push_back(graph_kernel("last", kLane, 4_us, {3, 4}));
  return replays("graph_loop", std::move(rows), RowJitter(8));
}

Program graph_host_node() {
  return replays("graph_host_node",
                 {graph_kernel("first", kLane, 9_us, {}), event_node(kLane, {0}),
                  host_node("fill_batch", kLane, 18_us, {0}),
                  graph_kernel("beside_the_host", kSecondLane, 30_us, {1}),
                  graph_kernel("behind_the_host", kLane, 6_us, {2}),
                  graph_kernel("last", kLane, 5_us, {3, 4})},
                 RowJitter(6));
}

Program graph_early() {
  ProgramBuilder builder("graph_early");
  builder.program().row_gap = kGap;
  ThreadBuilder main = builder.thread(0, "pt_main_thread");
  const RowJitter vary(7);
  main.op("aten::zeros", [&] {
    main.work(3_us);
    main.set(kLane, 4096, 2_us);
  });
  const int early = main.graph(
      kLane, {graph_kernel("early_0", kLane, 7_us, {}), graph_kernel("early_1", kLane, 9_us, {0}),
              graph_kernel("early_side", kSecondLane, 12_us, {0}),
              graph_kernel("early_2", kLane, 5_us, {1})});
  at(main.code().calls, early).has_known_edges = false;
  replay_in_a_loop(main, early, vary);
  const int late = main.graph(kLane, {graph_kernel("late_0", kLane, 8_us, {}),
                                      graph_kernel("late_side", kSecondLane, 14_us, {0}),
                                      graph_kernel("late_1", kLane, 6_us, {0, 1})});
  replay_in_a_loop(main, late, vary);
  return builder.take();
}

namespace {

/// Draws graphs and replays them. Odd nanoseconds, so that few things meet by chance.
class RandomGraphs {
 public:
  RandomGraphs(ThreadBuilder main, std::uint64_t seed)
      : random_(seed * 1000003 + 17), main_(main) {}

  void run() {
    eager();
    std::vector<int> graphs;
    for (int i = below(3) + 1; i > 0; --i) {
      const bool is_early = below(5) == 0;
      std::vector<Row> nodes = rows();
      // Overlaps of rows on one lane tell no order, unless it is recorded.
      if (is_early)
        for (Row& node : nodes) node.early = 0;
      main_.work(time(2));
      graphs.push_back(main_.graph(kLane, std::move(nodes)));
      at(main_.code().calls, graphs.back()).has_known_edges = !is_early;
    }
    for (int i = below(20) + 12; i > 0; --i) {
      main_.work(time(2));
      const int graph = at(graphs, below(static_cast<int>(graphs.size())));
      main_.replay(graph, [&](std::size_t, Ns duration) { return varied(duration); });
      if (below(3) == 0) eager();
    }
    main_.stream_synchronize(kLane);
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }
  Ns time(int most_us) { return 300 + below(most_us * 1000); }
  Ns varied(Ns duration) {
    return duration == 0 ? 0 : duration + below(static_cast<int>(duration / 8 + 1));
  }

  void eager() {
    main_.op("aten::add", [&] {
      main_.work(time(4));
      const Ns duration = time(20);
      main_.launch(kLane, "eager", duration);
    });
  }

  std::vector<Row> rows() {
    std::vector<Row> rows;
    const int lanes[] = {kLane, kSecondLane, kThirdLane};
    const int count = below(9) + 4, used_lanes = below(3) + 1;
    int last_host = -1;
    for (int i = 0; i < count; ++i) {
      std::vector<int> after;
      for (int earlier = std::max(0, i - 4); earlier < i; ++earlier)
        if (below(3) == 0) after.push_back(earlier);
      // A last node of no edges looks like one of a child graph (N35).
      if (i + 1 == count && after.empty()) after.push_back(i - 1);
      // The first branch of a graph is shown on the stream it was launched on.
      const int lane = i == 0 ? kLane : lanes[below(used_lanes)];
      rows.push_back(row(i, lane, std::move(after)));
      rows.back().gap = time(1);
      // The driver runs callbacks one after the other.
      if (rows.back().kind != EventCategory::kHostNode) continue;
      if (last_host >= 0) rows.back().after.push_back(last_host);
      last_host = i;
    }
    return rows;
  }

  Row row(int place, int lane, std::vector<int> after) {
    const Ns duration = time(15);
    switch (below(12)) {
      case 0:
        return copy_node(lane, duration, std::move(after));
      case 1:
        return event_node(lane, std::move(after));
      case 2:
        return host_node(fmt::format("callback_{}", place), lane, duration, std::move(after));
      case 3:
        return programmatic(
            graph_kernel(fmt::format("node_{}", place), lane, duration, std::move(after)),
            duration / 10);
      default:
        return graph_kernel(fmt::format("node_{}", place), lane, duration, std::move(after));
    }
  }

  std::mt19937_64 random_;  // its sequence is fixed by the standard
  ThreadBuilder main_;
};

}  // namespace

Program graphs(std::uint64_t seed) {
  ProgramBuilder builder(fmt::format("graphs_{}", seed));
  builder.program().row_gap = kGap;
  RandomGraphs(builder.thread(0, "pt_main_thread"), seed).run();
  return builder.take();
}

}  // namespace nadi::vm
