// What waited for what: told by sync rows, implied by calls, or guessed; beyond what the folders of
// tests/golden show.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;
using Kind = StreamActionKind;

const StreamAction* find(const LinkedTrace& linked, Kind kind) {
  const auto found = std::find_if(linked.actions.begin(), linked.actions.end(),
                                  [&](const StreamAction& a) { return a.kind == kind; });
  return found == linked.actions.end() ? nullptr : &*found;
}
std::int64_t stream(const LinkedTrace& linked, LaneIndex lane) { return linked.lanes[lane].stream; }

const Lines kTwoStreams = {launch(1, 1, 11), row("k7", 5, 30, 11), launch(3, 1, 12),
                           row("k9", 6, 40, 12, 9)};
Lines with(Lines more) {
  more.insert(more.begin(), kTwoStreams.begin(), kTwoStreams.end());
  return more;
}

std::string long_sync(const std::string& kind, double ts, double dur,
                      const std::string& args = "") {
  return row(kind, ts, dur, 15, 7, args, "cuda_sync");
}

TEST(SyncRowWaits, K24_OfWhichOnlyTheSyncRowIsLeftAreCallsOfTheOnlyThreadThatCalls) {
  Diagnostics diagnostics;
  const LinkedTrace linked =
      link(with({op("a", 0, 50), op("elsewhere", 0, 50, 0, 200), long_sync("Stream Sync", 10, 26)}),
           {}, "", &diagnostics);
  const StreamAction* wait = find(linked, Kind::kHostWaitStream);
  ASSERT_NE(wait, nullptr);
  EXPECT_EQ(linked.strings[linked.device.calls.name[wait->call]], "Stream Sync");
  EXPECT_EQ(linked.device.calls.duration_ns[wait->call], 26'000);
  EXPECT_EQ(linked.calls.lane[wait->call], linked.calls.lane[0]);
  EXPECT_EQ(op_name(linked, linked.calls.parent[wait->call]), "a");
  EXPECT_EQ(diagnostics.count(Finding::kWaitWithoutCall), 1U);
}

/// How many calls are restored of an Event Sync row that lasts so long, of a thread that else makes
/// all calls that leave such rows, beside one that launches.
std::uint64_t restored_of_event_sync(double lasts, const Lines& more = {}) {
  constexpr int kWaits = 200;
  Lines events{op("a", 0, 50), call("cudaEventSynchronize", 0, 3, 4, kWaits),
               sync("Event Sync", 1, 4, 7), long_sync("Event Sync", 10, lasts)};
  events.insert(events.end(), more.begin(), more.end());
  Diagnostics diagnostics;
  const LinkedTrace linked = link(with(events), {}, "", &diagnostics);
  for (const CallIndex call : rows_of(linked.calls)) {
    if (linked.strings[linked.device.calls.name[call]] != "Event Sync") continue;
    EXPECT_EQ(linked.lanes[linked.calls.lane[call]].tid, kWaits);
  }
  return diagnostics.count(Finding::kWaitWithoutCall);
}

TEST(SyncRowWaits, K24_OfWhichOnlyTheSyncRowIsLeftAreCallsOfTheOnlyThreadThatWaitsSo) {
  EXPECT_EQ(restored_of_event_sync(26), 1U);
  EXPECT_EQ(restored_of_event_sync(6), 0U);  // a query, perhaps
  EXPECT_EQ(restored_of_event_sync(26, {call("cudaMalloc", 20, 1, 16, 200)}), 0U);
  // Who only asks does not wait; and nobody waits twice at a time.
  EXPECT_EQ(restored_of_event_sync(
                26, {call("cudaEventQuery", 40, 1, 16, 300), sync("Event Sync", 40, 16, 7)}),
            1U);
  EXPECT_EQ(restored_of_event_sync(26, {row("Event Sync", 20, 25, 17, 7, "", "cuda_sync")}), 1U);
}

TEST(SyncRowWaits, K32_OfADamagedSyncRowAreNoCalls) {
  for (const double wrong : {1e11, -1e11, 30.0}) {
    Diagnostics diagnostics;
    link(with({op("a", 0, 50), launch(2, 1, 9), long_sync("Stream Sync", 10 + wrong, 6),
               launch(35, 1, 20)}),
         {}, "", &diagnostics);
    EXPECT_EQ(diagnostics.count(Finding::kWaitWithoutCall), 0U) << wrong;
  }
}

TEST(SyncRowWaits, K24_OfWhichOnlyTheSyncRowIsLeftAreCallsOfTheOpAroundThemThatTheyName) {
  const auto caller = [](const std::string& row_of_sync) {
    const LinkedTrace linked = link(with({op("a", 0, 50), launch(2, 1, 9, 200), row_of_sync,
                                          op("b", 8, 40, 0, 200, "\"External id\": 5")}));
    const StreamAction* wait = find(linked, Kind::kHostWaitStream);
    return wait == nullptr ? "" : op_name(linked, linked.calls.parent[wait->call]);
  };
  EXPECT_EQ(caller(long_sync("Stream Sync", 10, 26, "\"External id\": 5")), "b");
  EXPECT_EQ(caller(long_sync("Stream Sync", 10, 26, "\"External id\": 6")), "");
  EXPECT_EQ(caller(long_sync("Stream Sync", 30, 26, "\"External id\": 5")), "");  // b ended before
  EXPECT_EQ(caller(long_sync("Stream Sync", 10, 26)), "");
}

TEST(SyncRowWaits, K19_AStreamSyncOfStreamMinusOneWaitsForTheDevice) {
  const LinkedTrace linked =
      link(with({call("cudaDeviceSynchronize", 10, 40, 15), sync("Stream Sync", 10, 15, -1)}));
  EXPECT_NE(find(linked, Kind::kHostWaitDevice), nullptr);
}

TEST(SyncRowWaits, TheLastOfALoopOfQueriesWaits) {
  const char* const record = R"("wait_on_stream": 7, "wait_on_cuda_event_record_corr_id": 13)";
  const LinkedTrace linked =
      link(with({call("cudaEventRecord", 5, 1, 13), call("cudaEventQuery", 10, 1, 15),
                 call("cudaEventQuery", 15, 1, 16), call("cudaEventQuery", 20, 1, 17),
                 sync("Event Sync", 20, 17, -1, record)}));
  ASSERT_NE(find(linked, Kind::kHostWaitEvent), nullptr);
  EXPECT_EQ(find(linked, Kind::kHostWaitEvent)->time_ns, 20'000);
  EXPECT_FALSE(is_guess(find(linked, Kind::kHostWaitEvent)->inferred));
}

TEST(SyncRowWaits, QueriesOfWhichSeveralFindWhatTheyAskForAreNoLoop) {
  const char* const record = R"("wait_on_stream": 7, "wait_on_cuda_event_record_corr_id": 13)";
  Diagnostics diagnostics;
  const LinkedTrace linked =
      link(with({call("cudaEventRecord", 5, 1, 13), call("cudaEventQuery", 10, 1, 15),
                 call("cudaEventQuery", 15, 1, 16), call("cudaEventQuery", 20, 1, 17),
                 sync("Event Sync", 10, 15, -1, record), sync("Event Sync", 20, 17, -1, record)}),
           {}, "", &diagnostics);
  EXPECT_EQ(find(linked, Kind::kHostWaitEvent), nullptr);
  EXPECT_EQ(diagnostics.count(Finding::kSyncRowUnresolved), 0U);
  EXPECT_EQ(diagnostics.count(Finding::kSyncUnresolved), 0U);
}

TEST(SyncRowWaits, K18_ThatNameNoRecordAreUnresolvedAndCounted) {
  Diagnostics diagnostics;
  const LinkedTrace linked =
      link(with({call("cudaStreamWaitEvent", 7, 1, 14, 200),
                 sync("Stream Wait Event", 7, 14, 9,
                      R"("wait_on_stream": -1, "wait_on_cuda_event_id": 5)"),
                 sync("Stream Sync", 8, 99, 7)}),  // nothing tells which thread called
           {}, "", &diagnostics);
  EXPECT_TRUE(linked.actions.empty());
  EXPECT_EQ(diagnostics.count(Finding::kSyncRowUnresolved), 2U);
}

/// A stream's wait for stream 7 that names no record.
const char* const kNamesItsStreamOnly =
    R"("wait_on_stream": 7, "wait_on_cuda_event_record_corr_id": -1)";

TEST(SyncRowWaits, K17_OfAStreamAloneAreForItsWorkByTheLastRecordWhereTheTraceHasRecords) {
  const LinkedTrace linked =
      link(with({call("cudaEventRecord", 5, 1, 13), launch(6, 1, 14),
                 row("behind the record", 40, 5, 14), call("cudaStreamWaitEvent", 8, 1, 15),
                 sync("Stream Wait Event", 8, 15, 9, kNamesItsStreamOnly),
                 call("cudaEventRecord", 9, 1, 16)}));
  const StreamAction* wait = find(linked, Kind::kStreamWaitEvent);
  ASSERT_NE(wait, nullptr);
  EXPECT_EQ(linked.actions[wait->record].time_ns, 5000);
}

TEST(SyncRowWaits, K17_OfTheHostForAStreamAloneStayUnresolved) {
  Diagnostics diagnostics;
  link(with({call("cudaEventSynchronize", 7, 1, 14),
             sync("Event Sync", 7, 14, 9, kNamesItsStreamOnly)}),
       {}, "", &diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kSyncRowUnresolved), 1U);
}

/// A copy by cudaMemcpy, or the call given, from 10 to 30 us.
bool copy_blocks(const char* direction, double row_end, const char* name = "cudaMemcpy") {
  const LinkedTrace linked =
      link({call(name, 10, 20, 13),
            row(std::string("Memcpy ") + direction, 12, row_end - 12, 13, 7, "", "gpu_memcpy")});
  return linked.calls.role[0] == CallRole::kLaunchesAndBlocks;
}

TEST(ImpliedWaits, K20_ACopyThatIsNotAsynchronousBlocksWhateverItsMemory) {
  EXPECT_TRUE(copy_blocks("DtoH (Device -> Pinned)", 28));
}

TEST(ImpliedWaits, P17_ACopyOfNoKnownDirectionIsTakenToBlockWhereItsRowLiesInItsCall) {
  for (const double row_end : {28.0, 33.0}) {
    const LinkedTrace linked = link({call("cudaMemcpyAsync", 10, 20, 13),
                                     row("Memcpy", 12, row_end - 12, 13, 7, "", "gpu_memcpy")});
    const bool blocks = linked.calls.role[0] == CallRole::kLaunchesAndBlocks;
    EXPECT_EQ(blocks, row_end < 30);
    EXPECT_EQ(blocks && is_guess(linked.actions.back().inferred), blocks);
  }
}

TEST(ImpliedWaits, K23_ACopyToTheHostBlocksAlsoWhereItsRowSeemsToEndALittleLater) {
  for (const char* name : {"cudaMemcpy", "cudaMemcpyAsync"}) {
    EXPECT_TRUE(copy_blocks("DtoH (Device -> Pageable)", 39.5, name));
    EXPECT_FALSE(copy_blocks("DtoH (Device -> Pageable)", 40.5, name));
  }
  EXPECT_FALSE(copy_blocks("HtoD (Pageable -> Device)", 32.5));
}

TEST(ImpliedWaits, AnAllocationWaitedWhereAllWorkEndedInsideIt) {
  const auto guessed = [](double begin, double length) {
    const LinkedTrace linked = link(with({call("cudaFree", begin, length, 15)}));
    const StreamAction* wait = find(linked, Kind::kHostWaitDevice);
    return wait != nullptr && is_guess(wait->inferred);
  };
  EXPECT_TRUE(guessed(10, 40));   // k9 ends at 46
  EXPECT_FALSE(guessed(10, 30));  // returns while k9 runs
  EXPECT_FALSE(guessed(47, 5));   // nothing was running
}

/// A kernel that runs from `ts` + 5 to `ts` + 35 us on the stream.
Lines kernel_before_copy(double ts, int correlation, int stream) {
  return {launch(ts + 1, 1, correlation), row("k", ts + 5, 30, correlation, stream)};
}

/// Copies to the host that each waited for such a kernel and returned 6 us after their row began.
Lines copies_that_blocked(const std::vector<int>& streams) {
  Lines events;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const double ts = 100.0 * static_cast<double>(i);
    const int id = 100 + 2 * static_cast<int>(i);
    for (const std::string& line : kernel_before_copy(ts, id, streams[i])) events.push_back(line);
    events.push_back(call("cudaMemcpyAsync", ts + 10, 32, id + 1));
    events.push_back(
        row("Memcpy DtoH (Device -> Pageable)", ts + 36, 3, id + 1, streams[i], "", "gpu_memcpy"));
  }
  return events;
}

