// Streams of event records of which only the call is known (N27).
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;

/// A wait that names its record and no stream, as Cuspy writes it: the call and its sync row.
Lines wait(const std::string& kind, double ts, double dur, int correlation, int stream,
           int record) {
  const std::string api = kind == "Event Sync" ? "cudaEventSynchronize" : "cudaStreamWaitEvent";
  return {call(api, ts, dur, correlation),
          sync(kind, ts, correlation, stream,
               fmt::format(R"("wait_on_stream": -1, "wait_on_cuda_event_record_corr_id": {}, )"
                           R"("wait_on_cuda_event_id": 3)",
                           record))};
}

Lines joined(std::initializer_list<Lines> parts) {
  Lines all;
  for (const Lines& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// Launches a row that runs for `dur` right after.
Lines kernel(double ts, double dur, int correlation, int stream, int tid = 100) {
  return {launch(ts, 1, correlation, tid),
          row("k", ts + 2, dur, correlation, stream, R"("channel_type": "COMPUTE")")};
}
Lines record(double ts, int correlation, int tid = 100) {
  return {call("cudaEventRecord", ts, 1, correlation, tid)};
}

struct Found {
  std::int64_t stream = -1;  ///< of the record; -1 = no wait was found
  bool is_guess = false;
  std::uint64_t unresolved = 0;
};

Found find_record(const Lines& events) {
  Diagnostics diagnostics;
  const LinkedTrace linked = link(events, {}, "", &diagnostics);
  Found found;
  found.unresolved =
      diagnostics.count(Finding::kSyncRowUnresolved) + diagnostics.count(Finding::kSyncUnresolved);
  for (const StreamAction& action : linked.actions)
    if (action.record && action.kind != StreamActionKind::kEventRecord) {
      const StreamAction& record = linked.actions[action.record];
      found.stream = linked.lanes[record.lane].stream;
      found.is_guess = is_guess(record.inferred);
    }
  EXPECT_EQ(diagnostics.count(Finding::kRecordStreamInferred), found.is_guess ? 1U : 0U);
  return found;
}

TEST(RecordStreams, N27_TheHostWaitsForTheOnlyStreamForCertain) {
  const Found found =
      find_record(joined({kernel(0, 20, 1, 7), record(3, 2), wait("Event Sync", 5, 20, 3, -1, 2)}));
  EXPECT_EQ(found.stream, 7);
  EXPECT_FALSE(found.is_guess);
}

TEST(RecordStreams, N27_AStreamWhoseWorkHadNotEndedIsNotTheOne) {
  const Found found =
      find_record(joined({kernel(0, 90, 8, 11, 200), kernel(1, 5, 1, 7, 201), record(4, 2, 300),
                          wait("Stream Wait Event", 8, 1, 3, 9, 2), kernel(20, 5, 4, 9)}));
  EXPECT_EQ(found.stream, 7);
  EXPECT_TRUE(found.is_guess);
}

TEST(RecordStreams, N27_WhereNothingTellsTheStreamItIsUnresolved) {
  const Found found =
      find_record(joined({kernel(0, 3, 8, 11, 200), kernel(1, 3, 1, 7, 201), record(6, 2, 300),
                          wait("Stream Wait Event", 8, 1, 3, 9, 2), kernel(20, 5, 4, 9)}));
  EXPECT_EQ(found.stream, -1);
  EXPECT_EQ(found.unresolved, 1U);
}

TEST(RecordStreams, N27_ARecordBeforeAllWorkHoldsNobodyUp) {
  const Found found =
      find_record(joined({record(0, 2), wait("Event Sync", 2, 1, 3, -1, 2), kernel(5, 3, 1, 7)}));
  EXPECT_EQ(found.stream, -1);
  EXPECT_EQ(found.unresolved, 0U);
}

TEST(RecordStreams, N27_ARecordWhoseCallIsLostIsCertainWhereOneStreamIsPossible) {
  const Found found =
      find_record(joined({kernel(0, 20, 1, 7), wait("Event Sync", 5, 20, 3, -1, 2)}));
  EXPECT_EQ(found.stream, 7);
  EXPECT_FALSE(found.is_guess);
}

/// A graph that records an event on one of its streams, 7 and 11, and a wait of stream 9 for it.
Lines graph_with(const Lines& event_rows) {
  return joined({{call("cudaGraphLaunch", 0, 2, 1)},
                 {row("a", 5, 10, 1, 7, R"("graph id": 3, "graph node id": 1)"),
                  row("b", 5, 4, 1, 11, R"("graph id": 3, "graph node id": 2)")},
                 event_rows,
                 wait("Stream Wait Event", 6, 1, 3, 9, 1),
                 kernel(10, 5, 4, 9)});
}
std::string event_row(double ts, int stream) {
  return row("EventRecord", ts, 0, 1, stream, R"("graph id": 3, "graph node id": 5)",
             "graph_event_node");
}

TEST(RecordStreams, N24_TheRowOfAGraphsEventTellsItsStream) {
  const Found found = find_record(graph_with({event_row(9, 11)}));
  EXPECT_EQ(found.stream, 11);
  EXPECT_FALSE(found.is_guess);
}

TEST(RecordStreams, N24_EventsOnSeveralStreamsOfAGraphLeaveAGuess) {
  EXPECT_TRUE(find_record(graph_with({event_row(9, 11), event_row(15, 7)})).is_guess);
}

TEST(RecordStreams, N24_AGraphsEventWithoutARowIsOfAStreamOfTheGraphThatHadEnded) {
  const Found found =
      find_record(joined({kernel(-9, 1, 8, 20), graph_with({}), kernel(40, 1, 10, 20)}));
  EXPECT_EQ(found.stream, 11);
  EXPECT_TRUE(found.is_guess);
}

TEST(RecordStreams, K29_TheRecordBehindACommunicationIsOfItsStream) {
  const Lines communication = {
      op("record_param_comms", 10, 20), call("cudaEventRecord", 11, 1, 21),
      call("cudaLaunchKernelExC", 15, 1, 22),
      row("ncclDevKernel_AllReduce", 18, 5, 22, 20, R"("channel_type": "COMPUTE")"),
      call("cudaEventRecord", 18, 1, 23)};
  const Lines around = joined({kernel(0, 5, 1, 7), kernel(5, 2, 9, 11, 200), communication});
  EXPECT_EQ(
      find_record(joined({around, wait("Stream Wait Event", 35, 1, 3, 7, 23), kernel(40, 5, 4, 7)}))
          .stream,
      20);
  EXPECT_EQ(find_record(
                joined({around, wait("Stream Wait Event", 13, 1, 3, 20, 21), kernel(40, 5, 4, 7)}))
                .stream,
            7);
}

TEST(RecordStreams, K18_AnEventRowOfTheRecordTellsItsStream) {
  const Lines event_row = {row("cudaEventRecord", 3, 0, 2, 11, R"("event_id": 3)", "cuda_event")};
  const Found found = find_record(joined({kernel(0, 20, 1, 7), kernel(1, 3, 8, 11), record(3, 2),
                                          event_row, wait("Event Sync", 5, 20, 3, -1, 2)}));
  EXPECT_EQ(found.stream, 11);
  EXPECT_FALSE(found.is_guess);
}

}  // namespace
}  // namespace nadi
