// Waits of rows whose launch, and so whose wait, lies before the trace.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/graph/trace_graph.h"

namespace nadi {
namespace {

using namespace test;

constexpr int kCompute = 7, kComm = 20, kMessages = 24;

/// What a profiler that begins late records: rows always, calls once it has begun. Ids grow as
/// calls are made.
struct LateTrace {
  Lines events;
  bool has_begun = false;
  int id = 0;

  void made(const std::string& name, double ts) {
    ++id;
    if (has_begun) events.push_back(call(name, ts, 1, id));
  }
  void run(const std::string& name, int stream, double launched, double ts, double duration) {
    made("cudaLaunchKernel", launched);
    events.push_back(row(name, ts, duration, id, stream));
  }
  /// `waiting` waits for all that `stream` was given.
  void wait(int waiting, int stream, double ts) {
    made("cudaEventRecord", ts);
    made("cudaStreamWaitEvent", ts + 2);
    if (!has_begun) return;
    events.push_back(
        sync("Stream Wait Event", ts + 2, id, waiting,
             fmt::format(R"("wait_on_stream": {}, "wait_on_cuda_event_record_corr_id": {})", stream,
                         id - 1)));
  }
  /// Its call is lost.
  void run_lost(const std::string& name, int stream, double ts, double duration) {
    events.push_back(row(name, ts, duration, ++id, stream));
  }
};

/// "reduce@250 after gemm@199": of each inferred wait, by the starts in us.
Labels inferred_waits(const TraceGraph& g) {
  const auto label = [&](std::uint32_t v) {
    return fmt::format("{}@{}", g.label(v), g.graph.trace_ns(v) / 1000);
  };
  Labels waits;
  for (std::uint32_t v = 0; v < g.size(); ++v)
    for (auto [edge, end] = out_edges(v, g.graph.structure); edge != end; ++edge)
      if (g.graph.structure[*edge].inferred == Inference::kPlace)
        waits.push_back(fmt::format(
            "{} after {}", label(static_cast<std::uint32_t>(target(*edge, g.graph.structure))),
            label(v)));
  std::sort(waits.begin(), waits.end());
  return waits;
}

/// Each 100 us a row of stream 20 waits for one of stream 7. The calls of the first three are
/// not recorded, of the others all but the wait in `without_wait`.
struct LaunchedBeforeTheTrace {
  int rounds = 7;
  int without_wait = -1;
  double delay_of_third = 0;