struct LostCopy {
  double begin = 1010, duration = 32;  // the work before it ends at 1035
  int thread = 100;
};

/// The stream for which a copy without a row has waited, as is guessed; none where it is not.
std::optional<std::int64_t> stream_of_lost_copy(Lines events, const LostCopy& copy = {}) {
  for (const std::string& line : kernel_before_copy(1000, 90, 7)) events.push_back(line);
  events.push_back(call("cudaMemcpyAsync", copy.begin, copy.duration, 91, copy.thread));
  Diagnostics diagnostics;
  const LinkedTrace linked = link(events, {}, "", &diagnostics);
  const StreamAction* wait = find(linked, Kind::kHostWaitStream);
  EXPECT_EQ(diagnostics.count(Finding::kLostCopyWaited), wait == nullptr ? 0U : 1U);
  if (wait == nullptr || !is_guess(wait->inferred)) return std::nullopt;
  return stream(linked, wait->lane);
}

TEST(LostCopies, K24_WaitForNothingWhereOthersTellNoStream) {
  EXPECT_EQ(stream_of_lost_copy(copies_that_blocked({7})), std::nullopt);
  EXPECT_EQ(stream_of_lost_copy(copies_that_blocked({7, 7, 9})), std::nullopt);
  EXPECT_EQ(stream_of_lost_copy(copies_that_blocked({7, 7}), {1010, 32, 200}), std::nullopt);
}

TEST(LostCopies, K24_WaitForNothingWhereTheLastWorkDidNotHoldThemUp) {
  const Lines known = copies_that_blocked({7, 7});
  EXPECT_EQ(stream_of_lost_copy(known, {1010, 35}), 7);
  EXPECT_EQ(stream_of_lost_copy(known, {1010, 36}), std::nullopt);  // returned 11 us after it
  EXPECT_EQ(stream_of_lost_copy(known, {1010, 24}), std::nullopt);  // returned before it ended
  EXPECT_EQ(stream_of_lost_copy(known, {1022, 20}), std::nullopt);  // short
  Lines more = known;
  more.push_back(launch(1005, 1, 92));
  more.push_back(row("later", 1036, 30, 92));
  EXPECT_EQ(stream_of_lost_copy(more), std::nullopt);
}

/// So many copies to pageable memory in ops of one name, of which the call is known, and one more
/// of which it is lost: its op begins at 1000, its row runs from 1030 to 1033.
Lines copies_of_which_a_call_is_lost(int known, const Lines& more = {}) {
  Lines events{op("elsewhere", 0, 2000, 0, 200), launch(1, 1, 1, 200)};
  for (int i = 0; i <= known; ++i) {
    const double ts = i < known ? 100.0 * i : 1000;
    const std::string id = fmt::format(R"("External id": {})", i + 5);
    events.push_back(op("aten::_local_scalar_dense", ts, 40, 0, 100, id));
    if (i < known) events.push_back(call("cudaMemcpyAsync", ts + 2 + i, 32, 100 + i));
    events.push_back(
        row("Memcpy DtoH (Device -> Pageable)", ts + 30, 3, 100 + i, 7, id, "gpu_memcpy"));
  }
  events.insert(events.end(), more.begin(), more.end());
  return events;
}