  std::size_t inferred() const {
    LateTrace trace;
    for (int round = 0; round < rounds; ++round) {
      const double ts = 100 * round;
      trace.has_begun = round >= 3;
      trace.run("work", kCompute, ts - 9, ts, 50);
      if (round != without_wait) trace.wait(kComm, kCompute, ts - 7);
      trace.run("waits", kComm, ts - 3, ts + 51 + (round == 2 ? delay_of_third : 0), 20);
    }
    return inferred_waits(TraceGraph(trace.events)).size();
  }
};

TEST(UnlaunchedWaits, AreThoseOfAllOtherRowsAtTheirPlace) {
  // What runs before the first row of stream 20 nobody knows.
  EXPECT_EQ(LaunchedBeforeTheTrace{}.inferred(), 2U);
  EXPECT_EQ(LaunchedBeforeTheTrace{.delay_of_third = 2}.inferred(), 2U);
  EXPECT_EQ(LaunchedBeforeTheTrace{.delay_of_third = 5}.inferred(), 1U);
}

TEST(UnlaunchedWaits, AreUnknownWhereThoseOfOtherRowsDifferOrAreFew) {
  EXPECT_EQ(LaunchedBeforeTheTrace{.without_wait = 5}.inferred(), 0U);
  EXPECT_EQ(LaunchedBeforeTheTrace{.rounds = 6}.inferred(), 0U);
  // The wait of the first launched row may lie before the trace.
  EXPECT_EQ(LaunchedBeforeTheTrace{.without_wait = 3}.inferred(), 2U);
}

TEST(UnlaunchedWaits, AreForWorkThatWasLaunchedBeforeTheTraceToo) {
  LateTrace trace;
  for (int round = 0; round < 8; ++round) {
    const double ts = 100 * round;
    // The fourth row that waits was launched before the trace, the work before it was not.
    if (round == 3) trace.run("waits", kComm, ts - 15, ts + 51, 20);
    trace.has_begun = round >= 3;
    trace.run("work", kCompute, ts - 9, ts, 50);
    trace.wait(kComm, kCompute, ts - 7);
    if (round != 3) trace.run("waits", kComm, ts - 3, ts + 51, 20);
  }
  EXPECT_EQ(inferred_waits(TraceGraph(trace.events)),
            (Labels{"waits@151 after work@100", "waits@251 after work@200"}));
}

/// Rounds of rows of several names and lengths: `reduce` waits for `gemm`, `gemm` for nothing, and
/// `cast`, right behind `reduce`, for `norm` of the other stream.
TEST(UnlaunchedWaits, AreTrueOfRowsOfAllNamesAndLengths) {
  LateTrace trace;
  for (int round = 0; round < 8; ++round) {
    const double ts = 200 * round, gemm = 40 + 7 * (round % 4), norm = 9 + 5 * (round % 3);
    trace.has_begun = round >= 3;
    trace.run("gemm", kCompute, ts - 30, ts, gemm);
    trace.wait(kComm, kCompute, ts - 28);
    trace.run("reduce", kComm, ts - 24, ts + gemm + 1, 10);
    trace.run("norm", kCompute, ts - 22, ts + gemm + 1, 20 + norm);
    trace.wait(kComm, kCompute, ts - 20);
    trace.run("cast", kComm, ts - 16, ts + gemm + norm + 22, 8);
  }
  EXPECT_EQ(inferred_waits(TraceGraph(trace.events)),
            (Labels{"cast@283 after norm@248", "cast@495 after norm@455", "cast@71 after norm@41",
                    "reduce@248 after gemm@200", "reduce@455 after gemm@400"}));
}

TEST(UnlaunchedWaits, OfRowsThatWaitForTheWorkOfManyStreamsAreUnknown) {
  const auto inferred = [](int streams) {
    LateTrace trace;
    for (int round = 0; round < 7; ++round) {
      const double ts = 500 * round;
      trace.has_begun = round >= 3;
      for (int i = 0; i < streams; ++i) {
        trace.run("work", 30 + i, ts - 200 + 8 * i, ts, 50);
        trace.wait(kComm, 30 + i, ts - 198 + 8 * i);
      }
      trace.run("waits", kComm, ts - 3, ts + 51, 20);
    }
    return inferred_waits(TraceGraph(trace.events)).size();
  };
  EXPECT_EQ(inferred(16), 2U);
  EXPECT_EQ(inferred(17), 0U);
}

/// Each 50 us five gemms, then a reduction that waits for the last of them and for its own stream.
/// The calls of the first six rounds are not recorded, and the first three reductions take so long
/// that the next ones queue.
Labels waits_of_queued_reductions(double slow) {
  LateTrace trace;
  double ended = 0;
  for (int round = 0; round < 14; ++round) {
    const double ts = 50 * round;
    trace.has_begun = round >= 6;
    for (int i = 0; i < 5; ++i) trace.run("gemm", kCompute, ts - 200 + 2 * i, ts + 10 * i, 9.6);
    trace.wait(kComm, kCompute, ts - 180);
    const double start = std::max(ts + 49.6, ended) + 1, duration = round < 3 ? slow : 30;
    trace.run("reduce", kComm, ts - 170, start, duration);
    ended = start + duration;
  }
  return inferred_waits(TraceGraph(trace.events));
}

TEST(UnlaunchedWaits, AreUnknownWhereTheirOwnStreamExplainsTheStart) {
  const Labels known{"reduce@250 after gemm@240", "reduce@300 after gemm@290"};
  EXPECT_EQ(waits_of_queued_reductions(54), known);
  // A gemm ends by chance between two reductions.
  EXPECT_EQ(waits_of_queued_reductions(53.5), known);
}

/// Reductions wait for the fifth of ten gemms and for a message, which took long before the calls
/// were recorded: the gemm that ended right then was not waited for.
TEST(UnlaunchedWaits, AreForTheWorkThatEndedLast) {
  LateTrace trace;
  for (int round = 0; round < 14; ++round) {
    const double ts = 100 * round;
    trace.has_begun = round >= 6;
    const double message = trace.has_begun ? 6.3 : 40.3;
    for (int i = 0; i < 5; ++i) trace.run("gemm", kCompute, ts - 200 + 2 * i, ts + 10 * i, 9.6);
    trace.wait(kComm, kCompute, ts - 180);
    trace.run("message", kMessages, ts - 170, ts + 30, message);
    trace.wait(kComm, kMessages, ts - 160);
    trace.run("reduce", kComm, ts - 150, std::max(ts + 49.6, ts + 30 + message) + 1, 20);
    for (int i = 5; i < 10; ++i) trace.run("gemm", kCompute, ts - 140 + 2 * i, ts + 10 * i, 9.6);
  }
  for (const std::string& wait : inferred_waits(TraceGraph(trace.events)))
    EXPECT_NE(wait.find(" after message@"), std::string::npos) << wait;
}

TEST(UnlaunchedWaits, OfARowThatCarriesSeveralCommunicationsAreCountedOnce) {
  const auto inferred = [](std::initializer_list<int> waiting) {
    LateTrace trace;
    for (int round = 0; round < 8; ++round) {
      const double ts = 200 * round;
      trace.has_begun = round >= 4;
      trace.run("work", kCompute, ts - 40, ts, 50);
      if (round < 4 || std::find(waiting.begin(), waiting.end(), round) != waiting.end())
        trace.wait(kComm, kCompute, ts - 38);
      for (int i = 0; trace.has_begun && i < 3; ++i)
        trace.events.push_back(op("record_param_comms", ts - 30 + i, 0.5, 0, 100,
                                  R"("Collective name": "allgather", "Group size": 2)"));
      trace.run("ncclDevKernel_SendRecv", kComm, ts - 12, ts + 51, 20);
    }
    return inferred_waits(TraceGraph(trace.events)).size();
  };
  EXPECT_EQ(inferred({6}), 0U);
  EXPECT_EQ(inferred({5, 6, 7}), 3U);
}

/// The wait of a row whose own call is lost is recorded, or there is none.
TEST(UnlaunchedWaits, AreOfRowsLaunchedBeforeTheTraceNotOfLostCalls) {
  const auto inferred = [](const std::vector<int>& lost) {
    LateTrace trace;
    trace.has_begun = true;
    for (int round = 0; round < 12; ++round) {
      const double ts = 100 * round;
      const bool is_lost = std::find(lost.begin(), lost.end(), round) != lost.end();
      trace.run("work", kCompute, ts - 9, ts, 50);
      if (!is_lost) trace.wait(kComm, kCompute, ts - 7);
      if (is_lost)
        trace.run_lost("waits", kComm, ts + 51, 20);
      else
        trace.run("waits", kComm, ts - 3, ts + 51, 20);
    }
    return inferred_waits(TraceGraph(trace.events));
  };
  EXPECT_EQ(inferred({7}), Labels{});
  EXPECT_EQ(inferred({0, 1, 2}),
            Labels{});  // though before all that its stream is known to be given
}

TEST(UnlaunchedWaits, OfRowsWithoutIdsAreOfThoseThatRanBeforeTheFirstCall) {
  const auto inferred = [](double first_call) {
    Lines events;
    for (int round = 0; round < 8; ++round) {
      const double ts = 100 * round + 50;
      const int id = round < 3 ? -1 : 10 * round;
      events.push_back(row("work", ts, 50, id, kCompute));
      events.push_back(row("waits", ts + 51, 20, id < 0 ? id : id + 3, kComm));
      if (round < 3) continue;
      for (const std::string& line :
           {launch(ts - 9, 1, id), call("cudaEventRecord", ts - 7, 1, id + 1),
            call("cudaStreamWaitEvent", ts - 5, 1, id + 2), launch(ts - 3, 1, id + 3),
            sync("Stream Wait Event", ts - 5, id + 2, kComm,
                 fmt::format(R"("wait_on_stream": {}, "wait_on_cuda_event_record_corr_id": {})",
                             kCompute, id + 1))})
        events.push_back(line);
    }
    events.push_back(call("cudaFree", first_call, 1, 1));
    return inferred_waits(TraceGraph(events)).size();
  };
  EXPECT_EQ(inferred(320), 2U);
  EXPECT_EQ(inferred(220), 1U);
}

}  // namespace
}  // namespace nadi