/// When the lost call begins and ends in the op; none = it is not restored.
std::optional<std::pair<Ns, Ns>> restored_call(const Lines& events) {
  Diagnostics diagnostics;
  const LinkedTrace linked = link(events, {}, "", &diagnostics);
  if (diagnostics.count(Finding::kWaitWithoutCall) == 0) return std::nullopt;
  const CallIndex call(linked.device.calls.size() - 1);
  EXPECT_EQ(linked.strings[linked.device.calls.name[call]], "cudaMemcpyAsync");
  EXPECT_EQ(linked.calls.role[call], CallRole::kLaunchesAndBlocks);
  EXPECT_EQ(op_name(linked, linked.calls.parent[call]), "aten::_local_scalar_dense");
  const Ns begin = linked.device.calls.start_ns[call] - 1'000'000;
  return std::pair(begin, begin + linked.device.calls.duration_ns[call]);
}

TEST(LostCopies, K24_OfWhichOnlyTheRowIsLeftBlockTheirOpUntilTheRowEnds) {
  EXPECT_EQ(restored_call(copies_of_which_a_call_is_lost(3)), std::pair(Ns(2'000), Ns(33'000)));
}

/// Two copies in each op; of the last op both calls are lost.
TEST(LostCopies, K24_OfOneOpBlockOneAfterTheOther) {
  Lines events{op("elsewhere", 0, 2000, 0, 200), launch(1, 1, 1, 200)};
  for (int i = 0; i <= 3; ++i) {
    const double ts = i < 3 ? 100.0 * i : 1000;
    const std::string id = fmt::format(R"("External id": {})", i + 5);
    events.push_back(op("aten::to", ts, 80, 0, 100, id));
    for (const int half : {0, 1}) {
      const double begin = ts + 40 * half;
      const int correlation = 100 + 2 * i + half;
      if (i < 3) events.push_back(call("cudaMemcpyAsync", begin + 5, 30, correlation));
      events.push_back(
          row("Memcpy DtoH (Device -> Pageable)", begin + 32, 3, correlation, 7, id, "gpu_memcpy"));
    }
  }
  Diagnostics diagnostics;
  const LinkedTrace linked = link(events, {}, "", &diagnostics);
  ASSERT_EQ(diagnostics.count(Finding::kWaitWithoutCall), 2U);
  const RuntimeCalls& calls = linked.device.calls;
  const CallIndex second(calls.size() - 1), first = second - 1;
  EXPECT_EQ(calls.start_ns[first], 1'005'000);
  EXPECT_EQ(call_end_ns(calls, first), 1'035'000);
  EXPECT_EQ(calls.start_ns[second], 1'045'000);
  EXPECT_EQ(call_end_ns(calls, second), 1'075'000);
}

TEST(LostCopies, K24_HaveNoCallWhereFewOthersShowHowItWasMade) {
  EXPECT_EQ(restored_call(copies_of_which_a_call_is_lost(2)), std::nullopt);
}

TEST(LostCopies, K24_HaveNoCallWhereTheirThreadDidSomethingElseMeanwhile) {
  for (const std::string& other : {launch(1031, 1, 104), launch(1020, 20, 104),
                                   op("aten::view", 1031, 1), op("aten::view", 1025, 7)})
    EXPECT_EQ(restored_call(copies_of_which_a_call_is_lost(3, {other})), std::nullopt) << other;
  EXPECT_NE(restored_call(copies_of_which_a_call_is_lost(3, {launch(1031, 1, 104, 200)})),
            std::nullopt);
}

/// k7 ends 35 us after the trace's begin, k9 after 46; the call returns 100 us later.
LinkedTrace late_return(const Lines& before, Diagnostics* diagnostics = nullptr) {
  Lines events = before;
  events.push_back(call("cudaEventSynchronize", 10, 136, 30));
  return link(events, {}, "", diagnostics);
}
const Lines kK7Recorded = {launch(1, 1, 11), row("k7", 5, 30, 11),
                           call("cudaEventRecord", 4, 1, 13)};

TEST(InferredWaits, K28_AnEventSynchronisationThatReturnsLateIsNoGuessBetweenLanes) {
  // k9 is launched before the thread records, or by another thread after that.
  for (const std::string& other : {launch(0, 1, 12), launch(6, 1, 12, 200)}) {
    Diagnostics diagnostics;
    Lines events = kK7Recorded;
    events.insert(events.begin(), {other, row("k9", 8, 38, 12, 9)});
    EXPECT_EQ(find(late_return(events, &diagnostics), Kind::kHostWaitRow), nullptr);
    EXPECT_EQ(diagnostics.count(Finding::kSyncUnresolved), 1U);
  }
}

TEST(InferredWaits, K28_AnEventSynchronisationThatReturnsLateNeedsARecordOfItsOwnThread) {
  EXPECT_EQ(find(late_return({launch(1, 1, 11), row("k7", 5, 30, 11),
                              call("cudaEventRecord", 4, 1, 13, 200)}),
                 Kind::kHostWaitRow),
            nullptr);
}

TEST(InferredWaits, K28_ARecordBehindOtherWorkTellsNothingOfALateReturn) {
  // The thread recorded behind k9, which ended before the call; k7 is of another thread.
  EXPECT_EQ(find(late_return({launch(1, 1, 11, 200), row("k7", 5, 30, 11), launch(2, 1, 12),
                              row("k9", 4, 3, 12, 9), call("cudaEventRecord", 4, 1, 13)}),
                 Kind::kHostWaitRow),
            nullptr);
}

TEST(InferredWaits, ASynchronisationThatFoundNothingToWaitForIsNoPuzzle) {
  Diagnostics diagnostics;
  link(with({call("cudaStreamSynchronize", 60, 1, 15)}), {}, "", &diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kSyncUnresolved), 0U);
}

/// Waits of stream 9 for work of stream 7 that ended 1 us before; all but the last one are told,
/// before whose row the work had ended for so long.
Lines waits_with_the_last_sync_row_lost(int told, double last_gap_us) {
  Lines events;
  for (int i = 0; i <= told; ++i) {
    const double begin = 100 * i;
    const int id = 20 + 10 * i;
    const double gap = i < told ? 1 : last_gap_us;
    for (const std::string& line :
         {launch(begin + 1, 1, id), row("work", begin + 5, 30, id),
          call("cudaEventRecord", begin + 3, 1, id + 1),
          call("cudaStreamWaitEvent", begin + 4, 1, id + 2), launch(begin + 6, 1, id + 3),
          row("waits", begin + 35 + gap, 5, id + 3, 9)})
      events.push_back(line);
    if (i == told) break;
    const std::string record = fmt::format("\"wait_on_cuda_event_record_corr_id\": {}", id + 1);
    events.push_back(
        sync("Stream Wait Event", begin + 4, id + 2, 9, "\"wait_on_stream\": 7, " + record));
  }
  return events;
}

TEST(InferredWaits, K24_AWaitWhoseSyncRowIsLostIsForWorkThatEndedAsLongBeforeAsOthersTell) {
  const auto inferred = [](int told, double last_gap_us) {
    const LinkedTrace linked = link(waits_with_the_last_sync_row_lost(told, last_gap_us));
    return std::count_if(linked.actions.begin(), linked.actions.end(), [](const StreamAction& a) {
      return a.kind == Kind::kStreamWaitEvent && is_guess(a.inferred);
    });
  };
  EXPECT_EQ(inferred(4, 1), 1);
  EXPECT_EQ(inferred(4, 1.5), 0);
  EXPECT_EQ(inferred(4, 0.5), 0);
  EXPECT_EQ(inferred(3, 1), 0);  // so few do not tell what is usual
}

TEST(InferredWaits, AreNotMadeWhereTheTraceTellsStreamWaits) {
  const LinkedTrace linked = link(with(
      {call("cudaEventRecord", 5, 1, 13), call("cudaStreamWaitEvent", 6, 1, 14), launch(8, 1, 16),
       row("next", 47, 5, 16, 9), sync("Stream Wait Event", 6, 99, 9, R"("wait_on_stream": -1)")}));
  for (const StreamAction& action : linked.actions) EXPECT_NE(action.kind, Kind::kStreamWaitEvent);
}

}  // namespace
}  // namespace nadi
